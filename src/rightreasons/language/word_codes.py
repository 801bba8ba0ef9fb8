"""The words of two columns of texts as numbers of one vocabulary, so that counting needs no strings.

A word is a lower-case run of letters and digits with the apostrophes inside it: `don't` is one word, `n't` of a
tokenised text another, and quotation marks are part of none.

The vocabulary is in alphabetical order, so no number depends on the order in which words first occur.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    import numpy.typing as npt

    Codes = npt.NDArray[np.int32]
    Numbers = npt.NDArray[np.int64]
    Shares = npt.NDArray[np.float64]

_PATTERN = r"[\p{L}\p{N}]+(?:'[\p{L}\p{N}]+)*"
_CURLY_APOSTROPHE, _APOSTROPHE = "\N{RIGHT SINGLE QUOTATION MARK}", "'"
ROWS_AT_A_TIME = 1 << 15
_CODE_BITS = 32


@dataclass(frozen=True, eq=False)
class WordColumn:
    """The words of a column of texts: row r has codes[offsets[r]:offsets[r + 1]], numbers of the vocabulary."""

    codes: Codes
    offsets: Numbers

    @cached_property
    def lengths(self) -> Numbers:
        """The number of words in each row."""
        return np.diff(self.offsets)

    @cached_property
    def rows(self) -> Codes:
        """The row of each word."""
        return np.repeat(np.arange(len(self.offsets) - 1, dtype=np.int32), self.lengths)

    @cached_property
    def row_words(self) -> Numbers:
        """The distinct words of each row in order, row and code in one number: row << 32 | code."""
        both = np.sort(self.rows.astype(np.int64) << _CODE_BITS | self.codes)
        first = np.concatenate([np.ones(min(len(both), 1), dtype=bool), both[1:] != both[:-1]])
        return np.asarray(both[first])


@dataclass(frozen=True, eq=False)
class PairWords:
    """The words of premises and hypotheses, and the vocabulary that their numbers refer to."""

    vocabulary: pl.Series
    premise: WordColumn
    hypothesis: WordColumn

    @cached_property
    def overlap(self) -> Shares:
        """The share of the distinct words of each hypothesis that its premise has; NaN without words."""
        own, theirs = self.hypothesis.row_words, self.premise.row_words
        places = np.minimum(np.searchsorted(theirs, own), max(len(theirs) - 1, 0))
        shared = theirs[places] == own if len(theirs) else np.zeros(len(own), dtype=bool)
        rows, count = own >> _CODE_BITS, len(self.hypothesis.offsets) - 1
        with np.errstate(invalid="ignore"):
            return np.bincount(rows, weights=shared, minlength=count) / np.bincount(rows, minlength=count)


def split_into_words(texts: pl.Series) -> pl.Series:
    """Split texts into lists of words."""
    plain = texts.str.replace_all(_CURLY_APOSTROPHE, _APOSTROPHE, literal=True)
    return plain.str.to_lowercase().str.extract_all(_PATTERN)


def number_pair_words(premise: pl.Series, hypothesis: pl.Series) -> PairWords:
    """Split premises and hypotheses into words, and number them by their alphabetical order."""
    parts = [_number_words_locally(side) for side in (premise, hypothesis)]
    known = [words for side in parts for words, _, _ in side]
    vocabulary = pl.concat(known).unique().sort() if known else pl.Series([], dtype=pl.String)
    columns = [_join_numbered_parts(side, vocabulary) for side in parts]
    return PairWords(vocabulary, *columns)


def _number_words_locally(texts: pl.Series) -> list[tuple[pl.Series, Codes, Numbers]]:
    """Split a column batch by batch: the vocabulary of each batch, its words as numbers of that, and their counts."""
    parts = []
    for start in range(0, len(texts), ROWS_AT_A_TIME):
        words = split_into_words(texts[start : start + ROWS_AT_A_TIME])
        several = words.explode(empty_as_null=False, keep_nulls=False)
        vocabulary = several.unique().sort()
        codes = several.cast(pl.Enum(vocabulary)).to_physical().to_numpy().astype(np.int32)
        parts.append((vocabulary, codes, words.list.len().to_numpy().astype(np.int64)))
    return parts


def _join_numbered_parts(parts: list[tuple[pl.Series, Codes, Numbers]], vocabulary: pl.Series) -> WordColumn:
    """Join batches, numbered by the common vocabulary."""
    kind = pl.Enum(vocabulary)
    codes = [words.cast(kind).to_physical().to_numpy().astype(np.int32)[local] for words, local, _ in parts]
    lengths = np.concatenate([np.zeros(1, np.int64), *(count for _, _, count in parts)])
    return WordColumn(np.concatenate(codes) if codes else np.empty(0, np.int32), np.cumsum(lengths))
