"""The released way to the numerical test: the first integer between spaces, its leading digit, and fair coins.

Hypotheses are joined by single spaces while premises keep theirs, as in the released file. What the released script
does with a sentence without an integer, which is to use the hypotheses of the sentence before, is left out: the
released file has no such pair.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import polars as pl

from rightreasons.core.keyed_random import draws
from rightreasons.core.labels import CONTRADICTION, ENTAILMENT, NEUTRAL
from rightreasons.sets.stress.numerical.pairs import COLUMNS, NAME, VERSION, drawn_columns, finished, joined

DIGITS = "12345678"  # a 9 is never drawn
_INTEGER = re.compile(r"(?<!\S)[0-9]+(?!\S)")
_BOUNDS = (56, 56, 2, 2)  # both 7 and 8 digits to choose from divide the first


class SentenceAroundNumber(NamedTuple):
    """A sentence cut at its first integer, with the words on each side joined again."""

    text: str
    start: int
    end: int
    token: str  # without the zeros before it, as a number is shown
    before: str
    after: str

    @property
    def others(self) -> list[str]:
        """List the numbers that differ in the leading digit."""
        return [digit + self.token[1:] for digit in DIGITS if digit != self.token[0]]

    def compared(self, new: str) -> str:
        """Say which comparison with a new number holds: leading digits decide, for the lengths are the same."""
        return "less" if new[0] > self.token[0] else "more"

    def with_words(self, words: str) -> str:
        """Put words in the place of the integer."""
        return self.before + words + self.after


def found_in(text: str) -> SentenceAroundNumber | None:
    """Find the first integer between spaces."""
    match = _INTEGER.search(text)
    if match is None:
        return None
    before, after = " ".join(text[: match.start()].split()), " ".join(text[match.end() :].split())
    token = match.group().lstrip("0") or "0"
    return SentenceAroundNumber(
        text, *match.span(), token, before + " " * bool(before), " " * bool(after) + after
    )


def possible(premise: str) -> dict[str, set[str]]:
    """List all that a premise can be paired with, by label: hypotheses, and for neutral pairs the other premise."""
    found = found_in(premise)
    if found is None:
        return {ENTAILMENT: set(), NEUTRAL: set(), CONTRADICTION: set()}
    entailed = {found.with_words(f"{found.compared(new)} than {new}") for new in found.others}
    old = {found.with_words(f"{word} than {found.token}") for word in ("more", "less")}
    return {
        ENTAILMENT: entailed,
        NEUTRAL: entailed,
        CONTRADICTION: old | {found.with_words(new) for new in found.others},
    }


def faithful_pairs(sentences: pl.DataFrame, *, seed: int) -> pl.DataFrame:
    """Make three pairs of each sentence (id, text, genre) with an integer, as the released script does."""
    cut = [found_in(text) for text in sentences["text"]]
    kept = sentences.filter(pl.Series([found is not None for found in cut], dtype=pl.Boolean))
    drawn = drawn_columns(draws(kept["id"], NAME, VERSION, seed, "faithful"), _BOUNDS)
    found_ones = [found for found in cut if found is not None]
    rows = [
        (source, *row)
        for source, (found, *chosen) in enumerate(zip(found_ones, *drawn, strict=True))
        for row in _triple(found, *chosen)
    ]
    return finished(joined(kept, rows, (*COLUMNS, *_MORE)))


_MORE = ("edit_at", "edit_from", "number", "kind", "subcase")


def _triple(
    found: SentenceAroundNumber, first: int, second: int, alone: int, more: int
) -> list[tuple[str | int, ...]]:
    """Make the pairs of one sentence: entailed, swapped, contradicted."""
    others = found.others
    new, other = others[first % len(others)], others[second % len(others)]
    word = found.compared(new)
    wrong = "more" if more else "less"
    last = ("none", other, other) if alone else (wrong, found.token, f"{wrong} than {found.token}")
    return [
        _row(found, word, ENTAILMENT, f"compared_{word}", (word, new, f"{word} than {new}")),
        _row(found, word, NEUTRAL, f"swapped_{word}", (word, new, f"{word} than {new}")),
        _row(found, word, CONTRADICTION, "other" if alone else f"wrong_{wrong}", last),
    ]


def _row(
    found: SentenceAroundNumber, subcase: str, label: str, branch: str, change: tuple[str, str, str]
) -> tuple[str | int, ...]:
    comparison, written, words = change
    new = found.with_words(words)
    at, old, put = _edit(found, new)
    sides = (new, found.text) if label == NEUTRAL else (found.text, new)
    return (
        *sides,
        label,
        put,
        written,
        comparison,
        branch,
        at,
        old,
        found.text[found.start : found.end],
        "plain",
        subcase,
    )


def _edit(found: SentenceAroundNumber, new: str) -> tuple[int, str, str]:
    """Find the one place that differs: around the number, and as far as other spaces were put."""
    left = _common(found.text[: found.start], found.before)
    right = _common(found.text[found.end :][::-1], found.after[::-1])
    return left, found.text[left : len(found.text) - right], new[left : len(new) - right]


def _common(one: str, other: str) -> int:
    """Count the characters that two texts begin with alike."""
    if one == other:
        return len(one)
    pairs = zip(one, other, strict=False)
    return next(
        (place for place, (mine, yours) in enumerate(pairs) if mine != yours), min(len(one), len(other))
    )
