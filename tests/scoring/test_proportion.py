"""Portions: Wilson's interval for pairs that stand alone, a wider one for pairs that belong together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from rightreasons.scoring.clustered_intervals import TOO_FEW_CLUSTERS
from rightreasons.scoring.intervals import wilson_interval
from rightreasons.scoring.proportion import (
    CLUSTERS,
    Proportion,
    compute_clustered_proportion,
    compute_proportion,
    sum_counts_by_cluster,
)
from rightreasons.scoring.sharing import WILSON


def test_of_nothing_there_is_no_share() -> None:
    assert compute_proportion(0, 0) == Proportion(0, 0, None, None)
    assert compute_proportion(0, 0).to_columns("x") == {"x": None, "x_low": None, "x_high": None}


def test_pairs_that_stand_alone_have_wilsons_interval() -> None:
    hits = pl.Series([True] * 30 + [False] * 10)
    low, high = wilson_interval(30, 40)
    for clusters in (None, pl.Series([None] * 40, dtype=pl.UInt64), pl.Series(range(40), dtype=pl.UInt64)):
        assert compute_clustered_proportion(hits, clusters) == Proportion(30, 40, float(low), float(high))


def test_pairs_that_say_the_same_tell_less() -> None:
    hits = pl.Series([True] * 300 + [False] * 100)
    copies = compute_clustered_proportion(hits, pl.Series(np.repeat(np.arange(100), 4)))
    alone = compute_proportion(300, 400)
    # Copies of four are worth a quarter as many pairs: twice as wide, give or take the draws.
    assert (copies.high - copies.low) / (alone.high - alone.low) == pytest.approx(2, rel=0.1)


def test_of_fewer_than_ten_clusters_nothing_is_learnt() -> None:
    hits = pl.Series([True, False] * 18)
    few = compute_clustered_proportion(hits, pl.Series(np.repeat(np.arange(9), 4)))
    assert replace(few, interval=WILSON) == compute_proportion(18, 36)
    assert few.interval == TOO_FEW_CLUSTERS
    assert compute_clustered_proportion(hits, pl.Series(np.repeat(np.arange(12), 3))).interval == CLUSTERS


def test_sums_count_equal_clusters_together_whatever_the_order() -> None:
    counts = pl.DataFrame({"n": [1] * 7, "hits": [1, 0, 1, 0, 1, 1, 0]})
    clusters = pl.Series([1, 1, 2, 2, None, None, 3])
    sums, times = sum_counts_by_cluster(counts, clusters)
    assert sums.tolist() == [[1, 0], [1, 1], [2, 1]]
    assert times.tolist() == [1, 2, 2]
    order = [6, 2, 4, 0, 5, 3, 1]
    again = sum_counts_by_cluster(counts[order], clusters.gather(order))
    assert again[0].tolist() == sums.tolist()
    assert again[1].tolist() == times.tolist()
