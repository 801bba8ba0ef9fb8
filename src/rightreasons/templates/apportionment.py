"""How many pairs of a sample each of its parts gets, and in which order.

Elementary float arithmetic only, so that a sample is the same on every machine.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

_LOG_TERMS = 14
_SQRT_HALF = 0.7071067811865476
_LOG_2 = 0.6931471805599453


@dataclass(frozen=True)
class Lot:
    """A part of a sample: its weight, the pairs it has to give, and the pairs it is drawn from.

    `pool` is None where lots are drawn in proportion to their weights until they are used up. Else it is how many
    pairs a draw with replacement would have met, of which repeats are rejected: small lots then fall behind.
    `step` pairs at a time fall due together.
    """

    weight: Fraction | int
    room: int
    pool: int | None = None
    fresh: int | None = None
    step: int = 1

    @property
    def rate(self) -> float:
        """Return the weight as a number."""
        return float(self.weight)

    def due(self, seats: NDArray[np.int64]) -> NDArray[np.float64]:
        """Tell when each seat (0, 1, ...) of this lot falls due; the sample takes seats in this order."""
        begins = seats if self.step == 1 else seats - seats % self.step
        middle = begins.astype(np.float64) + 0.5 * self.step
        if self.pool is None:
            return middle / self.rate
        return _minus_log(1.0 - middle / float(self.fresh or self.pool)) * (float(self.pool) / self.rate)

    def due_at(self, seat: int) -> float:
        """Tell when one seat falls due."""
        if self.pool is None:
            return (seat - seat % self.step + 0.5 * self.step) / self.rate
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
    if total == 0:
        return [0 for _ in lots]
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
