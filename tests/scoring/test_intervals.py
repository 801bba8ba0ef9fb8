"""Wilson's interval and rounding."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rightreasons.core.formatting import round_half_up
from rightreasons.scoring.intervals import wilson_interval

COUNTS = st.integers(1, 100_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@settings(deadline=None)
@given(st.lists(COUNTS, min_size=1, max_size=10), st.sampled_from([0.9, 0.95, 0.99]))
def test_wilson_agrees_with_scipy(counts: list[tuple[int, int]], level: float) -> None:
    stats = pytest.importorskip("scipy.stats")
    low, high = wilson_interval([c for c, _ in counts], [n for _, n in counts], level)
    expected = [stats.binomtest(c, n).proportion_ci(level, method="wilson") for c, n in counts]
    assert np.allclose(low, [ends.low for ends in expected], rtol=0, atol=1e-12)
    assert np.allclose(high, [ends.high for ends in expected], rtol=0, atol=1e-12)


@settings(deadline=None)
@given(COUNTS)
def test_the_interval_holds_the_share_and_mirrors(count: tuple[int, int]) -> None:
    correct, n = count
    low, high = wilson_interval(correct, n)
    assert 0 <= low <= correct / n <= high <= 1
    assert wilson_interval(n - correct, n)[0] == pytest.approx(1 - high, abs=1e-12)


def test_ends_are_exact_and_nothing_is_unknown() -> None:
    assert wilson_interval(0, 7)[0] == 0
    assert wilson_interval(7, 7)[1] == 1
    assert np.isnan(wilson_interval([0], [0])).all()


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 10**6), st.integers(0, 6))
def test_rounding_is_decimal(correct: int, n: int, digits: int) -> None:
    with localcontext() as context:
        context.prec = 60
        exact = (Decimal(correct) / Decimal(n)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    assert round_half_up(Fraction(correct, n), digits) == f"{exact:f}"


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [
        (Fraction(965, 1000), 2, "0.97"),
        (Fraction(985, 1000), 2, "0.99"),
        (Fraction(1, 8), 2, "0.13"),
        (Fraction(-1, 8), 2, "-0.13"),
        (Fraction(-1, 1000), 2, "0.00"),
        (Fraction(5, 2), 0, "3"),
        (Fraction(1), 2, "1.00"),
    ],
)
def test_halves_go_away_from_zero(value: Fraction, digits: int, shown: str) -> None:
    assert round_half_up(value, digits) == shown
