"""The finite space of what a row of slots can say: counted, ranked and unranked, columns at a time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rightreasons.core.errors import InputError
from rightreasons.templates.components import components

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from rightreasons.templates.lexicon import WordList

_LARGEST = 1 << 62


class Space:
    """All that some slots can say: `premises` instances of the first slots, each with `hypotheses` of the others."""

    def __init__(self, lists: Sequence[WordList], in_premise: int, *, distinct: bool = True) -> None:
        """Take the slots' lists, the `in_premise` slots of the premise first."""
        self.size = len(lists)
        self.components = components(lists, in_premise, distinct=distinct)
        self.premises = math.prod(part.counts[0] for part in self.components)
        self.hypotheses = math.prod(part.counts[1] for part in self.components)
        self.count = self.premises * self.hypotheses
        self.proposals = math.prod(len(words) for words in lists)
        if self.count > _LARGEST:
            raise InputError(
                f"A template spans {self.count:.1e} pairs, more than can be ranked. Use shorter word lists."
            )

    def unrank(self, rank: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """Return, for each slot, the column of its entries."""
        entries: list[NDArray[np.int64]] = [rank] * self.size
        premise, hypothesis = np.divmod(rank, self.hypotheses) if self.hypotheses > 1 else (rank, rank)
        left, right = (
            _digits(side, [p.counts[n] for p in self.components])
            for n, side in enumerate((premise, hypothesis))
        )
        for part, first, second in zip(self.components, left, right, strict=True):
            for slot, column in zip(part.slots, part.unrank(first, second), strict=True):
                entries[slot] = column
        return entries

    def rank(self, entries: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
        """Return the rank of each row of entries, -1 where it is not legal."""
        premise = hypothesis = np.zeros(len(entries[0]) if entries else 1, dtype=np.int64)
        legal = np.ones(len(premise), dtype=bool)
        for part in self.components:
            first, second = part.rank([entries[slot] for slot in part.slots])
            legal &= (first >= 0) & (second >= 0)
            premise = premise * part.counts[0] + first
            hypothesis = hypothesis * part.counts[1] + second
        return np.where(legal, premise * self.hypotheses + hypothesis, -1)


def _digits(rank: NDArray[np.int64], counts: Sequence[int]) -> list[NDArray[np.int64]]:
    """Split a rank into its digits, the last count fastest; a count of 1 takes no arithmetic."""
    found: list[NDArray[np.int64]] = []
    nothing = np.zeros_like(rank)
    open_counts = sum(count > 1 for count in counts)
    for count in reversed(counts):
        if count == 1:
            found.append(nothing)
            continue
        open_counts -= 1
        if open_counts:
            rank, digit = np.divmod(rank, count)
            found.append(digit)
        else:
            found.append(rank)
    return found[::-1]
