"""Intervals of counts that come in clusters."""

from __future__ import annotations

import polars as pl
import pytest

from rightreasons.audits.verb_occurrences import add_count_interval
from rightreasons.scoring.intervals import wilson_interval


def interval(count: int, squares: int) -> tuple[float, float]:
    table = add_count_interval(pl.DataFrame({"count": [count], "squares": [squares]}))
    return table["count_low"][0], table["count_high"][0]


@pytest.mark.parametrize("count", [0, 1, 4, 50, 1_000])
def test_the_interval_is_the_limit_of_wilsons(count: int) -> None:
    n = 10**10
    low, high = wilson_interval(count, n)
    assert interval(count, count) == (pytest.approx(low * n, rel=1e-6), pytest.approx(high * n, rel=1e-6))


def test_clusters_count_as_fewer_occurrences() -> None:
    alone = interval(5, 5)
    # Five clusters of four: the interval of five, times four.
    assert interval(20, 5 * 16) == (pytest.approx(4 * alone[0]), pytest.approx(4 * alone[1]))
    assert interval(20, 80)[0] < interval(20, 20)[0]
