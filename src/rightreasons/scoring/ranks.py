"""Ranks that say what noise leaves open: the best and the worst that a model's rank can be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Bools = npt.NDArray[np.bool_]

LEVEL = 0.95
DRAWS = 10_000


@dataclass(frozen=True)
class Spread:
    """The accuracies of some models, and what is known of their errors: a row per unit of pairs that go together.

    A unit's row says how far it pulls each accuracy off; rows of one key are of one unit, in whatever set they are.
    """

    means: Floats
    keys: pl.Series
    pulls: Floats  # units x models
    floor: float  # the variance that is left where models never differ, since a few more pairs might show a difference

    def of(self, models: Sequence[int]) -> Spread:
        """Choose some models, by their places."""
        at = list(models)
        return Spread(self.means[at], self.keys, self.pulls[:, at], self.floor)

    @property
    def covariance(self) -> Floats:
        """Return how the errors of the accuracies go together."""
        units = len(self.pulls)
        known = self.pulls.T @ self.pulls * (units / max(1, units - 1))
        covariance: Floats = known + self.floor * np.eye(len(self.means))
        return covariance


@dataclass(frozen=True)
class Ranks:
    """The best and worst rank of each model, and which is shown to be better than which."""

    best: npt.NDArray[np.int64]
    worst: npt.NDArray[np.int64]
    better: Bools  # [i, j]: i is shown to be better than j


def spread(right: pl.DataFrame, keys: pl.Series) -> Spread:
    """Measure accuracies, a column of right and wrong for each model, on pairs that are summed by their keys."""
    hits = right.to_numpy().astype(np.float64)
    means = hits.mean(axis=0)
    pulls = pl.DataFrame((hits - means) / len(hits)).with_columns(keys.alias("_key"))
    summed = pulls.group_by("_key", maintain_order=True).sum()
    units = summed.drop("_key").to_numpy()
    # Half a pair for each of the four ways in which two models can agree or not, as Agresti and Min advise.
    return Spread(means, summed["_key"], units, 0.5 / len(units) ** 2)


def averaged(spreads: Sequence[Spread]) -> Spread:
    """Average accuracies over sets, each set counting the same; units that sets share are kept together."""
    count = len(spreads)
    parts = [pl.DataFrame(one.pulls / count).with_columns(one.keys.alias("_key")) for one in spreads]
    summed = pl.concat(parts).group_by("_key", maintain_order=True).sum()
    means = np.mean([one.means for one in spreads], axis=0)
    floor = sum(one.floor for one in spreads) / count**2
    return Spread(means, summed["_key"], summed.drop("_key").to_numpy(), floor)


def ranks(measured: Spread, *, seed: int = 0, level: float = LEVEL) -> Ranks:
    """Rank models so that, with the given confidence, all the ranges of ranks hold at once.

    A model is shown to be better than another where their difference is larger than the largest difference, in standard
    errors, that noise alone makes between any two of them.
    """
    means, covariance = measured.means, measured.covariance
    spread_of = np.diag(covariance)[:, None] + np.diag(covariance)[None, :] - 2 * covariance
    errors = np.sqrt(np.maximum(spread_of, 0)) + np.eye(len(means))  # of a model with itself: never looked at
    limit = _largest_by_chance(covariance, errors, seed, level)
    better = (means[:, None] - means[None, :]) / errors > limit
    return Ranks(1 + better.sum(axis=0), len(means) - better.sum(axis=1), better)


def _largest_by_chance(covariance: Floats, errors: Floats, seed: int, level: float) -> float:
    """Draw accuracies as noise has them, and find the largest difference that is exceeded in 5% of the draws."""
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0))
    drawn = np.random.default_rng(seed).standard_normal((DRAWS, len(values))) @ root.T
    largest = np.zeros(DRAWS)
    for model in range(1, len(values)):
        differences = np.abs(drawn[:, :model] - drawn[:, model, None]) / errors[model, :model]
        largest = np.maximum(largest, differences.max(axis=1))
    return float(np.quantile(largest, level))
