"""Seeded permutations of ranges, computed at any position alone.

Integer arithmetic only, so that a seed means the same rows on every machine; no generator of
numpy or of Python is used, for their streams are not a format.
"""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING

import numpy as np

from rightreasons.core.keyed_random import join_fields

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_ROUNDS = 6
_SHUFFLED = 256
_BLOCK = 1 << 15


class Permutation:
    """A permutation of 0 .. size-1 that a key determines, computed for any positions alone."""

    def __init__(self, size: int, *key: str | int) -> None:
        """Derive the round keys from the words of the key."""
        self.size = size
        self.keys = hashlib.blake2b(join_fields(key).encode(), digest_size=8 * _ROUNDS).digest()
        # The network permutes a grid of `high` by `low` places, hardly more than there are positions.
        self.high = math.isqrt(max(size, 1) - 1) + 1
        self.low = -(-size // self.high)

    def __call__(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return what stands at the given positions."""
        return apply_permutations([self], np.zeros(len(positions), dtype=np.int64), positions)

    @property
    def word_arithmetic(self) -> _WordArithmetic | None:
        """Return the arithmetic it takes; few positions are shuffled instead."""
        if self.size <= _SHUFFLED:
            return None
        return _NARROW if self.high < 1 << _NARROW.half_bits else _WIDE

    @property
    def shuffled_order(self) -> NDArray[np.int64]:
        """Return all positions, shuffled."""
        key = np.frombuffer(self.keys, dtype="<u8")[0]
        # Nothing to permute still takes a place, for those who look up all rows before they choose.
        places = np.arange(max(self.size, 1), dtype=np.uint64)
        return np.argsort(_WIDE.hash_values(places, key), kind="stable")


def apply_permutations(
    permutations: Sequence[Permutation], which: NDArray[np.integer], positions: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return what stands at each position of the permutation that `which` tells for it."""
    words = [permutation.word_arithmetic for permutation in permutations]
    kinds = [kind for kind in (_NARROW, _WIDE) if kind in words]
    # The first kind is applied to all rows, what it has no say in is put right after: most sets have one kind.
    permuted = (
        _FeistelNetwork(kinds[0], permutations)(which, positions) if kinds else np.empty_like(positions)
    )
    for kind in (None, *kinds[1:]):
        mine = np.array([one is kind for one in words])
        if mine.any():
            rows = np.flatnonzero(mine[which])
            permuted[rows] = _permute_other_kind(kind, permutations, which[rows], positions[rows])
    return permuted


def _permute_other_kind(
    kind: _WordArithmetic | None,
    permutations: Sequence[Permutation],
    which: NDArray[np.integer],
    positions: NDArray[np.int64],
) -> NDArray[np.int64]:
    if kind is not None:
        return _FeistelNetwork(kind, permutations)(which, positions)
    orders = [
        one.shuffled_order if one.word_arithmetic is None else np.empty(0, np.int64) for one in permutations
    ]
    starts = np.cumsum([0, *(len(order) for order in orders)])
    permuted: NDArray[np.int64] = np.concatenate(orders)[starts[which] + positions]
    return permuted


class _FeistelNetwork:
    """Six turns of one side of a grid by a hash of the other, for many permutations at once."""

    def __init__(self, words: _WordArithmetic, permutations: Sequence[Permutation]) -> None:
        self.words = words
        own = [one if one.word_arithmetic is words else None for one in permutations]
        self.high = np.array([one.high if one else 1 for one in own], dtype=words.kind)
        self.low = np.array([one.low if one else 1 for one in own], dtype=words.kind)
        most = np.iinfo(words.kind).max
        self.sizes = np.array([one.size if one else most for one in own], dtype=words.kind)
        keys = np.frombuffer(b"".join(one.keys for one in permutations), dtype="<u8")
        self.keys = np.ascontiguousarray(keys.reshape(-1, _ROUNDS).T.astype(words.kind))

    def __call__(self, which: NDArray[np.integer], positions: NDArray[np.int64]) -> NDArray[np.int64]:
        permuted = np.empty(len(positions), dtype=np.int64)
        for start in range(0, len(positions), _BLOCK):
            block = slice(start, start + _BLOCK)
            permuted[block] = self._walk_cycle(which[block], positions[block].astype(self.words.kind))
        return permuted

    def _walk_cycle(
        self, which: NDArray[np.integer], values: NDArray[np.unsignedinteger]
    ) -> NDArray[np.unsignedinteger]:
        permuted = self._run_feistel_rounds(which, values)
        # Walking on from what lies outside the range stays a permutation.
        outside = np.flatnonzero(permuted >= self.sizes[which])
        while len(outside):
            permuted[outside] = self._run_feistel_rounds(which[outside], permuted[outside])
            outside = outside[permuted[outside] >= self.sizes[which[outside]]]
        return permuted

    def _run_feistel_rounds(
        self, which: NDArray[np.integer], values: NDArray[np.unsignedinteger]
    ) -> NDArray[np.unsignedinteger]:
        width, height = self.low[which], self.high[which]
        high: NDArray[np.unsignedinteger] = values // width
        low = values - high * width
        for number, keys in enumerate(self.keys):
            if number % 2:
                low = self.words.add_hash_modulo(low, high, keys[which], width)
            else:
                high = self.words.add_hash_modulo(high, low, keys[which], height)
        high *= width
        high += low
        return high


class _WordArithmetic:
    """Arithmetic on unsigned words of one width: narrow ones are faster, wide ones reach further."""

    def __init__(self, kind: type[np.unsignedinteger], first: int, second: int) -> None:
        self.kind = kind
        self.half_bits = np.iinfo(kind).bits // 2
        self.half = kind(self.half_bits)
        self.first = kind(first)
        self.second = kind(second)

    def hash_values(
        self, values: NDArray[np.unsignedinteger], key: NDArray[np.unsignedinteger] | np.unsignedinteger
    ) -> NDArray[np.unsignedinteger]:
        """Hash values to half a word under a key."""
        mixed = values ^ key
        mixed *= self.first
        mixed ^= mixed >> self.half
        mixed *= self.second
        mixed >>= self.half
        return mixed

    def add_hash_modulo(
        self,
        values: NDArray[np.unsignedinteger],
        by: NDArray[np.unsignedinteger],
        key: NDArray[np.unsignedinteger],
        size: NDArray[np.unsignedinteger],
    ) -> NDArray[np.unsignedinteger]:
        """Add to values below `size` a hash of others, and come round again past the end."""
        turned = self.hash_values(by, key)
        turned *= size
        turned >>= self.half
        turned += values
        # Below the size the subtraction wraps to a huge number, and the minimum keeps the sum.
        np.minimum(turned, turned - size, out=turned)
        return turned


_NARROW = _WordArithmetic(np.uint32, 0x9E3779B1, 0x85EBCA6B)
_WIDE = _WordArithmetic(np.uint64, 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93)
