"""L-BFGS for smooth convex costs, without BLAS: the result does not depend on how many threads BLAS has."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Cost = Callable[[Floats], tuple[float, Floats]]

_MEMORY = 10  # earlier steps that the curvature is estimated from
_TOLERANCE = 1e-9  # of the cost; a step that gains less is the last
_DECREASE = 1e-4  # of what the slope promises, which a step must gain (Armijo)
_TRIALS = 20  # of a step's length


class _Point(NamedTuple):
    at: Floats
    cost: float
    slope: Floats


class _Change(NamedTuple):
    """What a step changed: the point and the slope, and the product of both."""

    at: Floats
    slope: Floats
    product: float


def minimize_cost(compute_cost: Cost, start: Floats, steps: int) -> Floats:
    """Minimize a convex cost, which is returned with its slope, in at most so many steps; deterministic."""
    point = _Point(start, *compute_cost(start))
    changes: deque[_Change] = deque(maxlen=_MEMORY)
    for _ in range(steps):
        new = _search_along(compute_cost, point, -_divide_by_curvature(point.slope, changes))
        if new is None:
            break
        change, gained = _Change(new.at - point.at, new.slope - point.slope, 0.0), point.cost - new.cost
        product = _multiply(change.at, change.slope)
        if product > 0:
            changes.append(change._replace(product=product))
        point = new
        if gained <= _TOLERANCE * max(abs(point.cost), 1.0):
            break
    return point.at


def _search_along(compute_cost: Cost, point: _Point, direction: Floats) -> _Point | None:
    """Shorten a step until it gains enough; None if none does, as at the minimum."""
    promised, length = _multiply(point.slope, direction), 1.0
    for _ in range(_TRIALS):
        at = point.at + length * direction
        new = _Point(at, *compute_cost(at))
        above = new.cost - point.cost - length * promised
        if new.cost <= point.cost + _DECREASE * length * promised:
            return new
        # To the minimum of the parabola through both costs and the slope.
        length *= float(np.clip(-length * promised / (2 * above), 0.1, 0.5))
    return None


def _divide_by_curvature(slope: Floats, changes: deque[_Change]) -> Floats:
    """Multiply the slope by the inverse of the estimated Hessian (Nocedal's two loops)."""
    result, weights = slope.copy(), []
    for change in reversed(changes):
        weights.append(_multiply(change.at, result) / change.product)
        result -= weights[-1] * change.slope
    if changes:
        last = changes[-1]
        result *= last.product / _multiply(last.slope, last.slope)
    for change, weight in zip(changes, reversed(weights), strict=True):
        result += (weight - _multiply(change.slope, result) / change.product) * change.at
    return result


def _multiply(one: Floats, other: Floats) -> float:
    """Return the scalar product."""
    return float(np.einsum("i,i->", one, other))
