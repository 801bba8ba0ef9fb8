"""Choose a word of each text and a misspelling of it, by draws that belong to the text alone."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from rightreasons.core.keyed_random import below, further
from rightreasons.language.forms import pass_for_words
from rightreasons.sets.stress.spelling.misspellings import (
    OPERATIONS,
    Operation,
    drawn_misspellings,
    misspellings,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rightreasons.sets.stress.spelling.misspellable import Variant

# How often a quick try is made for all before the rest is gone through one by one.
_QUICK = 2


class Slips(NamedTuple):
    """Misspellings of some words: operations by number, letters by place, and the new words; empty ones are none."""

    operation: NDArray[np.int64]
    position: NDArray[np.int64]
    new: NDArray[np.object_]

    def of(self, places: NDArray[np.int64]) -> Slips:
        """Take some of them."""
        return Slips(self.operation[places], self.position[places], self.new[places])


def chosen(words: pl.DataFrame, drawn: NDArray[np.uint64], variant: Variant, *, avoid: bool) -> pl.DataFrame:
    """Choose one of the candidates of each text, and a misspelling of it; texts without any are left out.

    `drawn` has a number for each text. Of the candidates that have a misspelling, the one with the highest draw is
    taken; most have one, so it is tried before the others.
    """
    rows = words["row"].to_numpy()
    weights = further(drawn[rows], words["number"].to_numpy())
    left, tables = np.arange(len(rows)), []
    for attempt in range(_QUICK + 1):
        tried = left[_best(rows[left], weights[left])] if attempt < _QUICK else left
        slips = _misspelt(words["token"].gather(tried), weights[tried], variant, avoid=avoid)
        able = np.flatnonzero(slips.new != "")
        able = able[_best(rows[tried[able]], weights[tried[able]])]
        tables.append(_table(words[tried[able]], slips.of(able)))
        left = np.setdiff1d(left[~np.isin(rows[left], rows[tried[able]])], tried)
        if not len(left):
            break
    return pl.concat(tables).sort("row")


def _best(rows: NDArray[np.uint32], weights: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Find the place of the highest weight of each row; rows come in order, and of equal weights the first counts."""
    starts = np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]][: len(rows)])
    if not len(starts):
        return starts
    lengths = np.diff(np.r_[starts, len(rows)])
    top = np.flatnonzero(weights == np.repeat(np.maximum.reduceat(weights, starts), lengths))
    return top[np.r_[True, rows[top][1:] != rows[top][:-1]]]


def _misspelt(words: pl.Series, weights: NDArray[np.uint64], variant: Variant, *, avoid: bool) -> Slips:
    """Draw a misspelling of each word, where it has one.

    A place of each word is drawn first. Where that gives none, a further draw picks from the list of all that there
    are: so each has the same chance, and few words need a list.
    """
    slips = Slips(
        _operations(weights, variant),
        np.zeros(len(words), dtype=np.int64),
        np.full(len(words), "", dtype=object),
    )
    left = np.arange(len(words))
    for number in range(1, 1 + _QUICK):
        if len(left):
            by_keyboard, draw = slips.operation[left] == 1, further(weights[left], number)
            slips.position[left], made = drawn_misspellings(words.gather(left).to_list(), by_keyboard, draw)
            slips.new[left] = _without_words(made) if avoid else made
            left = left[slips.new[left] == ""]
    _from_lists(words, slips, left, weights, variant, avoid=avoid)
    return slips


def _operations(weights: NDArray[np.uint64], variant: Variant) -> NDArray[np.int64]:
    """Number the operation for each word: that of the variant, or either by draw for content and function words."""
    if variant in OPERATIONS:
        return np.full(len(weights), OPERATIONS.index(variant))
    return below(further(weights, 0), len(OPERATIONS))


def _without_words(made: list[str]) -> list[str]:
    return ["" if real else new for new, real in zip(made, pass_for_words(made), strict=True)]


def _from_lists(
    words: pl.Series,
    slips: Slips,
    left: NDArray[np.int64],
    weights: NDArray[np.uint64],
    variant: Variant,
    *,
    avoid: bool,
) -> None:
    """Fill in the misspellings of some words from lists; the other operation serves where the first has none."""
    picks = (further(weights[left], 1 + _QUICK) >> np.uint64(32)).tolist()
    for place, pick in zip(left.tolist(), picks, strict=True):
        first = int(slips.operation[place])
        for operation in [first] if variant in OPERATIONS else [first, 1 - first]:
            options = _usable(words[place], OPERATIONS[operation], avoid)
            if options:
                slips.operation[place] = operation
                slips.position[place], slips.new[place] = options[pick * len(options) >> 32]
                break


@lru_cache(maxsize=65_536)
def _usable(word: str, operation: Operation, avoid: bool) -> tuple[tuple[int, str], ...]:
    found = misspellings(word, operation)
    real = pass_for_words([new for _, new in found]) if avoid else [False] * len(found)
    return tuple(one for one, no in zip(found, real, strict=True) if not no)


def _table(words: pl.DataFrame, slips: Slips) -> pl.DataFrame:
    """Put choices into columns."""
    new = slips.new.tolist()
    return words.select(
        "row",
        pl.Series("operation", np.array(OPERATIONS)[slips.operation], dtype=pl.String),
        pl.col("token").alias("word"),
        pl.Series("misspelling", new, dtype=pl.String),
        pl.Series("position", slips.position, dtype=pl.Int64),
        pl.col("tag").alias("word_tag"),
        pl.col("start").alias("edit_at"),
        pl.col("token").alias("edit_from"),
        pl.Series("edit_to", new, dtype=pl.String),
    )
