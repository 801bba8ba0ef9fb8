"""Spearman's rank correlation, against scipy and against permutations that can be counted."""

from __future__ import annotations

from itertools import permutations
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rightreasons.scoring.rank_correlation import compute_rank_correlation

VALUES = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=4, max_size=25)


@given(VALUES)
def test_rho_equals_scipy_with_ties(pairs: list[tuple[int, int]]) -> None:
    first, second = zip(*pairs, strict=True)
    found = compute_rank_correlation(first, second)
    if len(set(first)) == 1 or len(set(second)) == 1:
        assert found is None
        return
    assert found is not None
    assert found.rho == pytest.approx(stats.spearmanr(first, second).statistic, abs=1e-12)
    assert -1 <= found.low <= found.rho <= found.high <= 1
    assert 0 < found.p <= 1


def test_p_equals_the_share_of_all_permutations() -> None:
    first, second = [1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 6, 5]
    found = compute_rank_correlation(first, second)
    assert found is not None
    as_strong = sum(
        abs(stats.spearmanr(first, order).statistic) >= found.rho - 1e-9 for order in permutations(second)
    )
    assert found.p == pytest.approx(as_strong / factorial(6), abs=0.003)


def test_the_interval_is_that_of_bonett_and_wright() -> None:
    first = list(range(12))
    second = [0, 2, 1, 3, 5, 4, 6, 8, 7, 9, 11, 10]
    found = compute_rank_correlation(first, second)
    assert found is not None
    around = 1.959964 * np.sqrt((1 + found.rho**2 / 2) / 9)
    assert found.low == pytest.approx(np.tanh(np.arctanh(found.rho) - around))
    assert found.n == 12


def test_a_perfect_correlation_and_too_few_values() -> None:
    found = compute_rank_correlation([1, 2, 3, 4, 5], [5, 4, 3, 2, 1])
    assert found is not None
    assert (found.rho, found.low, found.high) == (pytest.approx(-1), pytest.approx(-1), pytest.approx(-1))
    assert compute_rank_correlation([1, 2, 3], [1, 2, 3]) is None


def test_the_same_seed_gives_the_same_p() -> None:
    first, second = [3, 1, 4, 1, 5, 9, 2, 6], [2, 7, 1, 8, 2, 8, 1, 8]
    assert compute_rank_correlation(first, second) == compute_rank_correlation(first, second)
