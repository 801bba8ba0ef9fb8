"""L-BFGS reaches the minimum of convex costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from rightreasons.scoring.minimization import minimize_cost

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SCALES = np.array([1.0, 30.0, 1000.0])
MINIMUM = np.array([1.0, -2.0, 3.0])


def compute_quadratic_cost(at: Floats) -> tuple[float, Floats]:
    away = at - MINIMUM
    return float(SCALES @ away**2) / 2, SCALES * away


def test_the_minimum_of_a_badly_scaled_cost_is_found() -> None:
    assert minimize_cost(compute_quadratic_cost, np.zeros(3), 100) == pytest.approx(MINIMUM, abs=1e-4)


def test_a_steep_cost_does_not_overshoot() -> None:
    def compute_cost(at: Floats) -> tuple[float, Floats]:
        return float((at**4 + at**2).sum()), 4 * at**3 + 2 * at

    assert minimize_cost(compute_cost, np.array([8.0, -3.0]), 100) == pytest.approx(np.zeros(2), abs=1e-4)


def test_the_minimum_is_not_left() -> None:
    assert (minimize_cost(compute_quadratic_cost, MINIMUM, 10) == MINIMUM).all()


def test_steps_are_limited() -> None:
    start = compute_quadratic_cost(np.zeros(3))[0]
    costs = [
        compute_quadratic_cost(minimize_cost(compute_quadratic_cost, np.zeros(3), steps))[0]
        for steps in (0, 1, 3)
    ]
    assert costs[0] == start > costs[1] > costs[2] > 0
