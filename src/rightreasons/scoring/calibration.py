"""Calibration: of the pairs with a predicted probability of 0.8, the prediction should be correct for 80%."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
import polars as pl

from rightreasons.core.labels import ENTAILMENT, NON_ENTAILMENT, PROBABILITIES, THREE_LABELS
from rightreasons.scoring.clustered_intervals import (
    DRAWS,
    SEED,
    compute_effective_sample_size,
    has_enough_clusters,
)
from rightreasons.scoring.intervals import wilson_interval
from rightreasons.scoring.proportion import LEVEL, build_cluster_layers

if TYPE_CHECKING:
    import numpy.typing as npt

    from rightreasons.scoring.sharing import Clusters

    Floats = npt.NDArray[np.float64]

BINS = 10
# What is forecast: that the prediction is correct, or, where labels were merged into two, that the pair is entailed.
ProbabilityTarget: TypeAlias = Literal["prediction", "entailment"]


@dataclass(frozen=True)
class PredictedProbabilities:
    """Probabilities, and whether what they forecast is so."""

    target: ProbabilityTarget
    p: Floats
    observed: npt.NDArray[np.bool_]
    missing: int  # predictions without a probability
    clusters: Clusters | None = None  # which of these pairs belong together


@dataclass(frozen=True)
class CalibrationBins:
    """Forecasts in bins by their probability: how many, what they say on average, and how many are so."""

    low: Floats
    high: Floats
    n: npt.NDArray[np.int64]
    mean: Floats
    observed: npt.NDArray[np.int64]
    effective_n: Floats  # effective number of independent pairs in each bin

    def make_reliability_curve(self) -> pl.DataFrame:
        """Show the reliability curve: a row per bin, with the share that is so and its interval."""
        low, high = wilson_interval(self.observed * self.effective_n / self.n, self.effective_n)
        low, high = np.where(self.observed == 0, 0.0, low), np.where(self.observed == self.n, 1.0, high)
        ends = {"from": self.low, "to": self.high, "n": self.n, "probability": self.mean}
        return pl.DataFrame(ends | {"so": self.observed / self.n, "so_low": low, "so_high": high})

    def compute_calibration_error(self) -> float:
        """Compute the expected calibration error: how much share and probability differ on average over pairs."""
        return float(_compute_calibration_errors(self.observed[None, :], self)[0])

    def simulate_true_counts(self, share: Floats, *, seed: int, draws: int) -> Floats:
        """Draw the number of true forecasts in each bin at a given share, a row per draw, at the effective bin size."""
        independent = np.maximum(1, np.rint(self.effective_n)).astype(np.int64)
        drawn = np.random.default_rng(seed).binomial(independent, share, size=(draws, len(independent)))
        return np.asarray(drawn * (self.n / independent))


def collect_probabilities(
    predictions: pl.DataFrame, clusters: Clusters | None = None
) -> PredictedProbabilities | None:
    """Read forecasts from the columns gold, prediction, right and p_*; None if no probability is known.

    `clusters` says which rows belong together.
    """
    two = NON_ENTAILMENT in predictions["gold"] or NON_ENTAILMENT in predictions["prediction"]
    columns = {name for name in PROBABILITIES.values() if name in predictions.columns}
    if not columns:
        return None
    if two:
        known = pl.col(PROBABILITIES[ENTAILMENT]) if PROBABILITIES[ENTAILMENT] in columns else pl.lit(None)
        so = pl.col("gold") == ENTAILMENT
    else:
        known, so = _select_predicted_probability(columns), pl.col("right")
    table = predictions.select(p=known.cast(pl.Float64), so=so)
    known_rows = table["p"].is_finite().fill_null(value=False)
    known_table = table.filter(known_rows)
    if known_table.is_empty():
        return None
    return PredictedProbabilities(
        "entailment" if two else "prediction",
        known_table["p"].to_numpy(),
        known_table["so"].to_numpy(),
        predictions.height - known_table.height,
        None if clusters is None else clusters.filter(known_rows),
    )


def _select_predicted_probability(columns: set[str]) -> pl.Expr:
    """Return the probability of the predicted label; null if it is unknown."""
    chosen = [
        pl.when(pl.col("prediction") == label).then(PROBABILITIES[label])
        for label in THREE_LABELS
        if PROBABILITIES[label] in columns
    ]
    return pl.coalesce(chosen) if chosen else pl.lit(None)


def make_equal_width_bins(found: PredictedProbabilities, bins: int = BINS) -> CalibrationBins:
    """Put forecasts into bins of equal width from 0 to 1; empty ones are left out."""
    return _sort_into_bins(found, np.linspace(0, 1, bins + 1))


def make_equal_mass_bins(found: PredictedProbabilities, bins: int = BINS) -> CalibrationBins:
    """Put forecasts into bins of about as many pairs each; equal probabilities stay together."""
    edges = np.unique(np.quantile(found.p, np.linspace(0, 1, bins + 1), method="higher"))
    return _sort_into_bins(found, edges if len(edges) > 1 else np.repeat(edges, 2))


def _sort_into_bins(found: PredictedProbabilities, edges: Floats) -> CalibrationBins:
    """Sort forecasts into bins; an edge belongs to the bin above it, the last to the last bin."""
    count = len(edges) - 1
    which = np.clip(np.searchsorted(edges, found.p, side="right") - 1, 0, count - 1)
    n = np.bincount(which, minlength=count)
    used = n > 0
    sums = np.bincount(which, weights=found.p, minlength=count)
    so = np.bincount(which, weights=found.observed, minlength=count).astype(np.int64)
    each = np.array([_compute_effective_bin_size(found, which == place) for place in np.flatnonzero(used)])
    return CalibrationBins(edges[:-1][used], edges[1:][used], n[used], sums[used] / n[used], so[used], each)


def _compute_effective_bin_size(found: PredictedProbabilities, here: npt.NDArray[np.bool_]) -> float:
    """Return the number of independent pairs that one bin is equivalent to."""
    n = int(here.sum())
    if found.clusters is None:
        return float(n)
    hits = pl.DataFrame({"n": np.ones(n, np.int64), "so": found.observed[here].astype(np.int64)})
    layers = build_cluster_layers(hits, found.clusters.filter(pl.Series(here)))
    share = found.observed[here].mean()
    alone = all(layer.sums[:, 0].max() == 1 for layer in layers)
    return (
        float(n)
        if alone or not has_enough_clusters(layers)
        else compute_effective_sample_size(layers, float(share * (1 - share)))
    )


def compute_calibration_error_interval(
    bins: CalibrationBins, *, seed: int = SEED, draws: int = DRAWS
) -> tuple[float, float]:
    """Return the interval of the calibration error, drawn bin by bin.

    Noise makes the errors of draws too large, so it is their upper end that says how far off the error may be, to
    either side. Where a perfectly calibrated model might do no better, the interval begins at 0.
    """
    drawn = bins.simulate_true_counts(bins.observed / bins.n, seed=seed, draws=draws)
    error, top = (
        bins.compute_calibration_error(),
        float(np.quantile(_compute_calibration_errors(drawn, bins), (1 + LEVEL) / 2)),
    )
    low = 2 * error - top if error > compute_noise_level(bins, seed=seed, draws=draws) else 0.0
    return max(0.0, low), min(1.0, max(error, top))


def compute_noise_level(bins: CalibrationBins, *, seed: int = SEED, draws: int = DRAWS) -> float:
    """Compute the 95th percentile of the error of a perfectly calibrated model on samples of this size."""
    drawn = bins.simulate_true_counts(np.clip(bins.mean, 0, 1), seed=seed, draws=draws)
    return float(np.quantile(_compute_calibration_errors(drawn, bins), 0.95))


def _compute_calibration_errors(so: npt.NDArray[np.int64] | Floats, bins: CalibrationBins) -> Floats:
    return np.asarray(np.abs(so - bins.mean * bins.n).sum(axis=1) / bins.n.sum())
