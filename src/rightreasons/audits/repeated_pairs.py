"""Pairs and texts that a corpus repeats: exactly, in the same letters and digits, swapped, or as near duplicates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from rightreasons.audits.near_duplicates import NearDuplicateIndex
from rightreasons.core.pairs import TEXTS
from rightreasons.core.progress import track_progress
from rightreasons.language.shingles import MOST_ROWS, ShingledColumn, normalise_spaces

if TYPE_CHECKING:
    import numpy.typing as npt

    Numbers = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]

_SEED = 0


class RepeatedValues(NamedTuple):
    """Which rows have the same value: the number of the value in each row, by its order, and how often it occurs."""

    number: Numbers
    times: Numbers  # by number

    @property
    def is_repeated(self) -> Flags:
        """Whether a row shares its value with another row."""
        return np.asarray(self.times[self.number] > 1)

    @property
    def surplus(self) -> int:
        """The number of rows after the first of each value."""
        return len(self.number) - len(self.times)


class NearPair(NamedTuple):
    """A pair without an equal one, by its row, the row of its near duplicate, and how much they share."""

    row: int
    other: int
    similarity: float


@dataclass(frozen=True)
class NearSearch:
    """The rows whose near duplicates were searched, and those that were found."""

    rows: Numbers
    found: tuple[NearPair, ...]


@dataclass(frozen=True, eq=False)
class RepeatedPairs:
    """The texts of a corpus as numbers: verbatim, and by their letters and digits.

    Numbers follow the alphabet, so that nothing depends on the order of the rows.
    """

    spaced: pl.Series  # the distinct texts as shingles need them
    verbatim: tuple[Numbers, Numbers]  # premise and hypothesis: the row of `spaced`
    letters: tuple[Numbers, Numbers]

    @classmethod
    def from_pairs(cls, pairs: pl.DataFrame) -> RepeatedPairs:
        """Number the texts; each distinct text is normalised once."""
        columns = [pairs[side].cast(pl.String).fill_null("") for side in TEXTS]
        distinct = pl.concat(columns).unique().sort()
        spaced = distinct.to_frame("text").select(normalise_spaces(pl.col("text"))).to_series()
        bare = spaced.str.replace_all(" ", "", literal=True)
        # A text without letters and digits is compared as it is.
        letters = pl.select(pl.when(bare != "").then(bare).otherwise(distinct.str.strip_chars())).to_series()
        numbers = (letters.rank("dense") - 1).to_numpy().astype(np.int64)
        kind = pl.Enum(distinct)
        premise, hypothesis = (
            column.cast(kind).to_physical().to_numpy().astype(np.int64) for column in columns
        )
        return cls(spaced, (premise, hypothesis), (numbers[premise], numbers[hypothesis]))

    @cached_property
    def exact(self) -> RepeatedValues:
        """Pairs with the same texts."""
        return count_values(self._join_numbers(*self.verbatim))

    @cached_property
    def normalised(self) -> RepeatedValues:
        """Pairs whose texts have the same letters and digits."""
        return count_values(self._join_numbers(*self.letters))

    @cached_property
    def is_swapped(self) -> Flags:
        """Whether a pair also occurs with premise and hypothesis exchanged."""
        premise, hypothesis = self.letters
        known = np.unique(self._join_numbers(premise, hypothesis))
        return np.asarray(np.isin(self._join_numbers(hypothesis, premise), known) & (premise != hypothesis))

    def count_text(self, side: int) -> RepeatedValues:
        """Count texts of the same letters and digits on one side: 0 for premises, 1 for hypotheses."""
        return count_values(self.letters[side])

    def find_near_duplicates(self, most: int) -> NearSearch:
        """Search near duplicates of at most so many pairs that no pair equals, among all other pairs; none is missed.

        Of more, a random sample is searched, so that the time is proportional to the number of pairs.
        """
        firsts = self._list_first_rows()
        alone = np.flatnonzero(self.normalised.times == 1)
        if len(alone) > most:
            alone = np.sort(np.random.default_rng(_SEED).choice(alone, most, replace=False))
        if not len(alone):
            return NearSearch(firsts[alone], ())
        same = np.full(len(firsts), -1)
        same[alone] = np.arange(len(alone))
        index = NearDuplicateIndex((self._list_texts(firsts[alone], 0), self._list_texts(firsts[alone], 1)))
        found = []
        starts = range(0, len(firsts), MOST_ROWS)
        for start in track_progress(starts, len(starts), "comparing"):
            rows = firsts[start : start + MOST_ROWS]
            columns = [ShingledColumn(self._list_texts(rows, side)) for side in range(len(TEXTS))]
            matches = index.match(columns, np.ones(len(rows), dtype=bool), same[start : start + MOST_ROWS])
            found += [
                NearPair(int(firsts[alone[match.ours]]), int(rows[match.theirs]), float(match.similarity))
                for match in matches
            ]
        return NearSearch(firsts[alone], tuple(found))

    def _join_numbers(self, premise: Numbers, hypothesis: Numbers) -> Numbers:
        return premise * len(self.spaced) + hypothesis

    def _list_first_rows(self) -> Numbers:
        """List a row for each distinct pair of letters and digits: of several, that of the first by the alphabet."""
        order = np.argsort(self.exact.number, kind="stable")
        return order[np.unique(self.normalised.number[order], return_index=True)[1]]

    def _list_texts(self, rows: Numbers, side: int) -> list[str]:
        return self.spaced[self.verbatim[side][rows]].to_list()


def count_values(values: Numbers) -> RepeatedValues:
    """Number values by their order, and count each."""
    _, number, times = np.unique(values, return_inverse=True, return_counts=True)
    return RepeatedValues(number.astype(np.int64), times.astype(np.int64))
