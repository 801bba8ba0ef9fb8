"""Two models on the same pairs: is one better, by how much, and what could so many pairs have shown?"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons.scoring.cells import ALL, Cells, find_cells
from rightreasons.scoring.clustered_intervals import (
    ClusterLayer,
    bootstrap_cluster_sums,
    build_layers_by_cell,
    compute_effective_sample_size,
    has_enough_clusters,
    name_interval_kind,
)
from rightreasons.scoring.intervals import tango_interval
from rightreasons.scoring.proportion import build_cluster_layers
from rightreasons.scoring.sharing import WILSON, Sharing, find_sharing

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from rightreasons.scoring.sharing import Clusters

    Floats = npt.NDArray[np.float64]
    Counts = npt.NDArray[np.int64]

LEVEL = 0.05  # a difference is shown where the corrected p is below
POWER = 0.8
LEAST_P = 1e-15  # below, sums of floats tell nothing
_REACH = 12  # standard deviations beyond which no sum of signs is to be expected
# What a comparison counts, and what follows from the counts.
COMPARISON_COLUMNS = (
    *("gold", "n", "right_a", "right_b", "both_right", "only_a", "only_b", "both_wrong"),
    *("accuracy_a", "accuracy_b", "difference", "low", "high", "interval", "bootstrap_low", "bootstrap_high"),
    *("mcnemar", "p", "detectable"),
)


@dataclass(frozen=True)
class _CellInference:
    """The bootstrap of one cell: effective number of pairs, bounds of the draws, and p."""

    kind: str
    effective: float
    low: float
    high: float
    p: float


def compute_mcnemar_p(only_a: int, only_b: int) -> float:
    """Return the p of McNemar's exact test: were those on whom the two differ won by the toss of a coin?"""
    from scipy.special import bdtr

    # Both tails of the binomial are alike; where the two are even they share the middle.
    return min(1.0, 2 * float(bdtr(min(only_a, only_b), only_a + only_b, 0.5)))


def compute_sign_flip_p(differences: Counts, times: Counts) -> float:
    """Return the p of McNemar's exact test over clusters: each cluster's difference gets its sign by a coin.

    Where no difference is larger than 1 it is McNemar's. Else the chances of all sums are had at once, as the
    inverse Fourier transform of their characteristic function, which is a product of cosines.
    """
    sizes = np.abs(differences)
    if not (sizes * times).any():
        return 1.0
    if sizes.max() == 1:
        return compute_mcnemar_p(*(int(times[differences == sign].sum()) for sign in (1, -1)))
    total = int(times @ differences)
    reach = int(min(times @ sizes, np.ceil(_REACH * np.sqrt(float(times @ sizes**2)))))
    if abs(total) > reach:
        return LEAST_P
    length = 1 << (2 * reach + 1).bit_length()
    angles = 2 * np.pi * np.arange(length // 2 + 1) / length
    waves = np.ones_like(angles)
    for size in np.unique(sizes):
        waves *= np.cos(angles * size) ** int(times[sizes == size].sum())
    chances = np.fft.irfft(waves, length)  # of 0, 1, ..., and the negative sums from the end
    nearer = chances[0] + 2 * chances[1 : abs(total)].sum() if total else 0.0
    return float(np.clip(1 - nearer, LEAST_P, 1))


def correct_p_values(p: npt.ArrayLike) -> Floats:
    """Correct the p values of a family of comparisons by Benjamini and Hochberg's rule."""
    from scipy.stats import false_discovery_control

    values = np.asarray(p, dtype=np.float64)
    return np.asarray(false_discovery_control(values)) if values.size else values


def compute_detectable_difference(
    n: float, discordant: float, *, level: float = LEVEL, power: float = POWER
) -> float | None:
    """Return the smallest difference that McNemar's test shows on n pairs with this power; None if none can be.

    With z for the level and y for the power, and d the difference, n = (z sqrt(s) + y sqrt(s - d^2))^2 / d^2, where s
    is the share of pairs on which the two differ (Connor 1987): solved for d. A difference can't be larger than s, so
    where that would be so the share is taken to be d itself.
    """
    z, y = NormalDist().inv_cdf(1 - level / 2), NormalDist().inv_cdf(power)
    inside = n + y * y - z * z
    if inside <= 0:
        return None
    found = np.sqrt(discordant) * (z * np.sqrt(n) + y * np.sqrt(inside)) / (n + y * y)
    if found >= discordant:
        found = 1.0
        for _ in range(50):  # settles at once: the root hardly depends on what is put in
            found = min(1.0, (z + y * np.sqrt(1 - found)) ** 2 / n)
    return float(found) if found < 1 else None


def compare_predictions(
    pairs: pl.DataFrame,
    a: pl.DataFrame,
    b: pl.DataFrame,
    by: Sequence[str] = (),
    shared: Sharing | None = None,
) -> pl.DataFrame:
    """Compare two tables of predictions (`gold`, `right`) that are aligned with the pairs, by tags and gold label.

    p values are not corrected yet: the family is the caller's.
    """
    found = find_cells(pairs, a["gold"], by)
    rows = _count_joint_outcomes(found, a["right"], b["right"])
    only = pl.DataFrame({"only_a": a["right"] & ~b["right"], "only_b": b["right"] & ~a["right"]})
    shared = find_sharing(pairs) if shared is None else shared
    each = build_layers_by_cell(found, shared, only)
    known: dict[bytes, _CellInference] = {}  # a group of one label has the same cell twice
    for layers in each.values():
        known[_serialize_layers(layers)] = known.get(_serialize_layers(layers)) or _bootstrap_and_test_cell(
            layers, shared
        )
    found_cells = [known[_serialize_layers(layers)] for _, layers in sorted(each.items())]
    return _add_intervals_and_tests(rows, found_cells).select(*by, *COMPARISON_COLUMNS)


def _serialize_layers(layers: Sequence[ClusterLayer]) -> bytes:
    return b"".join(layer.sums.tobytes() + layer.times.tobytes() for layer in layers)


def _count_joint_outcomes(found: Cells, a: pl.Series, b: pl.Series) -> pl.DataFrame:
    counts = {
        "right_a": found.count_by_row(a),
        "right_b": found.count_by_row(b),
        "both_right": found.count_by_row(a & b),
        "only_a": found.count_by_row(a & ~b),
        "only_b": found.count_by_row(b & ~a),
        "both_wrong": found.count_by_row(~(a | b)),
    }
    rows = found.rows.with_columns(pl.Series("n", found.n), *(pl.Series(k, v) for k, v in counts.items()))
    share_a, share_b = pl.col("right_a") / pl.col("n"), pl.col("right_b") / pl.col("n")
    difference = (pl.col("only_a") - pl.col("only_b")) / pl.col("n")
    return rows.with_columns(accuracy_a=share_a, accuracy_b=share_b, difference=difference)


def _bootstrap_and_test_cell(layers: Sequence[ClusterLayer], shared: Sharing) -> _CellInference:
    """Judge the clusters of one cell; the sums are pairs, those won by A, those won by B."""
    kind = name_interval_kind(layers, shared).replace(WILSON, "score")
    added = [layer for layer in layers if layer.sign > 0]
    # Draws are for comparison only: of crossed columns, those of the one with the fewest clusters.
    sums, times, _ = _make_difference_layer(min(added, key=lambda layer: int(layer.times.sum())))
    draws = bootstrap_cluster_sums(sums, times)
    low, high = np.quantile(draws[:, 1] / draws[:, 0], [LEVEL / 2, 1 - LEVEL / 2])
    effective = (
        compute_effective_pair_count(layers) if kind == shared.interval_kind else float(times @ sums[:, 0])
    )
    return _CellInference(kind, effective, float(low), float(high), _compute_clustered_p(layers))


def _compute_clustered_p(layers: Sequence[ClusterLayer]) -> float:
    """Return the p of no difference; the sums are pairs, those won by A, those won by B."""
    added = [layer for layer in layers if layer.sign > 0]
    p = max(compute_sign_flip_p(layer.sums[:, 1] - layer.sums[:, 2], layer.times) for layer in added)
    return max(p, _compute_crossed_columns_p(layers)) if len(added) > 1 else p


def compute_difference_p(a: pl.Series, b: pl.Series, shared: Sharing) -> float:
    """Return the p of no difference between two models on a whole set, as in `compare_predictions`."""
    only = pl.DataFrame({"only_a": a & ~b, "only_b": b & ~a})
    whole = Cells(pl.DataFrame({"gold": [ALL]}), np.zeros(a.len(), np.int64), np.zeros(1, np.int64))
    return _compute_clustered_p(build_layers_by_cell(whole, shared, only)[0])


def compute_effective_pair_count(layers: Sequence[ClusterLayer]) -> float:
    """Return the effective number of pairs for the difference; sums are pairs, only A, only B."""
    n, only_a, only_b = (float(value) for value in layers[0].times @ layers[0].sums)
    variance = (only_a + only_b) / n - ((only_a - only_b) / n) ** 2
    return compute_effective_sample_size([_make_difference_layer(layer) for layer in layers], variance)


def compute_difference_interval(counts: pl.DataFrame, clusters: Clusters | None) -> tuple[float, float]:
    """Return the interval of the difference of two shares on the same pairs, at the effective number of pairs.

    For each pair the columns count 1, what A alone has, and what B alone has.
    """
    n, only_a, only_b = (float(value) for value in counts.sum().row(0))
    layers = [] if clusters is None else build_cluster_layers(counts, clusters)
    effective = compute_effective_pair_count(layers) if layers and has_enough_clusters(layers) else n
    low, high = tango_interval(only_a * effective / n, only_b * effective / n, effective)
    return float(low), float(high)


def _make_difference_layer(layer: ClusterLayer) -> ClusterLayer:
    """Sum up each cluster as pairs and what A wins more of than B."""
    pairs, only_a, only_b = layer.sums.T
    return ClusterLayer(np.stack([pairs, only_a - only_b], axis=1), layer.times, layer.sign)


def _compute_crossed_columns_p(layers: Sequence[ClusterLayer]) -> float:
    """Return the p of no difference where columns cross, so that no clusters can change sides alone."""
    n, only_a, only_b = (float(value) for value in layers[0].times @ layers[0].sums)
    if only_a == only_b:
        return 1.0
    difference, differ = (only_a - only_b) / n, (only_a + only_b) / n
    return 2 * NormalDist().cdf(
        -abs(difference) * float(np.sqrt(compute_effective_pair_count(layers) / differ))
    )


def _add_intervals_and_tests(rows: pl.DataFrame, found: Sequence[_CellInference]) -> pl.DataFrame:
    """Add intervals, tests and the detectable difference, at the effective number of pairs."""
    effective = np.array([cell.effective for cell in found])
    a, b, n = (rows[name].to_numpy() for name in ("only_a", "only_b", "n"))
    low, high = tango_interval(a * effective / n, b * effective / n, effective)
    shown = [compute_detectable_difference(e, s) for e, s in zip(effective, (a + b) / n, strict=True)]
    return rows.with_columns(
        low=pl.Series(low),
        high=pl.Series(high),
        interval=pl.Series([cell.kind for cell in found], dtype=pl.String),
        bootstrap_low=pl.Series([cell.low for cell in found], dtype=pl.Float64),
        bootstrap_high=pl.Series([cell.high for cell in found], dtype=pl.Float64),
        mcnemar=pl.Series(
            [compute_mcnemar_p(int(x), int(y)) for x, y in zip(a, b, strict=True)], dtype=pl.Float64
        ),
        p=pl.Series([cell.p for cell in found], dtype=pl.Float64),
        detectable=pl.Series(shown, dtype=pl.Float64),
    )
