"""What a partial-input classifier may see of a pair, as sparse tables of zeros and ones with a row for each pair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from rightreasons.language.word_codes import PairWords, WordColumn

    Floats = npt.NDArray[np.float64]
    Numbers = npt.NDArray[np.int64]

MOST_FEATURES = 50_000
_LEAST_COUNT = 2  # a word that occurs once teaches nothing about other pairs
_BINS = 20  # for each measure
_CROSSED_BINS = 10  # for both of two measures
_ROW_BITS = 32


def encode_words(column: WordColumn, vocabulary: int, *, bigrams: bool) -> Any:
    """Mark the words of each text, and its bigrams with the beginning and the end of the text as words.

    Of more than MOST_FEATURES words and bigrams, the most frequent are kept; labels are not consulted.
    """
    codes = column.codes.astype(np.int64)
    if not bigrams:
        return _build_presence_table(codes, column.rows, len(column.lengths))
    size = vocabulary + 1  # with the edge of the text, whose number is `vocabulary`
    same_row = column.rows[1:] == column.rows[:-1]
    starts, ends = np.ones(len(codes), dtype=bool), np.ones(len(codes), dtype=bool)
    starts[1:] = ends[:-1] = ~same_row
    before = np.where(starts, vocabulary, np.roll(codes, 1))
    keys = np.concatenate([codes, size * (before + 1) + codes, size * (codes[ends] + 1) + vocabulary])
    rows = np.concatenate([column.rows, column.rows, column.rows[ends]])
    return _build_presence_table(keys, rows, len(column.lengths))


def _build_presence_table(keys: Numbers, rows: npt.NDArray[np.int32], count: int) -> Any:
    """Mark which of the frequent keys each row has."""
    from scipy.sparse import csr_matrix

    kept = _select_frequent_keys(keys)
    places = np.searchsorted(kept, keys)
    places[places == len(kept)] = 0
    inside = kept[places] == keys if len(kept) else np.zeros(len(keys), dtype=bool)
    cells = rows[inside], places[inside].astype(np.int32)
    table = csr_matrix((np.ones(len(cells[0])), cells), shape=(count, len(kept)))
    table.data[:] = 1  # not how often
    return table


def _select_frequent_keys(keys: Numbers) -> Numbers:
    """Select the keys that occur twice and more, the most frequent if there are many, in their order."""
    ordered = np.sort(keys)
    first = np.flatnonzero(
        np.concatenate([np.ones(min(len(keys), 1), dtype=bool), ordered[1:] != ordered[:-1]])
    )
    counts = np.diff(np.append(first, len(keys)))
    often = np.flatnonzero(counts >= _LEAST_COUNT)
    if len(often) > MOST_FEATURES:
        often = often[np.argsort(-counts[often], kind="stable")[:MOST_FEATURES]]
    return np.sort(ordered[first[often]])


def encode_overlap_and_length(words: PairWords) -> Any:
    """Mark the bin of each measure of overlap and length, and of overlap and length together."""
    from scipy.sparse import hstack

    premise, hypothesis = words.premise, words.hypothesis
    own, theirs = (_count_distinct_words(column) for column in (hypothesis, premise))
    overlap = np.nan_to_num(words.overlap).astype(np.float64)
    shared = overlap * own.astype(np.float64)
    measures: list[Floats | Numbers] = [
        hypothesis.lengths,
        premise.lengths,
        premise.lengths - hypothesis.lengths,
        overlap,
        own - shared,  # words of the hypothesis that the premise lacks
        shared / np.maximum(theirs, 1),
    ]
    crossed = _number_bins(overlap, _CROSSED_BINS) * _CROSSED_BINS + _number_bins(
        hypothesis.lengths, _CROSSED_BINS
    )
    bins = [*(_number_bins(measure, _BINS) for measure in measures), crossed]
    rows = np.arange(len(overlap), dtype=np.int32)
    return hstack([_build_presence_table(each, rows, len(rows)) for each in bins], format="csr")


def _count_distinct_words(column: WordColumn) -> Numbers:
    return np.bincount(column.row_words >> _ROW_BITS, minlength=len(column.lengths))


def _number_bins(values: Floats | Numbers, bins: int) -> Numbers:
    """Number the bins, with about equal numbers of pairs, that values fall into."""
    if not len(values):
        return np.zeros(0, np.int64)
    edges = np.unique(np.quantile(values, np.linspace(0, 1, bins + 1)[1:-1], method="inverted_cdf"))
    return np.searchsorted(edges, values, side="left")
