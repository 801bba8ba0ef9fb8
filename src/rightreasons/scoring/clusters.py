"""Pairs that share a group, a source or a premise: how much less they tell than as many pairs of their own.

Answers to such pairs are alike, so an interval that takes each pair for itself is too narrow. Here whole clusters are
drawn again and again (the cluster bootstrap); how much the accuracy varies from draw to draw says how many pairs of
their own the pairs are worth, and Wilson's interval is taken at that number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons.scoring.intervals import wilson

if TYPE_CHECKING:
    import numpy.typing as npt

    from rightreasons.scoring.cells import Cells

    Floats = npt.NDArray[np.float64]
    Counts = npt.NDArray[np.int64]

COLUMNS = ("group", "source_id", "premise")
FEWEST = 10  # clusters: how much they vary can't be learnt from fewer
DRAWS = 1_000
SEED = 0
WILSON = "wilson"
TOO_FEW = "wilson (fewer than ten clusters)"
_Z = 1.96
_NUMBERS = 4_000_000  # held in memory at a time


@dataclass(frozen=True)
class Sharing:
    """What pairs share: the name of the column, and for each pair the number of its cluster, null if it is alone."""

    column: str | None
    clusters: pl.Series | None

    @property
    def kind(self) -> str:
        """Say which interval such pairs get."""
        return f"clusters: {self.column}" if self.column else WILSON


def sharing(pairs: pl.DataFrame) -> Sharing:
    """Find the first column that several pairs share: their group, else their source, else their premise."""
    for name in COLUMNS:
        if name in pairs.columns:
            # Equal hashes of different texts are too rare to matter, and are told apart ten times faster.
            hashes = pairs.select(pl.when(pl.col(name).is_not_null()).then(pl.col(name).hash())).to_series()
            shared = hashes.is_duplicated() & hashes.is_not_null()
            if shared.any():
                numbers = pl.when(shared).then(hashes).rank("dense").cast(pl.Int64) - 1
                return Sharing(name, pl.select(numbers.alias("cluster")).to_series())
    return Sharing(None, None)


def clustered(found: Cells, shared: Sharing, hits: pl.DataFrame) -> dict[int, tuple[Counts, Counts]]:
    """Count pairs and hits of each cluster in each cell, and tell how many clusters have the same counts.

    The hits, columns of yes and no, stand row by row beside the pairs. The result has for each cell the different
    counts, a row each, and how often there is each, in an order that doesn't depend on that of the pairs.
    """
    bits = sum(hits[name].to_numpy().astype(np.int64) << place for place, name in enumerate(hits.columns))
    codes = np.broadcast_to(np.asarray(bits, dtype=np.int64), len(found.of_pairs))
    number = shared.clusters
    alone = np.full(len(codes), fill_value=True) if number is None else number.is_null().to_numpy()
    clusters = number.fill_null(0).to_numpy() if number is not None else np.zeros(len(codes), np.int64)
    made: dict[int, tuple[Counts, Counts]] = {}
    # A pair counts in the cell of its label, and in that of all labels.
    for cell in (found.of_pairs, found.wholes[found.of_pairs]):
        single = _unpacked(cell[alone], np.ones(int(alone.sum()), np.int64), codes[alone], hits.width)
        several = _summed(cell[~alone], clusters[~alone], codes[~alone], hits.width)
        kinds, times = _alike(np.concatenate([single, several]))
        ends = np.flatnonzero(np.diff(kinds[:, 0])) + 1
        for part, often in zip(np.split(kinds, ends), np.split(times, ends), strict=True):
            made[int(part[0, 0])] = (part[:, 1:], often)
    return made


def _summed(cell: Counts, clusters: Counts, codes: Counts, width: int) -> Counts:
    """Count pairs and hits of each cell and cluster: a row of cell, pairs and hits for each that has any.

    All three are packed into one number each, since sorting numbers is ten times faster than grouping rows.
    """
    if not len(cell):
        return np.empty((0, 2 + width), np.int64)
    most = int(clusters.max()) + 1
    packed = np.sort(((cell * most + clusters) << width) | codes)
    where = packed >> width
    starts = np.flatnonzero(np.concatenate([[True], where[1:] != where[:-1]]))
    pairs = np.diff(np.concatenate([starts, [len(where)]]))
    hits = [np.add.reduceat((packed >> place) & 1, starts) for place in range(width)]
    return np.stack([where[starts] // most, pairs, *hits], axis=1)


def _unpacked(cell: Counts, pairs: Counts, codes: Counts, width: int) -> Counts:
    """Make the rows of clusters of one pair."""
    return np.stack([cell, pairs, *((codes >> place) & 1 for place in range(width))], axis=1)


def _alike(rows: Counts) -> tuple[Counts, Counts]:
    """Return the different rows in their order, and how often there is each."""
    sizes = tuple(int(most) + 1 for most in rows.max(axis=0))
    values, times = np.unique(np.ravel_multi_index(tuple(rows.T), sizes), return_counts=True)
    return np.stack(np.unravel_index(values, sizes), axis=1).astype(np.int64), times.astype(np.int64)


def drawn(sums: Counts, times: Counts, *, draws: int = DRAWS, seed: int = SEED) -> Floats:
    """Draw as many clusters as there are, with replacement, and add up their sums: a row per draw.

    Clusters with the same sums are counted together: how often each kind is drawn is multinomial, so a draw costs as
    much as there are kinds, however many pairs there are.
    """
    rng = np.random.default_rng(seed)
    clusters, step = int(times.sum()), max(1, _NUMBERS // len(times))
    parts = [
        rng.multinomial(clusters, times / clusters, size=min(step, draws - start)) @ sums
        for start in range(0, draws, step)
    ]
    return np.concatenate(parts).astype(np.float64)


def variance_of(pairs: Counts, values: Counts, times: Counts, draws: Floats) -> float:
    """Return how much the sum of values over that of pairs varies in draws of clusters, which have a row of both each.

    The sums of what a cluster has above the average vary by a known amount: the draws say how much more or less the
    ratio does. So the chance of the draws is nearly gone, and wholly where all clusters are of one size.
    """
    n = float(times @ pairs)
    share = float(times @ values) / n
    above = values - share * pairs
    exact = float(times @ above**2) / n**2
    seen = float(np.var(draws[:, 1] - share * draws[:, 0])) / n**2
    return exact * float(np.var(draws[:, 1] / draws[:, 0])) / seen if seen else exact


def worth(pairs: Counts, times: Counts, *, variance: float, drawn_variance: float) -> float:
    """Say how many pairs of their own the pairs of these clusters are worth, given the pairs in each kind of cluster.

    `variance` is that of a figure of one pair, `drawn_variance` that of the figure in draws of clusters. Fewer than
    there are where pairs of a cluster are alike; more where they make up for each other, as under a constant answer
    to pairs of one premise with different labels.
    Where all clusters are the same, draws are too and teach nothing. Then another cluster may still differ by a pair,
    as often as Wilson's interval of none of them says, which is the least spread that is believed; and where all pairs
    are the same, those of a cluster count as copies of each other.
    """
    n, clusters = float(times @ pairs), int(times.sum())
    if variance <= 0:
        return n * n / float(times @ pairs**2)
    return variance / max(drawn_variance * clusters / (clusters - 1), (_Z / n) ** 2)


def share_interval(sums: Counts, times: Counts, level: float = 0.95) -> tuple[float, float]:
    """Return the interval of the share of right answers; the sums are pairs and right answers per cluster."""
    n, right = (float(value) for value in times @ sums)
    share = right / n
    spread = variance_of(sums[:, 0], sums[:, 1], times, drawn(sums, times))
    effective = worth(sums[:, 0], times, variance=share * (1 - share), drawn_variance=spread)
    low, high = wilson(share * effective, effective, level)
    # Wilson's ends are exact at none and all right; a share times a number may miss these by a hair.
    return (0.0 if right == 0 else float(low)), (1.0 if right == n else float(high))


def kind_of(sums: Counts, times: Counts, shared: Sharing) -> str:
    """Say which interval the clusters of a cell call for."""
    if sums[:, 0].max() == 1:
        return WILSON
    return shared.kind if times.sum() >= FEWEST else TOO_FEW


def with_intervals(rows: pl.DataFrame, found: Cells, right: pl.Series, shared: Sharing) -> pl.DataFrame:
    """Give each row of counts (n, correct) the interval that its clusters call for, and say which it is."""
    low, high = wilson(rows["correct"].to_numpy(), rows["n"].to_numpy())
    kinds = [WILSON] * rows.height
    parts = clustered(found, shared, right.to_frame()) if shared.column else {}
    known: dict[bytes, tuple[float, float]] = {}  # a group of one label has the same cell twice
    for cell, (sums, times) in parts.items():
        kinds[cell] = kind_of(sums, times, shared)
        if kinds[cell] == shared.kind:
            key = sums.tobytes() + times.tobytes()
            known[key] = known.get(key) or share_interval(sums, times)
            low[cell], high[cell] = known[key]
    return rows.with_columns(
        low=pl.Series(low), high=pl.Series(high), interval=pl.Series(kinds, dtype=pl.String)
    )
