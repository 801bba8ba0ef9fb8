"""Seeded permutations of ranges, and how many pairs each part of a sample gets.

Integer and elementary float arithmetic only, so that a seed means the same rows on every machine; no generator of
numpy or of Python is used, for their streams are not a format.
"""

from __future__ import annotations

import hashlib
import heapq
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

_ROUNDS = 6
_SHUFFLED = 256
_BLOCK = 1 << 15
_LOG_TERMS = 14
_SQRT_HALF = 0.7071067811865476
_LOG_2 = 0.6931471805599453


class Permutation:
    """A permutation of 0 .. size-1 that a key determines, computed for any positions alone."""

    def __init__(self, size: int, *key: str | int) -> None:
        """Derive the round keys from the words of the key."""
        self.size = size
        text = "\x1f".join(str(word) for word in key)
        self.keys = hashlib.blake2b(text.encode(), digest_size=8 * _ROUNDS).digest()
        # The network permutes a grid of `high` by `low` places, hardly more than there are positions.
        self.high = math.isqrt(max(size, 1) - 1) + 1
        self.low = -(-size // self.high)

    def __call__(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return what stands at the given positions."""
        return permuted([self], np.zeros(len(positions), dtype=np.int64), positions)

    @property
    def words(self) -> _Words | None:
        """Return the arithmetic it takes; few positions are shuffled instead."""
        if self.size <= _SHUFFLED:
            return None
        return _NARROW if self.high < 1 << _NARROW.half_bits else _WIDE

    @property
    def order(self) -> NDArray[np.int64]:
        """Return all positions, shuffled."""
        key = np.frombuffer(self.keys, dtype="<u8")[0]
        return np.argsort(_WIDE.mixed(np.arange(self.size, dtype=np.uint64), key), kind="stable")


def permuted(
    permutations: Sequence[Permutation], which: NDArray[np.integer], positions: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return what stands at each position of the permutation that `which` tells for it."""
    words = [permutation.words for permutation in permutations]
    kinds = [kind for kind in (_NARROW, _WIDE) if kind in words]
    # The first kind is applied to all rows, what it has no say in is put right after: most sets have one kind.
    found = _Network(kinds[0], permutations)(which, positions) if kinds else np.empty_like(positions)
    for kind in (None, *kinds[1:]):
        mine = np.array([one is kind for one in words])
        if mine.any():
            rows = np.flatnonzero(mine[which])
            found[rows] = _other(kind, permutations, which[rows], positions[rows])
    return found


def _other(
    kind: _Words | None,
    permutations: Sequence[Permutation],
    which: NDArray[np.integer],
    positions: NDArray[np.int64],
) -> NDArray[np.int64]:
    if kind is not None:
        return _Network(kind, permutations)(which, positions)
    orders = [one.order if one.words is None else np.empty(0, np.int64) for one in permutations]
    starts = np.cumsum([0, *(len(order) for order in orders)])
    found: NDArray[np.int64] = np.concatenate(orders)[starts[which] + positions]
    return found


class _Network:
    """Six turns of one side of a grid by a hash of the other, for many permutations at once."""

    def __init__(self, words: _Words, permutations: Sequence[Permutation]) -> None:
        self.words = words
        own = [one if one.words is words else None for one in permutations]
        self.high = np.array([one.high if one else 1 for one in own], dtype=words.kind)
        self.low = np.array([one.low if one else 1 for one in own], dtype=words.kind)
        most = np.iinfo(words.kind).max
        self.sizes = np.array([one.size if one else most for one in own], dtype=words.kind)
        keys = np.frombuffer(b"".join(one.keys for one in permutations), dtype="<u8")
        self.keys = np.ascontiguousarray(keys.reshape(-1, _ROUNDS).T.astype(words.kind))

    def __call__(self, which: NDArray[np.integer], positions: NDArray[np.int64]) -> NDArray[np.int64]:
        found = np.empty(len(positions), dtype=np.int64)
        for start in range(0, len(positions), _BLOCK):
            block = slice(start, start + _BLOCK)
            found[block] = self._walked(which[block], positions[block].astype(self.words.kind))
        return found

    def _walked(
        self, which: NDArray[np.integer], values: NDArray[np.unsignedinteger]
    ) -> NDArray[np.unsignedinteger]:
        found = self._once(which, values)
        # Walking on from what lies outside the range stays a permutation.
        outside = np.flatnonzero(found >= self.sizes[which])
        while len(outside):
            found[outside] = self._once(which[outside], found[outside])
            outside = outside[found[outside] >= self.sizes[which[outside]]]
        return found

    def _once(
        self, which: NDArray[np.integer], values: NDArray[np.unsignedinteger]
    ) -> NDArray[np.unsignedinteger]:
        width, height = self.low[which], self.high[which]
        high: NDArray[np.unsignedinteger] = values // width
        low = values - high * width
        for number, keys in enumerate(self.keys):
            if number % 2:
                low = self.words.turned(low, high, keys[which], width)
            else:
                high = self.words.turned(high, low, keys[which], height)
        high *= width
        high += low
        return high


class _Words:
    """Arithmetic on unsigned words of one width: narrow ones are faster, wide ones reach further."""

    def __init__(self, kind: type[np.unsignedinteger], first: int, second: int) -> None:
        self.kind = kind
        self.half_bits = np.iinfo(kind).bits // 2
        self.half = kind(self.half_bits)
        self.first = kind(first)
        self.second = kind(second)

    def mixed(
        self, values: NDArray[np.unsignedinteger], key: NDArray[np.unsignedinteger] | np.unsignedinteger
    ) -> NDArray[np.unsignedinteger]:
        """Hash values to half a word under a key."""
        mixed = values ^ key
        mixed *= self.first
        mixed ^= mixed >> self.half
        mixed *= self.second
        mixed >>= self.half
        return mixed

    def turned(
        self,
        values: NDArray[np.unsignedinteger],
        by: NDArray[np.unsignedinteger],
        key: NDArray[np.unsignedinteger],
        size: NDArray[np.unsignedinteger],
    ) -> NDArray[np.unsignedinteger]:
        """Add to values below `size` a hash of others, and come round again past the end."""
        turned = self.mixed(by, key)
        turned *= size
        turned >>= self.half
        turned += values
        # Below the size the subtraction wraps to a huge number, and the minimum keeps the sum.
        np.minimum(turned, turned - size, out=turned)
        return turned


_NARROW = _Words(np.uint32, 0x9E3779B1, 0x85EBCA6B)
_WIDE = _Words(np.uint64, 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93)


@dataclass(frozen=True)
class Lot:
    """A part of a sample: its weight, the pairs it has to give, and the pairs it is drawn from.

    `pool` is None where lots are drawn in proportion to their weights until they are used up. Else it is how many
    pairs a draw with replacement would have met, of which repeats are rejected: small lots then fall behind.
    """

    weight: Fraction | int
    room: int
    pool: int | None = None
    fresh: int | None = None

    @property
    def rate(self) -> float:
        """Return the weight as a number."""
        return float(self.weight)

    def due(self, seats: NDArray[np.int64]) -> NDArray[np.float64]:
        """Tell when each seat (0, 1, ...) of this lot falls due; the sample takes seats in this order."""
        middle = seats.astype(np.float64) + 0.5
        if self.pool is None:
            return middle / self.rate
        return _minus_log(1.0 - middle / float(self.fresh or self.pool)) * (float(self.pool) / self.rate)

    def due_at(self, seat: int) -> float:
        """Tell when one seat falls due."""
        if self.pool is None:
            return (seat + 0.5) / self.rate
        return float(self.due(np.array([seat]))[0])

    def about(self, moment: float) -> float:
        """Estimate how many seats are due by a moment."""
        if self.pool is None:
            return min(self.room, self.rate * moment)
        return min(self.room, (self.fresh or self.pool) * -math.expm1(-self.rate * moment / self.pool))

    def before(self, moment: float) -> int:
        """Count the seats that are due by a moment."""
        seat = min(self.room, int(self.about(moment) + 0.5))
        while seat < self.room and self.due_at(seat) <= moment:
            seat += 1
        while seat and self.due_at(seat - 1) > moment:
            seat -= 1
        return seat


def quotas(lots: Sequence[Lot], total: int) -> list[int]:
    """Give each lot its number among the first `total` seats; none shrinks when the total grows."""
    if total >= sum(lot.room for lot in lots):
        return [lot.room for lot in lots]
    moment = _moment(lots, total)
    seats = [lot.before(moment) for lot in lots]
    while (missing := total - sum(seats)) > 0:
        ahead = [
            (lot.due_at(seat), n)
            for n, (lot, seat) in enumerate(zip(lots, seats, strict=True))
            if seat < lot.room
        ]
        heapq.heapify(ahead)
        for _ in range(missing):
            _, number = heapq.heappop(ahead)
            seats[number] += 1
            if seats[number] < lots[number].room:
                heapq.heappush(ahead, (lots[number].due_at(seats[number]), number))
    while sum(seats) > total:
        _, last = max((lot.due_at(seats[n] - 1), n) for n, lot in enumerate(lots) if seats[n])
        seats[last] -= 1
    return seats


def in_due_order(lots: Sequence[Lot], start: int, stop: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return, for the seats `start` to `stop` of a sample, the lot of each and its number in that lot."""
    first, last = quotas(lots, start), quotas(lots, stop)
    seats = [np.arange(low, high) for low, high in zip(first, last, strict=True)]
    numbers = np.repeat(np.arange(len(lots)), [len(part) for part in seats])
    due = np.concatenate([lot.due(part) for lot, part in zip(lots, seats, strict=True)])
    order = np.argsort(due, kind="stable")
    return numbers[order], np.concatenate(seats)[order]


def _moment(lots: Sequence[Lot], total: int) -> float:
    """Find about when `total` seats are due; what it is off by is mended seat by seat."""
    high = total / sum(lot.rate for lot in lots)
    if all(lot.pool is None and lot.about(high) < lot.room for lot in lots):
        return high
    while sum(lot.about(high) for lot in lots) < total:
        high *= 2
    low = 0.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if sum(lot.about(middle) for lot in lots) < total else (low, middle)
    return low


def _minus_log(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Take the negative logarithm by a series: library logarithms differ in their last bit between machines."""
    parts, powers = np.frexp(values)
    small = parts < _SQRT_HALF
    parts = np.where(small, parts * 2.0, parts)
    powers = powers - small
    ratio = (parts - 1.0) / (parts + 1.0)
    square = ratio * ratio
    series = np.full_like(ratio, 1.0 / (2 * _LOG_TERMS + 1))
    for term in reversed(range(_LOG_TERMS)):
        series = series * square + 1.0 / (2 * term + 1)
    return -(powers * _LOG_2 + 2.0 * ratio * series)
