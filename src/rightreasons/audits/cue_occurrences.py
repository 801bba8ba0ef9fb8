"""Which pair has which cue: a word of one of its texts, a bigram, or a word that the text begins with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rightreasons.core.keyed_random import derive_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    import polars as pl

    from rightreasons.language.word_codes import WordColumn

    Numbers = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]

START = "<s>"  # before the first word; no word has these characters
ALONE = -1  # the number of a text that no other row has
_RARE = -1


@dataclass(frozen=True, eq=False)
class CueOccurrences:
    """The cues in the order of `keys`, and the rows that have each: n[0] rows of the first, n[1] of the second, ...

    A row counts once, however often its text has the cue. With F words, 0 to F - 1, a key below F is a word; others are
    bigrams: F + before * F + word, where the word before the first is F.
    """

    words: Numbers  # numbers of the vocabulary
    keys: Numbers
    n: Numbers
    rows: Numbers

    @property
    def cues(self) -> Numbers:
        """The cue of each of the `rows`."""
        return np.repeat(np.arange(len(self.n)), self.n)

    @property
    def is_word(self) -> Flags:
        """Which cues are words."""
        return np.asarray(self.keys < len(self.words))

    @property
    def words_of_bigrams(self) -> Numbers:
        """The places of the two words of each bigram among the cues; -1 for words, rare words and the start."""
        parts = np.stack(np.divmod(self.keys - len(self.words), max(len(self.words), 1)), axis=1)
        places = np.minimum(np.searchsorted(self.keys, parts), max(len(self.keys) - 1, 0))
        known = (self.keys[places] == parts) & (parts < len(self.words)) & ~self.is_word[:, None]
        return np.where(known, places, _RARE)

    def name_cues(self, cues: Numbers, vocabulary: pl.Series) -> list[str]:
        """Name cues: a word, two words with a space, or <s> and the first word."""
        words = [*vocabulary.gather(self.words), START]
        keys, count = self.keys[cues], len(self.words)
        before, last = np.divmod(keys - count, max(count, 1))
        return [
            words[key] if key < count else f"{words[first]} {words[second]}"
            for key, first, second in zip(keys.tolist(), before.tolist(), last.tolist(), strict=True)
        ]

    def flag_rows(self, cues: Flags, count: int) -> Flags:
        """Flag the rows, of `count`, that have one of the cues."""
        flags = np.zeros(count, dtype=bool)
        flags[self.rows[np.repeat(cues, self.n)]] = True
        return flags


def find_cue_occurrences(column: WordColumn, min_count: int) -> CueOccurrences:
    """Find the words, bigrams and first words of a column of texts that at least `min_count` of its rows have.

    Cue and row are packed into one number, so that a single sort groups them. Rare words are left out before: with 10
    million rows, half a million frequent words still fit into 63 bits.
    """
    times = np.bincount(column.codes, minlength=1)
    words = np.flatnonzero(times >= max(min_count, 1))
    number = np.full(len(times), _RARE, dtype=np.int64)
    number[words] = np.arange(len(words))
    own = number[column.codes]
    before = np.concatenate([np.full(min(len(own), 1), _RARE), own[:-1]])
    before[column.offsets[:-1][column.lengths > 0]] = len(words)
    bits = max(len(column.offsets), 1).bit_length()
    bigrams = len(words) + before * len(words) + own
    keys = np.concatenate([own[own != _RARE], bigrams[(own != _RARE) & (before != _RARE)]])
    rows = np.concatenate([column.rows[own != _RARE], column.rows[(own != _RARE) & (before != _RARE)]])
    packed = keys << bits | rows
    del own, before, bigrams, keys, rows
    return _group_occurrences(packed, bits, words, min_count)


def group_rows_by_cue(cues: Sequence[Flags]) -> CueOccurrences:
    """Make occurrences of cues that are given as flags of rows; the keys are their numbers."""
    rows = [np.flatnonzero(flags) for flags in cues]
    numbers = np.arange(len(cues))
    n = np.array([len(each) for each in rows], dtype=np.int64)
    return CueOccurrences(numbers, numbers, n, np.concatenate([np.empty(0, np.int64), *rows]))


def _group_occurrences(packed: Numbers, bits: int, words: Numbers, min_count: int) -> CueOccurrences:
    """Sort occurrences by cue and row, and drop repetitions and cues of too few rows."""
    packed.sort()
    packed = packed[np.concatenate([np.ones(min(len(packed), 1), dtype=bool), packed[1:] != packed[:-1]])]
    keys = packed >> bits
    starts = np.flatnonzero(np.concatenate([np.ones(min(len(keys), 1), dtype=bool), keys[1:] != keys[:-1]]))
    n = np.diff(np.concatenate([starts, [len(keys)]]))
    kept = n >= min_count
    rows = packed[np.repeat(kept, n)] & ((1 << bits) - 1)
    return CueOccurrences(words, keys[starts[kept]], n[kept], rows)


def number_equal_texts(column: WordColumn) -> Numbers:
    """Number the texts that have the same words in the same order; a text that is alone, or has no words, is ALONE."""
    places = np.arange(len(column.codes)) - np.repeat(column.offsets[:-1], column.lengths)
    # Sums of numbers that depend on word and place: different texts have equal sums too rarely to matter.
    mixed = derive_numbers(derive_numbers(column.codes.astype(np.uint64), 0), places)
    filled = np.flatnonzero(column.lengths)
    sums = np.zeros(len(column.lengths), dtype=np.uint64)
    if len(filled):
        sums[filled] = np.add.reduceat(mixed, column.offsets[filled])
    return number_shared_values(sums, column.lengths > 0)


def number_shared_values(values: npt.NDArray[np.integer], known: Flags) -> Numbers:
    """Number the values that several rows have, among the known ones; all others are ALONE."""
    numbers = np.full(len(values), ALONE, dtype=np.int64)
    _, inverse, times = np.unique(values[known], return_inverse=True, return_counts=True)
    shared = times > 1
    renumbered = np.where(shared, np.cumsum(shared) - 1, ALONE)
    numbers[known] = renumbered[inverse]
    return numbers
