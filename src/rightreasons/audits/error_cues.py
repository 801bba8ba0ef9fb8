"""Cues for why a model may be wrong on a pair: each is one rule over both texts, the gold label and the prediction.

They follow the typology of Naik et al. (2018, section 2). A cue says what is in the pair, not that it was the cause.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from rightreasons.core.labels import CONTRADICTION, ENTAILMENT, NEUTRAL, NON_ENTAILMENT
from rightreasons.language.english_words import are_words_or_names
from rightreasons.language.numbers import find_numbers
from rightreasons.language.tokenizer import tokenize
from rightreasons.language.wordnet import wordnet
from rightreasons.sets.stress.antonym_edits import load_curated_antonyms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_NEGATIONS = "no not n't n\u2019t never none nobody nothing nowhere neither nor without"
NEGATIONS = frozenset(_NEGATIONS.split())
MOST_SHARED, LEAST_SHARED = 0.7, 0.45  # of the words of the hypothesis that the premise has
LONGER, LONG = 3, 25  # times as many words as the hypothesis has, and how many of them at least
SHORTEST, LONGEST = 3, 60  # letters of a word that may be misspelt
_ONE = 1_000_000  # in millionths
_COMPARED = re.compile(
    r"\b(?:more|less|fewer|greater|larger|smaller|higher|lower)\s+than\b|\bat\s+(?:least|most)\b|\bup\s+to\b",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"[a-z]+")


class WrongPrediction(NamedTuple):
    """A pair with its gold label and a wrong prediction."""

    premise: str
    hypothesis: str
    gold: str
    prediction: str

    @property
    def words(self) -> tuple[list[str], list[str]]:
        """Both texts as lower-case words, without punctuation."""
        return split_lowercase_words(self.premise), split_lowercase_words(self.hypothesis)


class Cue(NamedTuple):
    """A suggested category, the evidence for it, and the type of an antonym."""

    category: str
    evidence: str
    antonym_type: str = ""


def find_cues(error: WrongPrediction) -> list[Cue]:
    """List the cues for one wrong prediction, the most specific first; the first is the suggestion."""
    return [cue for rule in RULES for cue in [rule(error)] if cue]


def find_antonymy(error: WrongPrediction) -> Cue | None:
    """Find a word of one text whose antonym is in the other, if the gold label is contradiction."""
    if error.gold not in (CONTRADICTION, NON_ENTAILMENT):
        return None
    premise, hypothesis = (dict.fromkeys(text) for text in error.words)
    there = {lemma: word for word in premise if word not in hypothesis for lemma in list_lemmas(word)}
    for word in hypothesis:
        opposites = {} if word in premise else get_antonym_types(word)
        for opposite, kind in opposites.items():
            if opposite in there:
                return Cue("antonymy", f"{there[opposite]} / {word}", kind)
    return None


def find_numerical_reasoning(error: WrongPrediction) -> Cue | None:
    """Find numbers that differ between the texts, or that only one of the texts compares."""
    premise, hypothesis = _get_numbers_by_value(error.premise), _get_numbers_by_value(error.hypothesis)
    if not premise or not hypothesis:
        return None
    compared = [bool(_COMPARED.search(text)) for text in (error.premise, error.hypothesis)]
    if set(hypothesis) <= set(premise) and compared[0] == compared[1]:
        return None
    return Cue("numerical reasoning", f"{', '.join(premise.values())} / {', '.join(hypothesis.values())}")


def find_negation(error: WrongPrediction) -> Cue | None:
    """Find a strong negation in the hypothesis if contradiction was predicted wrongly."""
    negations = [word for word in split_lowercase_words(error.hypothesis) if word in NEGATIONS]
    if not negations or error.prediction not in (CONTRADICTION, NON_ENTAILMENT):
        return None
    return Cue("negation", ", ".join(dict.fromkeys(negations)))


def find_grammaticality(error: WrongPrediction) -> Cue | None:
    """Find a misspelt word that only one of the texts has."""
    texts = [set(_list_uncapitalized_words(text)) for text in (error.premise, error.hypothesis)]
    alone = sorted(word for word in texts[0] ^ texts[1] if is_misspelt(word))
    return Cue("grammaticality", ", ".join(alone)) if alone else None


def find_length_mismatch(error: WrongPrediction) -> Cue | None:
    """Find a premise that is long, and much longer than the hypothesis."""
    premise, hypothesis = (len(text) for text in error.words)
    if premise < max(LONG, LONGER * hypothesis):
        return None
    return Cue("length mismatch", f"{premise} words / {hypothesis} words")


def find_word_overlap(error: WrongPrediction) -> Cue | None:
    """Find high overlap if entailment was predicted, or low overlap if entailment was missed."""
    premise, hypothesis = error.words
    shared = sum(word in premise for word in hypothesis)
    many = error.prediction == ENTAILMENT and shared >= MOST_SHARED * len(hypothesis)
    few = (
        error.gold == ENTAILMENT
        and error.prediction in (NEUTRAL, NON_ENTAILMENT)
        and shared <= LEAST_SHARED * len(hypothesis)
    )
    if not hypothesis or not (many or few):
        return None
    return Cue("word overlap", f"{shared} of {len(hypothesis)} words are in the premise")


# The most specific first: what occurs in few pairs before what occurs in many.
RULES: tuple[Callable[[WrongPrediction], Cue | None], ...] = (
    find_antonymy,
    find_numerical_reasoning,
    find_negation,
    find_grammaticality,
    find_length_mismatch,
    find_word_overlap,
)


def split_lowercase_words(text: str) -> list[str]:
    """Split a text into lower-case words, without punctuation."""
    tokens = (text[start:end].lower() for start, end in tokenize(text))
    return [token for token in tokens if any(letter.isalnum() for letter in token)]


@lru_cache(maxsize=1 << 14)
def list_lemmas(word: str) -> tuple[str, ...]:
    """List the base forms of a word, whatever its part of speech."""
    return tuple(dict.fromkeys(form for part in "navr" for form in wordnet().base_forms(word, part)))


@lru_cache(maxsize=1 << 14)
def get_antonym_types(word: str) -> dict[str, str]:
    """List the antonyms of a word with their type, which is known for the curated ones."""
    opposites: dict[str, str] = {}
    for lemma in list_lemmas(word):
        for part in "na":
            curated = load_curated_antonyms().get((part, lemma), ())
            opposites |= {entry.antonym: entry.kind or "" for entry in curated}
        direct = [name.lower() for synset in wordnet().synsets(lemma) for name in synset.antonyms_of(lemma)]
        opposites |= {name: opposites.get(name, "") for name in direct}
    return opposites


def is_misspelt(word: str) -> bool:
    """Return whether a lower-case word is unknown, but one edit away from a known word."""
    if not SHORTEST <= len(word) <= LONGEST or are_words_or_names([word])[0]:
        return False
    return any(are_words_or_names(list(_generate_single_edits(word))))


def _generate_single_edits(word: str) -> Iterator[str]:
    """Go through the words at one edit: a letter inserted, deleted, replaced, or two swapped."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    for at in range(len(word) + 1):
        before, after = word[:at], word[at:]
        yield from (before + letter + after for letter in letters)
        if after:
            yield before + after[1:]
            yield from (before + letter + after[1:] for letter in letters)
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]


def _list_uncapitalized_words(text: str) -> Iterator[str]:
    """Go through the lower-case words of a text, without parts of other words such as n't."""
    places = tokenize(text)
    for number, (start, end) in enumerate(places):
        joined = number + 1 < len(places) and places[number + 1][0] == end and text[end].isalnum()
        if (
            _LETTERS.fullmatch(text[start:end])
            and not joined
            and not text[max(0, start - 1) : start].isalnum()
        ):
            yield text[start:end]


def _get_numbers_by_value(text: str) -> dict[int, str]:
    """Read the numbers of a text by value; "one" is a pronoun more often than a number."""
    mentions = [
        number for number in find_numbers(text) if not (number.style.words and number.millionths == _ONE)
    ]
    return {number.millionths: text[number.start : number.end] for number in mentions}
