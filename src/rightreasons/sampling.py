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
_FIRST = np.uint64(0x9E3779B97F4A7C15)
_SECOND = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)
_LOG_TERMS = 14
_SQRT_HALF = 0.7071067811865476
_LOG_2 = 0.6931471805599453


class Permutation:
    """A permutation of 0 .. size-1 that a key determines, computed for any positions alone."""

    def __init__(self, size: int, *key: str | int) -> None:
        """Derive the round keys from the words of the key."""
        self.size = size
        text = "\x1f".join(str(word) for word in key)
        drawn = hashlib.blake2b(text.encode(), digest_size=8 * _ROUNDS).digest()
        self.keys = np.frombuffer(drawn, dtype="<u8").astype(np.uint64)
        if size <= _SHUFFLED:
            self.order = np.argsort(_mixed(np.arange(size, dtype=np.uint64), self.keys[0]), kind="stable")
            return
        # The network permutes a grid of `high` by `low` places, hardly more than there are positions.
        self.high = np.uint64(math.isqrt(size - 1) + 1)
        self.low = np.uint64(-(-size // int(self.high)))

    def __call__(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return what stands at the given positions."""
        if self.size <= _SHUFFLED:
            return self.order[positions]
        found = self._network(positions.astype(np.uint64))
        # Walking on from what lies outside the range stays a permutation.
        outside = np.flatnonzero(found >= self.size)
        while len(outside):
            found[outside] = self._network(found[outside])
            outside = outside[found[outside] >= self.size]
        return found.astype(np.int64)

    def _network(self, values: NDArray[np.uint64]) -> NDArray[np.uint64]:
        high, low = np.divmod(values, self.low)
        for number, key in enumerate(self.keys):
            if number % 2:
                low = _turned(low, high, key, self.low)
            else:
                high = _turned(high, low, key, self.high)
        high *= self.low
        high += low
        return high


def _turned(
    values: NDArray[np.uint64], by: NDArray[np.uint64], key: np.uint64, size: np.uint64
) -> NDArray[np.uint64]:
    """Add to values below `size` a hash of others, and come round again past the end."""
    turned = _mixed(by, key)
    turned *= size
    turned >>= _HALF
    turned += values
    # Below the size the subtraction wraps to a huge number, and the minimum keeps the sum.
    return np.minimum(turned, turned - size, out=turned)


def _mixed(values: NDArray[np.uint64], key: np.uint64) -> NDArray[np.uint64]:
    """Hash values to 32 bits under a key."""
    mixed = values ^ key
    mixed *= _FIRST
    mixed ^= mixed >> _HALF
    mixed *= _SECOND
    mixed >>= _HALF
    return mixed


@dataclass(frozen=True)
class Lot:
    """A part of a sample: its weight, the pairs it has to give, and the pairs it is drawn from.

    `pool` is None where lots are drawn in proportion to their weights until they are used up. Else it is how many
    pairs a draw with replacement would have met, of which repeats are rejected: small lots then fall behind.
    """

    weight: Fraction
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
