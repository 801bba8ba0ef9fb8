"""Proportions of pairs and of groups, with intervals that respect clusters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons.scoring.clustered_intervals import (
    TOO_FEW_CLUSTERS,
    ClusterLayer,
    compute_clustered_interval,
    count_distinct_rows,
    has_enough_clusters,
)
from rightreasons.scoring.intervals import wilson_interval
from rightreasons.scoring.sharing import WILSON

if TYPE_CHECKING:
    import numpy.typing as npt

    from rightreasons.scoring.sharing import Clusters

    Counts = npt.NDArray[np.int64]

LEVEL = 0.95
CLUSTERS = "clusters"


@dataclass(frozen=True)
class Proportion:
    """Hits out of n, and the interval of their share; of nothing there is no share."""

    hits: int
    n: int
    low: float | None
    high: float | None
    interval: str = WILSON  # which it is: also CLUSTERS, or TOO_FEW of them

    @property
    def share(self) -> float | None:
        """The share of the hits; None if there are no pairs."""
        return self.hits / self.n if self.n else None

    def to_columns(self, name: str) -> dict[str, float | None]:
        """Name share and interval as the columns of a table."""
        return {name: self.share, f"{name}_low": self.low, f"{name}_high": self.high}


@dataclass(frozen=True)
class Consistency:
    """How many groups are all correct, all wrong or mixed, and what independent predictions would give."""

    groups: int
    pairs: int
    right: Proportion  # of the groups
    mixed: Proportion
    wrong: Proportion
    expected_right: float
    expected_wrong: float


def compute_proportion(hits: int, n: int) -> Proportion:
    """Compute a proportion of independent things, with Wilson's interval."""
    if not n:
        return Proportion(hits, n, None, None)
    low, high = wilson_interval(hits, n)
    return Proportion(hits, n, float(low), float(high))


def compute_clustered_proportion(hits: pl.Series, clusters: Clusters | None = None) -> Proportion:
    """Compute a proportion of pairs, true or false for each, with an interval that respects clusters (null: none)."""
    plain = compute_proportion(int(hits.sum()), hits.len())
    if clusters is None or not plain.n:
        return plain
    table = pl.DataFrame(
        {"n": pl.repeat(1, hits.len(), dtype=pl.Int64, eager=True), "hits": hits.cast(pl.Int64)}
    )
    layers = build_cluster_layers(table, clusters)
    if all(layer.sums[:, 0].max() == 1 for layer in layers):
        return plain
    if not has_enough_clusters(layers):
        return replace(plain, interval=TOO_FEW_CLUSTERS)
    return Proportion(plain.hits, plain.n, *compute_clustered_interval(layers), CLUSTERS)


def build_cluster_layers(counts: pl.DataFrame, clusters: Clusters) -> list[ClusterLayer]:
    """Sum counts over the clusters of each column, the first of which counts the pairs."""
    several = clusters.to_frame("+") if isinstance(clusters, pl.Series) else clusters
    return [
        ClusterLayer(*sum_counts_by_cluster(counts, column), -1 if column.name.startswith("-") else 1)
        for column in several
    ]


def sum_counts_by_cluster(counts: pl.DataFrame, clusters: pl.Series) -> tuple[Counts, Counts]:
    """Sum counts over each cluster: the distinct rows of sums in their order, and how many clusters have each."""
    values: Counts = counts.to_numpy().astype(np.int64)
    alone = clusters.is_null().to_numpy()
    numbers = clusters.drop_nulls().rank("dense").to_numpy()
    # Weights are floats, which are exact for counts.
    summed = [np.bincount(numbers, weights=column)[1:] for column in values[~alone].T]
    rows = np.concatenate([values[alone], np.stack(summed, axis=1).astype(np.int64)])
    return count_distinct_rows(rows)


def measure_consistency(
    predictions: pl.DataFrame, groups: pl.Series, *, twins: bool = False
) -> Consistency | None:
    """Judge the groups of two and more pairs as wholes; None where there are none. Pairs without a group are left out.

    With `twins`, only groups whose pairs have different gold labels count: no constant prediction gets them right.
    Unrelated means that a pair is right as often as pairs of its gold label are, whatever the others of its group.
    """
    golds = sorted(predictions["gold"].unique())
    sums, times = sum_counts_by_cluster(
        _flag_gold_and_correct(predictions, golds), groups.hash().set(groups.is_null(), None)
    )
    pairs, right = sums[:, : len(golds)], sums[:, len(golds) :]
    kept = (pairs.sum(axis=1) > 1) & ((pairs > 0).sum(axis=1) > (1 if twins else 0))
    if not kept.any():
        return None
    pairs, right, times = pairs[kept], right[kept], times[kept]
    often = (times @ right) / np.maximum(times @ pairs, 1)
    n = int(times.sum())
    all_right, all_wrong = (right == pairs).all(axis=1), (right == 0).all(axis=1)
    return Consistency(
        groups=n,
        pairs=int((times @ pairs).sum()),
        right=compute_proportion(int(times[all_right].sum()), n),
        mixed=compute_proportion(int(times[~all_right & ~all_wrong].sum()), n),
        wrong=compute_proportion(int(times[all_wrong].sum()), n),
        expected_right=float(times @ np.prod(often**pairs, axis=1) / n),
        expected_wrong=float(times @ np.prod((1 - often) ** pairs, axis=1) / n),
    )


def _flag_gold_and_correct(predictions: pl.DataFrame, golds: list[str]) -> pl.DataFrame:
    """Flag each pair by its gold label, and by whether it is correct."""
    here = {gold: pl.col("gold") == gold for gold in golds}
    counted = [is_so.cast(pl.Int32).alias(f"n {gold}") for gold, is_so in here.items()]
    right = [(is_so & pl.col("right")).cast(pl.Int32).alias(f"right {gold}") for gold, is_so in here.items()]
    return predictions.select(*counted, *right)
