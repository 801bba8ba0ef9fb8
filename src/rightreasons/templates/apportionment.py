"""How many pairs of a sample each of its strata gets, and in which order: the divisor method of Webster (Sainte-Laguë).

The method apportions the seats of a parliament to parties by their votes. Here the seats are the rows of a sample, and
the parties are strata (sub-variants or subcases) with weights. Seat s (0, 1, ...) of a stratum falls due at
(s + 1/2) / weight, and a sample consists of the seats that fall due first. So a larger sample extends a smaller one,
and every stratum is within rounding of its exact share until it is used up.

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
class Stratum:
    """A part of a sample: its weight, and `room`, the number of pairs that it has.

    With `pool` None, strata are drawn in proportion to their weights until they are used up. Otherwise draws are with
    replacement from `pool` pairs and repeats are rejected, so small strata fall behind; `fresh` counts the pairs of the
    pool that were not drawn before. `step` pairs at a time fall due together.
    """

    weight: Fraction | float
    room: int
    pool: int | None = None
    fresh: int | None = None
    step: int = 1

    @property
    def float_weight(self) -> float:
        """Return the weight as a number."""
        return float(self.weight)

    def compute_due_moments(self, seats: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return when each seat (0, 1, ...) falls due: the inverse of its priority in Webster's method."""
        begins = seats if self.step == 1 else seats - seats % self.step
        middle = begins.astype(np.float64) + 0.5 * self.step
        if self.pool is None:
            return middle / self.float_weight
        return _compute_negative_log(1.0 - middle / float(self.fresh or self.pool)) * (
            float(self.pool) / self.float_weight
        )

    def compute_due_moment(self, seat: int) -> float:
        """Return when one seat falls due."""
        if self.pool is None:
            return (seat - seat % self.step + 0.5 * self.step) / self.float_weight
        return float(self.compute_due_moments(np.array([seat]))[0])

    def estimate_due_seats(self, moment: float) -> float:
        """Estimate the number of seats that are due by a moment."""
        if self.pool is None:
            return min(self.room, self.float_weight * moment)
        return min(
            self.room, (self.fresh or self.pool) * -math.expm1(-self.float_weight * moment / self.pool)
        )

    def count_due_seats(self, moment: float) -> int:
        """Count the seats that are due by a moment."""
        seat = min(self.room, int(self.estimate_due_seats(moment) + 0.5))
        while seat < self.room and self.compute_due_moment(seat) <= moment:
            seat += 1
        while seat and self.compute_due_moment(seat - 1) > moment:
            seat -= 1
        return seat


def apportion_seats(strata: Sequence[Stratum], total: int) -> list[int]:
    """Apportion the first `total` seats to the strata by Webster's method; no stratum shrinks when the total grows."""
    if total == 0:
        return [0 for _ in strata]
    if total >= sum(stratum.room for stratum in strata):
        return [stratum.room for stratum in strata]
    moment = _estimate_due_moment(strata, total)
    seats = [stratum.count_due_seats(moment) for stratum in strata]
    while (missing := total - sum(seats)) > 0:
        ahead = [
            (stratum.compute_due_moment(seat), n)
            for n, (stratum, seat) in enumerate(zip(strata, seats, strict=True))
            if seat < stratum.room
        ]
        heapq.heapify(ahead)
        for _ in range(missing):
            _, number = heapq.heappop(ahead)
            seats[number] += 1
            if seats[number] < strata[number].room:
                heapq.heappush(ahead, (strata[number].compute_due_moment(seats[number]), number))
    while sum(seats) > total:
        _, last = max(
            (stratum.compute_due_moment(seats[n] - 1), n) for n, stratum in enumerate(strata) if seats[n]
        )
        seats[last] -= 1
    return seats


def order_seats(
    strata: Sequence[Stratum], start: int, stop: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return, for the seats `start` to `stop` of a sample, the stratum of each and its number in that stratum."""
    first, last = apportion_seats(strata, start), apportion_seats(strata, stop)
    seats = [np.arange(low, high) for low, high in zip(first, last, strict=True)]
    numbers = np.repeat(np.arange(len(strata)), [len(part) for part in seats])
    due = np.concatenate(
        [stratum.compute_due_moments(part) for stratum, part in zip(strata, seats, strict=True)]
    )
    order = np.argsort(due, kind="stable")
    return numbers[order], np.concatenate(seats)[order]


def _estimate_due_moment(strata: Sequence[Stratum], total: int) -> float:
    """Estimate when `total` seats are due; the caller corrects the error seat by seat."""
    high = total / sum(stratum.float_weight for stratum in strata)
    if all(stratum.pool is None and stratum.estimate_due_seats(high) < stratum.room for stratum in strata):
        return high
    while sum(stratum.estimate_due_seats(high) for stratum in strata) < total:
        high *= 2
    low = 0.0
    for _ in range(50):
        middle = (low + high) / 2
        seats = sum(stratum.estimate_due_seats(middle) for stratum in strata)
        low, high = (middle, high) if seats < total else (low, middle)
    return low


def _compute_negative_log(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the negative logarithm by a series: library logarithms differ in their last bit between machines."""
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
