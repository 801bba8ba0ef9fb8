"""Ranks with their uncertainty: the best and the worst rank that a model can have.

Two models have different ranks if the test of `compare` shows a difference, so ranks and comparisons agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons.scoring.clustered_intervals import compute_t_quantile
from rightreasons.scoring.paired import LEVEL as ERROR
from rightreasons.scoring.paired import compute_difference_p

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from rightreasons.scoring.sharing import Sharing

    Floats = npt.NDArray[np.float64]
    Bools = npt.NDArray[np.bool_]

LEVEL = 0.95


@dataclass(frozen=True)
class ModelAccuracies:
    """The accuracies of some models, and their errors: a row per unit (cluster) of pairs.

    The row of a unit holds its deviation for each accuracy; rows with the same key belong to one unit in any set.
    """

    means: Floats
    keys: pl.Series
    deviations: Floats  # units x models
    variance_floor: float  # left where models never differ, since a few more pairs might show a difference

    def select_models(self, models: Sequence[int]) -> ModelAccuracies:
        """Select some models by their positions."""
        at = list(models)
        return ModelAccuracies(self.means[at], self.keys, self.deviations[:, at], self.variance_floor)

    @property
    def covariance(self) -> Floats:
        """The covariance of the errors of the accuracies."""
        units = len(self.deviations)
        known = self.deviations.T @ self.deviations * (units / max(1, units - 1))
        covariance: Floats = known + self.variance_floor * np.eye(len(self.means))
        return covariance


@dataclass(frozen=True)
class Ranks:
    """The best and worst rank of each model, and which is shown to be better than which."""

    best: npt.NDArray[np.int64]
    worst: npt.NDArray[np.int64]
    better: Bools  # [i, j]: i is shown to be better than j


def measure_accuracies(right: pl.DataFrame, keys: pl.Series) -> ModelAccuracies:
    """Measure accuracies, a column of right and wrong for each model, on pairs that are summed by their keys."""
    hits = right.to_numpy().astype(np.float64)
    means = hits.mean(axis=0)
    pulls = pl.DataFrame((hits - means) / len(hits)).with_columns(keys.alias("_key"))
    summed = pulls.group_by("_key", maintain_order=True).sum()
    units = summed.drop("_key").to_numpy()
    # Half a pair for each of the four ways in which two models can agree or not, as Agresti and Min advise.
    return ModelAccuracies(means, summed["_key"], units, 0.5 / len(units) ** 2)


def average_over_sets(by_set: Sequence[ModelAccuracies]) -> ModelAccuracies:
    """Average accuracies over sets, weighted equally; units that occur in several sets are kept together."""
    count = len(by_set)
    parts = [pl.DataFrame(part.deviations / count).with_columns(part.keys.alias("_key")) for part in by_set]
    summed = pl.concat(parts).group_by("_key", maintain_order=True).sum()
    means = np.mean([part.means for part in by_set], axis=0)
    floor = sum(part.variance_floor for part in by_set) / count**2
    return ModelAccuracies(means, summed["_key"], summed.drop("_key").to_numpy(), floor)


def rank_models(better: Bools) -> Ranks:
    """Give each model its range of ranks, from the numbers of models that are significantly better and worse."""
    return Ranks(1 + better.sum(axis=0), len(better) - better.sum(axis=1), better)


def find_wins_on_set(right: pl.DataFrame, shared: Sharing) -> Bools:
    """Find which models are significantly better than which on one set, by the test of two models."""
    names = right.columns
    better = np.zeros((len(names), len(names)), bool)
    for (at, a), (other, b) in combinations(enumerate(names), 2):
        lead = int(right[a].sum()) - int(right[b].sum())
        if compute_difference_p(right[a], right[b], shared) < ERROR:
            better[at, other], better[other, at] = lead > 0, lead < 0
    return better


def find_wins_on_average(measured: ModelAccuracies) -> Bools:
    """Find which models are significantly better than which by their means over sets, two models at a time."""
    means, covariance = measured.means, measured.covariance
    spread_of = np.diag(covariance)[:, None] + np.diag(covariance)[None, :] - 2 * covariance
    errors = np.sqrt(np.maximum(spread_of, 0)) + np.eye(len(means))  # of a model with itself: never looked at
    # Below four units, the quantile is that of three degrees of freedom, where its expansion ends.
    better: Bools = (means[:, None] - means[None, :]) / errors > compute_t_quantile(
        max(3, len(measured.deviations) - 1)
    )
    return better
