"""A portion: so many of so many, with the interval that is due to pairs that belong together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.scoring.clusters import TOO_FEW, Layer, has_enough_clusters, share_interval
from rightreasons.scoring.intervals import wilson
from rightreasons.scoring.sharing import WILSON

if TYPE_CHECKING:
    import numpy as np
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
        """Give the share of the hits."""
        return self.hits / self.n if self.n else None

    def columns(self, name: str) -> dict[str, float | None]:
        """Name share and interval as the columns of a table."""
        return {name: self.share, f"{name}_low": self.low, f"{name}_high": self.high}


def proportion_of_counts(hits: int, n: int) -> Proportion:
    """Take a portion of things that stand alone: the interval is Wilson's."""
    if not n:
        return Proportion(hits, n, None, None)
    low, high = wilson(hits, n)
    return Proportion(hits, n, float(low), float(high))


def proportion_of_pairs(hits: pl.Series, clusters: Clusters | None = None) -> Proportion:
    """Take a portion of pairs, yes or no for each; those of one cluster (null: alone) tell less than others."""
    plain = proportion_of_counts(int(hits.sum()), hits.len())
    if clusters is None or not plain.n:
        return plain
    table = pl.DataFrame(
        {"n": pl.repeat(1, hits.len(), dtype=pl.Int64, eager=True), "hits": hits.cast(pl.Int64)}
    )
    layers = build_layers(table, clusters)
    if all(layer.sums[:, 0].max() == 1 for layer in layers):
        return plain
    if not has_enough_clusters(layers):
        return replace(plain, interval=TOO_FEW)
    return Proportion(plain.hits, plain.n, *share_interval(layers), CLUSTERS)


def build_layers(counts: pl.DataFrame, clusters: Clusters) -> list[Layer]:
    """Sum counts over the clusters of each column, the first of which counts the pairs."""
    several = clusters.to_frame("+") if isinstance(clusters, pl.Series) else clusters
    return [Layer(*sum_by_cluster(counts, one), -1 if one.name.startswith("-") else 1) for one in several]


def sum_by_cluster(counts: pl.DataFrame, clusters: pl.Series) -> tuple[Counts, Counts]:
    """Sum counts over each cluster: the different sums there are, and how many clusters have each."""
    both = counts.with_columns(clusters.alias("_cluster"))
    alone = both.filter(pl.col("_cluster").is_null()).select(counts.columns)
    together = both.drop_nulls("_cluster").group_by("_cluster").sum().select(counts.columns)
    kinds = pl.concat([alone, together]).group_by(counts.columns).agg(_times=pl.len().cast(pl.Int64))
    kinds = kinds.sort(counts.columns)
    table: Any = kinds.select(pl.col(counts.columns).cast(pl.Int64)).to_numpy()
    return table, kinds["_times"].to_numpy()
