"""The numerical test: does a number, or a comparison with one, follow from another (Naik et al. 2018)?

mode=faithful does what the released script does: it changes the leading digit of the first integer between spaces.
Hypotheses are joined by single spaces while premises keep theirs, as in the released file. For a sentence without an
integer the script reuses the hypotheses of the sentence before; that is left out, since the released file has no such
pair.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.core.keyed_random import draw_numbers
from rightreasons.core.labels import CONTRADICTION, ENTAILMENT, NEUTRAL, THREE_LABELS
from rightreasons.core.options import option
from rightreasons.core.parts import SetPart
from rightreasons.corpora import read_texts
from rightreasons.language.sentences import split_sentences
from rightreasons.language.tokens import DEFAULT, SPACY, tokens
from rightreasons.sets.corpus_set import (
    POCKET,
    SHORT_HELP,
    Mode,
    SampleRequest,
    Short,
    TablePlan,
    check_eval_split,
    plan_corpus_set,
)
from rightreasons.sets.stress.numerical_pairs import (
    COLUMNS,
    NAME,
    TAGS,
    VERSION,
    Less,
    add_ids_and_tags,
    build_numerical_pairs,
    draw_whole_numbers,
    join_pairs_to_sentences,
)
from rightreasons.sets.stress.numerical_quantities import (
    filter_sentences_with_quantities,
    split_into_sentences,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

DIGITS = "12345678"  # a 9 is never drawn
_INTEGER = re.compile(r"(?<!\S)[0-9]+(?!\S)")
_RELEASED_BOUNDS = (56, 56, 2, 2)  # both 7 and 8 digits to choose from divide the first
_RELEASED_COLUMNS = ("edit_at", "edit_from", "number", "kind", "subcase")


class SentenceAroundNumber(NamedTuple):
    """A sentence cut at its first integer, with the words on each side joined again."""

    text: str
    start: int
    end: int
    token: str  # without the zeros before it, as a number is shown
    before: str
    after: str

    @property
    def other_numbers(self) -> list[str]:
        """List the numbers that differ in the leading digit."""
        return [digit + self.token[1:] for digit in DIGITS if digit != self.token[0]]

    def choose_true_comparison(self, new: str) -> str:
        """Return which comparison with a new number holds: leading digits decide, since the lengths are equal."""
        return "less" if new[0] > self.token[0] else "more"

    def replace_integer(self, words: str) -> str:
        """Replace the integer."""
        return self.before + words + self.after


def cut_at_first_integer(text: str) -> SentenceAroundNumber | None:
    """Find the first integer between spaces."""
    match = _INTEGER.search(text)
    if match is None:
        return None
    before, after = " ".join(text[: match.start()].split()), " ".join(text[match.end() :].split())
    token = match.group().lstrip("0") or "0"
    return SentenceAroundNumber(
        text, *match.span(), token, before + " " * bool(before), " " * bool(after) + after
    )


def list_partners_by_label(premise: str) -> dict[str, set[str]]:
    """List all that a premise can be paired with, by label: hypotheses, and for neutral pairs the other premise."""
    sentence = cut_at_first_integer(premise)
    if sentence is None:
        return {ENTAILMENT: set(), NEUTRAL: set(), CONTRADICTION: set()}
    entailed = {
        sentence.replace_integer(f"{sentence.choose_true_comparison(new)} than {new}")
        for new in sentence.other_numbers
    }
    old = {sentence.replace_integer(f"{word} than {sentence.token}") for word in ("more", "less")}
    return {
        ENTAILMENT: entailed,
        NEUTRAL: entailed,
        CONTRADICTION: old | {sentence.replace_integer(new) for new in sentence.other_numbers},
    }


def build_released_pairs(sentences: pl.DataFrame, *, seed: int) -> pl.DataFrame:
    """Make three pairs of each sentence (id, text, genre) with an integer, as the released script does."""
    cut = [cut_at_first_integer(text) for text in sentences["text"]]
    sources = sentences.filter(pl.Series([sentence is not None for sentence in cut], dtype=pl.Boolean))
    drawn = draw_whole_numbers(draw_numbers(sources["id"], NAME, VERSION, seed, "faithful"), _RELEASED_BOUNDS)
    with_integer = [sentence for sentence in cut if sentence is not None]
    rows = [
        (source, *row)
        for source, (sentence, *chosen) in enumerate(zip(with_integer, *drawn, strict=True))
        for row in _build_three_released_pairs(sentence, *chosen)
    ]
    return add_ids_and_tags(join_pairs_to_sentences(sources, rows, (*COLUMNS, *_RELEASED_COLUMNS)))


def _build_three_released_pairs(
    sentence: SentenceAroundNumber, first: int, second: int, alone: int, more: int
) -> list[tuple[str | int, ...]]:
    """Make the pairs of one sentence: entailed, swapped, contradicted."""
    others = sentence.other_numbers
    new, other = others[first % len(others)], others[second % len(others)]
    word = sentence.choose_true_comparison(new)
    wrong = "more" if more else "less"
    last = ("none", other, other) if alone else (wrong, sentence.token, f"{wrong} than {sentence.token}")
    return [
        _build_released_pair_row(
            sentence, word, ENTAILMENT, f"compared_{word}", (word, new, f"{word} than {new}")
        ),
        _build_released_pair_row(
            sentence, word, NEUTRAL, f"swapped_{word}", (word, new, f"{word} than {new}")
        ),
        _build_released_pair_row(sentence, word, CONTRADICTION, "other" if alone else f"wrong_{wrong}", last),
    ]


def _build_released_pair_row(
    sentence: SentenceAroundNumber, subcase: str, label: str, branch: str, change: tuple[str, str, str]
) -> tuple[str | int, ...]:
    comparison, written, words = change
    new = sentence.replace_integer(words)
    at, old, put = _find_changed_span(sentence, new)
    sides = (new, sentence.text) if label == NEUTRAL else (sentence.text, new)
    return (
        *sides,
        label,
        put,
        written,
        comparison,
        branch,
        at,
        old,
        sentence.text[sentence.start : sentence.end],
        "plain",
        subcase,
    )


def _find_changed_span(sentence: SentenceAroundNumber, new: str) -> tuple[int, str, str]:
    """Return the difference: around the number, and as far as spaces were changed."""
    left = _count_common_leading_characters(sentence.text[: sentence.start], sentence.before)
    right = _count_common_leading_characters(sentence.text[sentence.end :][::-1], sentence.after[::-1])
    return left, sentence.text[left : len(sentence.text) - right], new[left : len(new) - right]


def _count_common_leading_characters(one: str, other: str) -> int:
    """Count the characters that two texts begin with alike."""
    if one == other:
        return len(one)
    pairs = zip(one, other, strict=False)
    return next(
        (place for place, (mine, yours) in enumerate(pairs) if mine != yours), min(len(one), len(other))
    )


@dataclass(frozen=True, kw_only=True)
class Numerical(SetPart):
    """Numerical reasoning: "more than 20", "less than 90" or another number, against the number of a sentence."""

    name = NAME
    version = VERSION
    labels = THREE_LABELS
    reads = "texts"
    paper = "Naik et al. 2018"
    tags = TAGS

    corpus: tuple[str, ...] = option(
        POCKET,
        help="Files of word problems, lines or pairs, hf:NAME, or pocket for the sentences inside the package.",
    )
    mode: Mode = option("corrected", help="corrected, or faithful to the released procedure and its defects.")
    numeric_answer: bool = option(
        False, help="Use only word problems whose answer is a number (with mode=faithful, a number above 1)."
    )
    rationale: int | None = option(
        None, help="Use only word problems with a rationale of at most this many sentences."
    )
    entity: bool = option(False, help="Use only sentences that name a person, a place or an organisation.")
    less: Less = option(
        "less", help="Comparative before count nouns: less ('less than 12 boys', as in the paper) or fewer."
    )
    tagger: str = option(
        "default",
        help="Part-of-speech tagger and named-entity recogniser: default, or spacy:NAME for a spaCy pipeline.",
    )
    short: Short = option("refuse", help=SHORT_HELP)

    def __post_init__(self) -> None:
        """Refuse options that select nothing or contradict each other."""
        if self.rationale is not None and self.rationale < 1:
            raise InputError(f"The option rationale is {self.rationale}. Allow at least 1 sentence.")
        if self.mode == "faithful" and self.less != "less":
            raise InputError(
                f"The option less is {self.less}, but mode=faithful always writes 'less', as the paper does. "
                "Omit one of the two options."
            )

    def plan(self, *, size: int | None, limit: int | None, seed: int, split: str) -> TablePlan:
        """Plan a sample of the pairs that the texts give: `size` of each direction, `limit` in all, or all."""
        check_eval_split(self.name, split)
        texts = read_texts(self.corpus)
        self._check_filter_columns(texts.table)
        problems = texts.table.filter(self._make_problem_conditions())
        # How the released premises were cut from their problems is not known: those that are given stay as they are.
        whole = split_into_sentences(problems, problems_only=self.mode == "faithful")
        table = self._build_pairs_in_mode(whole, seed)
        counts = (
            f"{problems.height:,} of {texts.table.height:,} texts were used: {whole.height:,} distinct sentences.",
            f"{table.height // len(THREE_LABELS):,} sentences have a number that was compared.",
        )
        return plan_corpus_set(
            self,
            table,
            SampleRequest(size, limit, seed, split),
            sources=texts.sources,
            remarks=(*texts.remarks, *counts),
        )

    def _check_filter_columns(self, texts: pl.DataFrame) -> None:
        """Refuse a filter by what none of the texts has."""
        filters = {
            "answer": ("numeric_answer", self.numeric_answer),
            "rationale": ("rationale", self.rationale is not None),
        }
        for column, (key, is_set) in filters.items():
            if is_set and texts[column].null_count() == texts.height:
                raise InputError(
                    f"The texts of {', '.join(self.corpus)} have no {column}, which the option {key} needs. "
                    f"Omit {key}, or give word problems with this field, such as AQuA-RAT or GSM8K."
                )

    def _make_problem_conditions(self) -> Iterator[pl.Expr]:
        """Yield the conditions that word problems must meet."""
        yield pl.lit(value=True)
        if self.numeric_answer:
            number = (
                pl.col("answer").str.strip_chars().str.replace_all(",", "").cast(pl.Float64, strict=False)
            )
            # The released script wants more than 1; the paper only a number.
            yield number.is_finite() & ((number > 1) if self.mode == "faithful" else True)
        if self.rationale is not None:
            length = pl.col("rationale").map_elements(count_rationale_sentences, return_dtype=pl.Int64)
            yield length <= self.rationale

    def _build_pairs_in_mode(self, whole: pl.DataFrame, seed: int) -> pl.DataFrame:
        """Make all pairs of the sentences, in the mode that was chosen."""
        chosen = filter_sentences_with_quantities(whole) if self.mode == "corrected" else whole
        if self.entity:
            chosen = chosen.filter(mark_texts_with_names(chosen["text"], self.tagger))
        if self.mode == "faithful":
            return build_released_pairs(chosen, seed=seed)
        return build_numerical_pairs(
            chosen, tokens(chosen["text"], tagger=self.tagger), seed=seed, less=self.less
        )


def count_rationale_sentences(text: str) -> int:
    """Count the sentences of a rationale; every line of it begins a new one."""
    return sum(len(split_sentences(line)) for line in text.splitlines())


def mark_texts_with_names(texts: pl.Series, tagger: str = DEFAULT) -> pl.Series:
    """Return which sentences name a person, a place or an organisation."""
    having = set(
        _find_rows_with_spacy_entities(texts, tagger)
        if tagger.startswith(SPACY)
        else _find_rows_with_listed_names(texts)
    )
    return pl.Series([row in having for row in range(len(texts))], dtype=pl.Boolean)


def _find_rows_with_spacy_entities(texts: pl.Series, tagger: str) -> Iterable[int]:
    from rightreasons.language.spacy_adapter import entities

    return entities(texts, tagger.removeprefix(SPACY))["row"]


def _find_rows_with_listed_names(texts: pl.Series) -> Iterable[int]:
    from rightreasons.language.names import find_entities

    token_lists = tokens(texts).group_by("row", maintain_order=True).agg("start", "end", "tag")
    rows = zip(token_lists["row"], token_lists["start"], token_lists["end"], token_lists["tag"], strict=True)
    return (row for row, *columns in rows if find_entities(texts[row], list(zip(*columns, strict=True))))
