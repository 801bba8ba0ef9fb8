"""Permutations by key: bijections, pinned values, positions computed alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rightreasons.templates.permutation import Permutation, apply_permutations

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
    assert apply_permutations(permutations, which, positions).tolist() == alone
