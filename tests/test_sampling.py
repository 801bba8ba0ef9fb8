"""Permutations by key, and shares of a sample: bijections, pinned values, order by hand."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rightreasons.templates.apportionment import Lot, _minus_log, in_due_order, quotas
from rightreasons.templates.permutation import Permutation, permuted

if TYPE_CHECKING:
    from collections.abc import Sequence

# Where the width of the words that a permutation computes with changes.
EDGES = [65_535**2, 65_535**2 + 1, 2**32 - 1, 2**32, 2**32 + 15]
LARGE = [65_537, 1_000_003, 2**31 - 1, 1_174_118_400, *EDGES, 2**40 + 1, 3**37, 2**61 - 1, 2**62]
# What stands at the first positions; a change here changes every generated set, and so needs new versions.
PINNED = {
    (1, "a"): [0],
    (10, "a"): [2, 7, 1, 8, 3, 5],
    (10, "b"): [0, 8, 6, 9, 2, 3],
    (256, "hans"): [159, 197, 248, 178, 67, 107],
    (257, "hans"): [91, 143, 100, 78, 66, 112],
    (1000, "hans"): [403, 15, 195, 135, 870, 457],
    (1_174_118_400, "hans"): [713492488, 1038459146, 56084499, 955490145, 1123963309, 818518978],
    (2**62, "hans"): [
        999588330840756262,
        1787931405041522599,
        494838822356667733,
        2257057431535404171,
        4074962910957045533,
        4590743884302527152,
    ],
}


def test_a_permutation_is_a_bijection_for_every_small_size() -> None:
    for size in range(1, 2001):
        found = Permutation(size, "key", size)(np.arange(size))
        assert np.array_equal(np.sort(found), np.arange(size)), size


@pytest.mark.parametrize("size", LARGE)
def test_a_permutation_of_a_large_range_is_injective(size: int) -> None:
    positions = np.unique(np.random.default_rng(size).integers(0, size, 50_000))
    ends = np.array([0, 1, size - 2, size - 1])
    positions = np.unique(np.concatenate([positions, ends, np.arange(10_000)]))
    found = Permutation(size, "key")(positions)
    assert len(np.unique(found)) == len(positions)
    assert found.min() >= 0
    assert found.max() < size


@pytest.mark.parametrize("size", [200, 1000, 2**40 + 1])
def test_a_permutation_looks_even(size: int) -> None:
    """Count what the first half of the positions meets, in eight parts of the range."""
    places = np.arange(min(size, 100_000) // 2)
    found = Permutation(size, "even")(places)
    counts = np.bincount((found.astype(object) * 8 // size).astype(np.int64), minlength=8)
    expected = len(places) / 8
    assert ((counts - expected) ** 2 / expected).sum() < 40  # 7 degrees of freedom: p about 1e-6


@pytest.mark.parametrize("size", [50, 257, 10**6])
def test_the_key_decides(size: int) -> None:
    places = np.arange(50)
    keys = [("a",), ("b",), ("a", 1), ("a", "1", ""), ("a", 2), ("",)]
    found = {tuple(Permutation(size, *key)(places).tolist()) for key in keys}
    assert len(found) == len(keys)
    assert np.array_equal(Permutation(size, "a", 1)(places), Permutation(size, "a", "1")(places))


@pytest.mark.parametrize(("size", "key"), list(PINNED))
def test_permutations_are_the_ones_they_were(size: int, key: str) -> None:
    assert Permutation(size, key)(np.arange(min(size, 6))).tolist() == PINNED[size, key]


@settings(deadline=None)
@given(st.integers(1, 5000), st.data())
def test_positions_are_computed_alone(size: int, data: st.DataObject) -> None:
    permutation = Permutation(size, "alone")
    whole = permutation(np.arange(size))
    some = data.draw(st.lists(st.integers(0, size - 1), max_size=20))
    positions = np.array(some, dtype=np.int64)
    assert np.array_equal(permutation(positions), whole[positions])
    assert np.array_equal(positions, np.array(some, dtype=np.int64))  # the argument is left as it was


def test_an_empty_range_has_an_empty_permutation() -> None:
    assert Permutation(0, "key")(np.arange(0)).tolist() == []


@st.composite
def lots(draw: st.DrawFn) -> list[Lot]:
    found = []
    for _ in range(draw(st.integers(1, 5))):
        weight = draw(st.fractions(Fraction(1, 50), 50, max_denominator=50) | st.just(Fraction(1)))
        room = draw(st.integers(0, 40))
        pool = draw(st.none() | st.integers(max(room, 1), 100))
        fresh = draw(st.sampled_from([None, max(room, 1), pool])) if pool is not None else None
        found.append(Lot(weight, room, pool, fresh))
    return found


def by_hand(parts: Sequence[Lot]) -> list[tuple[int, int]]:
    """Sort all seats by when they are due, the earlier lot first where two are due at once."""
    seats = [(lot.due_at(seat), n, seat) for n, lot in enumerate(parts) for seat in range(lot.room)]
    return [(n, seat) for _, n, seat in sorted(seats)]


@settings(deadline=None, max_examples=80)
@given(lots())
def test_quotas_are_the_first_seats_in_due_order(parts: list[Lot]) -> None:
    order = by_hand(parts)
    before = [0] * len(parts)
    for total in range(len(order) + 1):
        shares = quotas(parts, total)
        assert sum(shares) == total
        assert shares == [sum(n == lot for n, _ in order[:total]) for lot in range(len(parts))]
        assert all(low <= high for low, high in zip(before, shares, strict=True))
        before = shares
    assert quotas(parts, len(order) + 7) == [lot.room for lot in parts]


@settings(deadline=None, max_examples=120)
@given(lots(), st.data())
def test_any_range_in_due_order_is_that_of_the_whole(parts: list[Lot], data: st.DataObject) -> None:
    order = by_hand(parts)
    start = data.draw(st.integers(0, len(order)))
    stop = data.draw(st.integers(start, len(order)))
    which, seats = in_due_order(parts, start, stop)
    assert list(zip(which.tolist(), seats.tolist(), strict=True)) == order[start:stop]


def test_shares_are_in_proportion_until_a_lot_is_used_up() -> None:
    parts = [Lot(Fraction(1), 1000), Lot(Fraction(2), 1000), Lot(Fraction(3), 60)]
    assert quotas(parts, 60) == [10, 20, 30]
    assert quotas(parts, 120) == [20, 40, 60]
    assert quotas(parts, 360) == [100, 200, 60]


def test_small_lots_fall_behind_where_repeats_are_rejected() -> None:
    parts = [Lot(Fraction(1), 10**9, 10**9), Lot(Fraction(1), 1000, 1000)]
    drawn = quotas(parts, 2000)
    assert drawn[1] == pytest.approx(1000 * (1 - math.exp(-drawn[0] / 1000)), abs=2)


def test_quotas_of_many_pairs_are_quick_and_exact() -> None:
    parts = [Lot(Fraction(n, 7), 10**12) for n in range(1, 100)]
    shares = quotas(parts, 10**11)
    assert sum(shares) == 10**11
    whole = sum(range(1, 100))
    assert all(abs(share - 10**11 * n / whole) <= 1 for n, share in enumerate(shares, start=1))


@settings(deadline=None)
@given(st.lists(st.floats(1e-300, 1.0, allow_nan=False), min_size=1, max_size=50))
def test_the_logarithm_is_close_to_the_library_s(values: list[float]) -> None:
    found = _minus_log(np.array(values))
    expected = [-math.log(value) for value in values]
    assert found.tolist() == pytest.approx(expected, rel=1e-13, abs=1e-15)


def test_the_logarithm_never_falls() -> None:
    values = np.linspace(1.0, 1e-6, 100_001)
    assert (np.diff(_minus_log(values)) > 0).all()


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.sampled_from([1, 2, 200, 256, 257, 5000, *EDGES]), st.integers(0, 3)), min_size=1),
    st.data(),
)
def test_many_permutations_at_once_are_each_alone(parts: list[tuple[int, int]], data: st.DataObject) -> None:
    permutations = [Permutation(size, "many", key) for size, key in parts]
    which = np.array(data.draw(st.lists(st.integers(0, len(parts) - 1), max_size=30)), dtype=np.int16)
    positions = np.array([data.draw(st.integers(0, parts[n][0] - 1)) for n in which], dtype=np.int64)
    alone = [int(permutations[n](positions[i : i + 1])[0]) for i, n in enumerate(which)]
    assert permuted(permutations, which, positions).tolist() == alone
