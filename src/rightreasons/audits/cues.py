"""Cues of why a model may have erred on a pair: each is one rule over the two texts, the true label and the answer.

They follow the typology of Naik et al. (2018, section 2). A cue says what is there, not that it was the cause.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from rightreasons.core.labels import CONTRADICTION, ENTAILMENT, NEUTRAL, NON_ENTAILMENT
from rightreasons.language.forms import pass_for_words
from rightreasons.language.numbers import numbers
from rightreasons.language.tokenizer import spans
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


class Error(NamedTuple):
    """A wrong answer: both texts as words, and both labels."""

    premise: str
    hypothesis: str
    gold: str
    answer: str

    @property
    def words(self) -> tuple[list[str], list[str]]:
        """Cut both texts into words in small letters, without punctuation."""
        return words(self.premise), words(self.hypothesis)


class Cue(NamedTuple):
    """What was found: the category it speaks for, what there is to see, and the type of an antonym."""

    category: str
    evidence: str
    antonym_type: str = ""


def cues(error: Error) -> list[Cue]:
    """List the cues of one wrong answer, the most telling first; the first is the suggestion."""
    return [cue for rule in RULES for cue in [rule(error)] if cue]


def antonymy(error: Error) -> Cue | None:
    """Find an antonym where a contradiction was missed: a word of one text, its opposite in the other."""
    if error.gold not in (CONTRADICTION, NON_ENTAILMENT):
        return None
    premise, hypothesis = (dict.fromkeys(text) for text in error.words)
    there = {lemma: word for word in premise if word not in hypothesis for lemma in lemmas(word)}
    for word in hypothesis:
        opposites = {} if word in premise else antonyms(word)
        for opposite, kind in opposites.items():
            if opposite in there:
                return Cue("antonymy", f"{there[opposite]} / {word}", kind)
    return None


def numerical_reasoning(error: Error) -> Cue | None:
    """Find numbers in both texts that differ, or that one text compares and the other gives."""
    premise, hypothesis = _values(error.premise), _values(error.hypothesis)
    if not premise or not hypothesis:
        return None
    compared = [bool(_COMPARED.search(text)) for text in (error.premise, error.hypothesis)]
    if set(hypothesis) <= set(premise) and compared[0] == compared[1]:
        return None
    return Cue("numerical reasoning", f"{', '.join(premise.values())} / {', '.join(hypothesis.values())}")


def negation(error: Error) -> Cue | None:
    """Find a strong negation in the hypothesis where a contradiction was answered that is none."""
    found = [word for word in words(error.hypothesis) if word in NEGATIONS]
    if not found or error.answer not in (CONTRADICTION, NON_ENTAILMENT):
        return None
    return Cue("negation", ", ".join(dict.fromkeys(found)))


def grammaticality(error: Error) -> Cue | None:
    """Find a word that is none, but is one letter away from one, in one of the texts alone."""
    texts = [set(_small(text)) for text in (error.premise, error.hypothesis)]
    alone = sorted(word for word in texts[0] ^ texts[1] if is_misspelt(word))
    return Cue("grammaticality", ", ".join(alone)) if alone else None


def length_mismatch(error: Error) -> Cue | None:
    """Find a premise that is long, and much longer than the hypothesis."""
    premise, hypothesis = (len(text) for text in error.words)
    if premise < max(LONG, LONGER * hypothesis):
        return None
    return Cue("length mismatch", f"{premise} words / {hypothesis} words")


def word_overlap(error: Error) -> Cue | None:
    """Find many words in common where entailment was answered, or few where neutral was answered and is not true."""
    premise, hypothesis = error.words
    shared = sum(word in premise for word in hypothesis)
    many = error.answer == ENTAILMENT and shared >= MOST_SHARED * len(hypothesis)
    few = (
        error.gold == ENTAILMENT
        and error.answer in (NEUTRAL, NON_ENTAILMENT)
        and shared <= LEAST_SHARED * len(hypothesis)
    )
    if not hypothesis or not (many or few):
        return None
    return Cue("word overlap", f"{shared} of {len(hypothesis)} words are in the premise")


# The most telling first: what is in few pairs before what is in many.
RULES: tuple[Callable[[Error], Cue | None], ...] = (
    antonymy,
    numerical_reasoning,
    negation,
    grammaticality,
    length_mismatch,
    word_overlap,
)


def words(text: str) -> list[str]:
    """Cut a text into words in small letters; marks are left out."""
    tokens = (text[start:end].lower() for start, end in spans(text))
    return [token for token in tokens if any(letter.isalnum() for letter in token)]


@lru_cache(maxsize=1 << 14)
def lemmas(word: str) -> tuple[str, ...]:
    """List the base forms of a word, whatever its part of speech."""
    return tuple(dict.fromkeys(form for part in "navr" for form in wordnet().base_forms(word, part)))


@lru_cache(maxsize=1 << 14)
def antonyms(word: str) -> dict[str, str]:
    """List the antonyms of a word with their type, which is known for those of the list that was judged by hand."""
    found: dict[str, str] = {}
    for lemma in lemmas(word):
        for part in "na":
            found |= {
                entry.antonym: entry.kind or "" for entry in load_curated_antonyms().get((part, lemma), ())
            }
        direct = [name.lower() for synset in wordnet().synsets(lemma) for name in synset.antonyms_of(lemma)]
        found |= {name: found.get(name, "") for name in direct}
    return found


def is_misspelt(word: str) -> bool:
    """Tell whether a word of small letters is none, but is one letter away from one."""
    if not SHORTEST <= len(word) <= LONGEST or pass_for_words([word])[0]:
        return False
    return any(pass_for_words(list(_neighbours(word))))


def _neighbours(word: str) -> Iterator[str]:
    """Go through what a slip may have made the word from: letters exchanged, replaced, added or lost."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    for at in range(len(word) + 1):
        before, after = word[:at], word[at:]
        yield from (before + letter + after for letter in letters)
        if after:
            yield before + after[1:]
            yield from (before + letter + after[1:] for letter in letters)
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]


def _small(text: str) -> Iterator[str]:
    """Go through the words of a text that are in small letters, without the parts of others such as n't."""
    places = spans(text)
    for number, (start, end) in enumerate(places):
        joined = number + 1 < len(places) and places[number + 1][0] == end and text[end].isalnum()
        if (
            _LETTERS.fullmatch(text[start:end])
            and not joined
            and not text[max(0, start - 1) : start].isalnum()
        ):
            yield text[start:end]


def _values(text: str) -> dict[int, str]:
    """List the numbers of a text by value; "one" is a pronoun more often than a number."""
    found = [number for number in numbers(text) if not (number.style.words and number.millionths == _ONE)]
    return {number.millionths: text[number.start : number.end] for number in found}
