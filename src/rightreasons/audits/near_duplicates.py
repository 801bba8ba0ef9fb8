"""Near duplicates among many texts: texts that share at least four in five of their shingles. None is missed.

A text of n shingles that has a near duplicate shares one of its n // 5 + 1 rarest shingles with it (prefix filter), is
not much longer or shorter, and has few bits of a small bitmap that the other lacks. What passes is compared exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rightreasons.language.shingles import (
    MOST_ROWS,
    ShingledColumn,
    build_shingles,
    compute_jaccard,
    list_shingles,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from rightreasons.language.shingles import Codes, Numbers

    Bitmaps = npt.NDArray[np.uint64]

THRESHOLD = Fraction(4, 5)  # of the shingles of both texts together, or of all texts of two pairs
SIDE_THRESHOLD = Fraction(1, 2)  # of the shingles of each text of a pair: another hypothesis is another pair
_BITMAP_BITS = 512
_MAX_CANDIDATES = 1 << 18  # candidates in memory
Texts = tuple[list[str], ...]  # one column of texts, or two that belong together


class Match(NamedTuple):
    """A text of ours with a near duplicate: both by their number, and how much they share."""

    ours: int
    theirs: int
    similarity: Fraction


@dataclass(frozen=True)
class _ShingledDocs:
    """Documents as shingles by rank, rarest first: sorted by document and rank, those that nobody knows left out."""

    doc: Numbers
    rank: Numbers
    n: Numbers  # shingles of each document, unknown ones too
    unknown: Numbers
    bits: Bitmaps

    def find_rarest_shingles(self) -> tuple[Numbers, Numbers, Numbers]:
        """Return documents and ranks of the rarest shingles, one of which a near duplicate must have, and their slack.

        The first shingle in common has others before it that are not: `slack` is below 0 where these are too many,
        or will be where that of the other document is added to it.
        """
        place = np.arange(len(self.doc)) - np.searchsorted(self.doc, np.arange(len(self.n)))[self.doc]
        place += self.unknown[self.doc]
        kept = place < (self.n - _compute_min_shared(self.n) + 1)[self.doc]
        doc = self.doc[kept]
        return doc, self.rank[kept], _compute_slack(place[kept], self.n[doc])


class NearDuplicateIndex:
    """An index of our texts, or of pairs of them, against which others are held batch by batch."""

    def __init__(self, texts: Texts) -> None:
        """Index the texts; each is found once at most, and then left alone."""
        self.texts = texts
        self.unmatched = np.ones(len(texts[0]), dtype=bool)
        self._ranks = _rank_shingles(texts)
        parts = [
            self._build_batch_docs([ShingledColumn(side[start : start + MOST_ROWS]) for side in texts])
            for start in _list_batch_starts(texts)
        ]
        shift = np.cumsum([0, *(len(part.n) for part in parts)])
        doc, rank, slack = zip(*(part.find_rarest_shingles() for part in parts), strict=True)
        self._owner = np.concatenate([own + at for own, at in zip(doc, shift, strict=False)])
        self._slack = np.concatenate(slack).astype(np.int32)
        self._n = np.concatenate([part.n for part in parts])
        self._bits = np.concatenate([part.bits for part in parts])
        # By rank and then by length, so that those of a rank that fit in length stand side by side.
        self._place = _pack_rank_and_length(np.concatenate(rank), self._n[self._owner])
        self._keep_index_entries(np.lexsort((self._owner, self._place)))

    def match(
        self,
        columns: Sequence[ShingledColumn],
        wanted: npt.NDArray[np.bool_],
        same: Numbers | None = None,
    ) -> Iterator[Match]:
        """Find which of our texts that are left have a near duplicate in the wanted rows, the first of them each.

        `same` is for texts that are held against themselves: for each row, which of ours it is, or -1.
        """
        for ours, theirs in self._find_candidates(self._build_batch_docs(columns), wanted):
            other = slice(None) if same is None else ours != same[theirs]
            yield from self._verify_candidates(columns, ours[other], theirs[other])
        self._keep_index_entries(self.unmatched[self._owner])

    def _find_candidates(
        self, docs: _ShingledDocs, wanted: npt.NDArray[np.bool_]
    ) -> Iterator[tuple[Numbers, Numbers]]:
        """Pair documents that share a rare shingle, fit in length, and whose bitmaps don't rule them out."""
        doc, rank, slack = docs.find_rarest_shingles()
        used = wanted[doc] & self._used[rank]
        doc, rank, slack = doc[used], rank[used], slack[used]
        low = np.searchsorted(self._place, _pack_rank_and_length(rank, _compute_min_shared(docs.n)[doc]))
        high = np.searchsorted(
            self._place, _pack_rank_and_length(rank, _compute_max_length(docs.n)[doc]), side="right"
        )
        count = high - low
        for block in _split_into_blocks(count):
            times = count[block]
            place = np.repeat((low[block] - np.cumsum(times) + times).astype(np.int32), times)
            place += np.arange(
                len(place), dtype=np.int32
            )  # half as wide as others: memory is what takes the time
            fits = np.flatnonzero(self._slack[place] + np.repeat(slack[block].astype(np.int32), times) >= 0)
            ours, theirs = self._owner[place[fits]], np.repeat(doc[block].astype(np.int32), times)[fits]
            apart = np.bitwise_count(self._bits[ours] ^ docs.bits[theirs]).sum(axis=1, dtype=np.int64)
            alike = _compute_slack(apart + docs.unknown[theirs], self._n[ours] + docs.n[theirs]) >= 0
            both = np.unique(ours[alike] * MOST_ROWS + theirs[alike]).astype(np.int64)
            yield both // MOST_ROWS, both % MOST_ROWS

    def _verify_candidates(
        self, columns: Sequence[ShingledColumn], ours: Numbers, theirs: Numbers
    ) -> Iterator[Match]:
        """Compare the texts themselves; of one of ours the first that is near is enough."""
        for own, other in zip(ours.tolist(), theirs.tolist(), strict=True):
            if self.unmatched[own]:
                share = compute_similarity(
                    [side[own] for side in self.texts], [side.texts[other] for side in columns]
                )
                if share >= THRESHOLD:
                    self.unmatched[own] = False
                    yield Match(own, other, share)

    def _build_batch_docs(self, columns: Sequence[ShingledColumn]) -> _ShingledDocs:
        doc, rank = [], []
        for column, codes in zip(columns, self._ranks, strict=True):
            known, at = _find_known_codes(column.shingles.code, codes.code)
            doc.append(column.shingles.row[known])
            rank.append(codes.rank[at[known]])
        n = np.sum([column.shingles.n for column in columns], axis=0)
        return _build_shingled_docs(np.concatenate(doc), np.concatenate(rank), n)

    def _keep_index_entries(self, kept: Numbers | npt.NDArray[np.bool_]) -> None:
        """Keep a part of the index, and note which ranks it has."""
        self._owner, self._place, self._slack = self._owner[kept], self._place[kept], self._slack[kept]
        self._used = np.zeros(sum(len(side.code) for side in self._ranks), dtype=bool)
        self._used[self._place >> np.int64(32)] = True


def compute_similarity(ours: Sequence[str], theirs: Sequence[str]) -> Fraction:
    """Compute the share of common shingles of two texts or pairs; 0 for pairs that differ in one of the texts."""
    own, other = [list_shingles(text) for text in ours], [list_shingles(text) for text in theirs]
    if len(ours) > 1 and min(compute_jaccard(a, b) for a, b in zip(own, other, strict=True)) < SIDE_THRESHOLD:
        return Fraction(0)
    return compute_jaccard(
        *(
            {(side, shingle) for side, shingles in enumerate(sets) for shingle in shingles}
            for sets in (own, other)
        )
    )


class _ShingleRanks(NamedTuple):
    """The shingles of our texts on one side, sorted, and how rare each is among all."""

    code: Codes
    rank: Numbers


def _rank_shingles(texts: Texts) -> list[_ShingleRanks]:
    """Rank the shingles of both sides together, rarest first; ties go by side and code."""
    counted = [_count_shingles(side) for side in texts]
    times = np.concatenate([times for _, times in counted])
    rank = np.empty(len(times), dtype=np.int64)
    rank[np.argsort(times, kind="stable")] = np.arange(len(times))
    cuts = np.cumsum([len(codes) for codes, _ in counted])[:-1]
    return [
        _ShingleRanks(codes, ranks) for (codes, _), ranks in zip(counted, np.split(rank, cuts), strict=True)
    ]


def _count_shingles(texts: list[str]) -> tuple[Codes, Numbers]:
    parts = [
        np.unique(build_shingles(texts[start : start + MOST_ROWS]).code, return_counts=True)
        for start in _list_batch_starts((texts,))
    ]
    codes, at = np.unique(np.concatenate([codes for codes, _ in parts]), return_inverse=True)
    times = np.bincount(at, weights=np.concatenate([times for _, times in parts]), minlength=len(codes))
    return codes, times.astype(np.int64)


def _find_known_codes(codes: Codes, known: Codes) -> tuple[npt.NDArray[np.bool_], Numbers]:
    """Find codes in a sorted list: which are there, and where."""
    if not len(known):
        return np.zeros(len(codes), dtype=bool), np.zeros(len(codes), dtype=np.int64)
    at = np.minimum(np.searchsorted(known, codes), len(known) - 1)
    return known[at] == codes, at


def _build_shingled_docs(doc: Numbers, rank: Numbers, n: Numbers) -> _ShingledDocs:
    both = np.sort(doc << np.int64(32) | rank)
    doc, rank = both >> np.int64(32), both & np.int64((1 << 32) - 1)
    unknown = n - np.bincount(doc, minlength=len(n))
    marks = np.zeros((len(n), _BITMAP_BITS), dtype=bool)
    marks[doc, (rank * 2_654_435_761 >> 13) % _BITMAP_BITS] = True
    return _ShingledDocs(doc, rank, n, unknown, np.packbits(marks, axis=1).view(np.uint64))


def _compute_min_shared(n: Numbers) -> Numbers:
    """Count the shingles that a near duplicate of a text of n has at least in common with it."""
    return -(-n * THRESHOLD.numerator // THRESHOLD.denominator)


def _compute_max_length(n: Numbers) -> Numbers:
    """Count the shingles that a near duplicate of a text of n has at most."""
    return n * THRESHOLD.denominator // THRESHOLD.numerator


def _pack_rank_and_length(rank: Numbers, n: Numbers) -> Numbers:
    """Put rank and length into one number that sorts by both."""
    return rank << np.int64(32) | n


def _compute_slack(apart: Numbers, n: Numbers) -> Numbers:
    """Compute the slack of two texts of n shingles in all; below 0, too many shingles are in only one of them."""
    more, less = THRESHOLD.denominator + THRESHOLD.numerator, THRESHOLD.denominator - THRESHOLD.numerator
    return n * less - apart * more


def _split_into_blocks(count: Numbers) -> Iterator[slice]:
    """Cut counts into runs whose sums fit the memory."""
    ends = np.cumsum(count)
    total = int(ends[-1]) if len(ends) else 0
    cuts = np.searchsorted(ends, np.arange(_MAX_CANDIDATES, total, _MAX_CANDIDATES)).tolist()
    for first, last in pairwise(sorted({0, *cuts, len(count)})):
        yield slice(first, last)


def _list_batch_starts(texts: Texts) -> range:
    return range(0, max(1, len(texts[0])), MOST_ROWS)
