"""Apportionment of a sample to its strata: seats in the order in which they are due, checked by hand."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rightreasons.templates.apportionment import Stratum, _compute_negative_log, apportion_seats, order_seats

if TYPE_CHECKING:
    from collections.abc import Sequence


@st.composite
def strata(draw: st.DrawFn) -> list[Stratum]:
    found = []
    for _ in range(draw(st.integers(1, 5))):
        weight = draw(st.fractions(Fraction(1, 50), 50, max_denominator=50) | st.just(Fraction(1)))
        room = draw(st.integers(0, 40))
        pool = draw(st.none() | st.integers(max(room, 1), 100))
        fresh = draw(st.sampled_from([None, max(room, 1), pool])) if pool is not None else None
        found.append(Stratum(weight, room, pool, fresh))
    return found


def by_hand(parts: Sequence[Stratum]) -> list[tuple[int, int]]:
    """Sort all seats by when they are due, the earlier stratum first where two are due at once."""
    seats = [
        (stratum.compute_due_moment(seat), n, seat)
        for n, stratum in enumerate(parts)
        for seat in range(stratum.room)
    ]
    return [(n, seat) for _, n, seat in sorted(seats)]


@settings(deadline=None, max_examples=80)
@given(strata())
def test_quotas_are_the_first_seats_in_due_order(parts: list[Stratum]) -> None:
    order = by_hand(parts)
    before = [0] * len(parts)
    for total in range(len(order) + 1):
        shares = apportion_seats(parts, total)
        assert sum(shares) == total
        assert shares == [sum(n == stratum for n, _ in order[:total]) for stratum in range(len(parts))]
        assert all(low <= high for low, high in zip(before, shares, strict=True))
        before = shares
    assert apportion_seats(parts, len(order) + 7) == [stratum.room for stratum in parts]


@settings(deadline=None, max_examples=120)
@given(strata(), st.data())
def test_any_range_in_due_order_is_that_of_the_whole(parts: list[Stratum], data: st.DataObject) -> None:
    order = by_hand(parts)
    start = data.draw(st.integers(0, len(order)))
    stop = data.draw(st.integers(start, len(order)))
    which, seats = order_seats(parts, start, stop)
    assert list(zip(which.tolist(), seats.tolist(), strict=True)) == order[start:stop]


def test_shares_are_in_proportion_until_a_lot_is_used_up() -> None:
    parts = [Stratum(Fraction(1), 1000), Stratum(Fraction(2), 1000), Stratum(Fraction(3), 60)]
    assert apportion_seats(parts, 60) == [10, 20, 30]
    assert apportion_seats(parts, 120) == [20, 40, 60]
    assert apportion_seats(parts, 360) == [100, 200, 60]


def test_small_lots_fall_behind_where_repeats_are_rejected() -> None:
    parts = [Stratum(Fraction(1), 10**9, 10**9), Stratum(Fraction(1), 1000, 1000)]
    drawn = apportion_seats(parts, 2000)
    assert drawn[1] == pytest.approx(1000 * (1 - math.exp(-drawn[0] / 1000)), abs=2)


def test_quotas_of_many_pairs_are_quick_and_exact() -> None:
    parts = [Stratum(Fraction(n, 7), 10**12) for n in range(1, 100)]
    shares = apportion_seats(parts, 10**11)
    assert sum(shares) == 10**11
    whole = sum(range(1, 100))
    assert all(abs(share - 10**11 * n / whole) <= 1 for n, share in enumerate(shares, start=1))


@settings(deadline=None)
@given(st.lists(st.floats(1e-300, 1.0, allow_nan=False), min_size=1, max_size=50))
def test_the_logarithm_is_close_to_the_library_s(values: list[float]) -> None:
    found = _compute_negative_log(np.array(values))
    expected = [-math.log(value) for value in values]
    assert found.tolist() == pytest.approx(expected, rel=1e-13, abs=1e-15)


def test_the_logarithm_never_falls() -> None:
    values = np.linspace(1.0, 1e-6, 100_001)
    assert (np.diff(_compute_negative_log(values)) > 0).all()
