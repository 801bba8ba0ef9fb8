"""Predicted probabilities against the shares of people who chose each label.

The measures are those of ChaosNLI (Nie et al. 2020), computed as in the authors' code: natural logarithms, and means
over pairs.

- JSD is the Jensen-Shannon distance, the square root of the divergence, from 0 to 0.83 (the root of log 2).
- KL is the divergence of the model from people, sum of h log(h / m). A model probability below 1e-15 counts as 1e-15;
  a label that nobody chose adds nothing.
- Accuracy is against the label that most people chose; pairs without one such label are left out.

Intervals are percentiles of a cluster bootstrap over pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rightreasons.scoring.annotations import TIED, find_majority_labels
from rightreasons.scoring.clustered_intervals import DRAWS, SEED, bootstrap_cluster_sums
from rightreasons.scoring.rank_correlation import rank_values

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt
    import polars as pl

    Floats = npt.NDArray[np.float64]
    Codes = npt.NDArray[np.int64]

SMALLEST = 1e-15
ENDS = (0.025, 0.975)
_FEWEST_FOR_CORRELATION = 4
_MOMENTS = ("x", "y", "xx", "yy", "xy")
_MEANS = ("jsd", "kl", "majority_share", "human_entropy", "model_entropy", "resampled")


@dataclass(frozen=True)
class PeopleMeasure:
    """A figure with its 95% confidence interval, from n pairs; None where it is undefined."""

    value: float | None
    n: int
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class PeopleComparison:
    """How a model's probabilities compare with people, over pairs that both judged.

    Without probabilities, only the accuracy is known. `resampled` is the JSD of people from another sample of as many
    people, the lowest that a model can be expected to have; None if the numbers of people are unknown.
    """

    accuracy: PeopleMeasure
    jsd: PeopleMeasure
    kl: PeopleMeasure
    pearson: PeopleMeasure  # of the entropies
    spearman: PeopleMeasure
    majority_share: PeopleMeasure  # of people who chose the label that most chose
    human_entropy: PeopleMeasure
    model_entropy: PeopleMeasure
    resampled: PeopleMeasure
    ties: int  # pairs without a majority


def compute_js_distance(people: Floats, model: Floats) -> Floats:
    """Return the Jensen-Shannon distance of each row, with natural logarithms."""
    people, model = (_normalize_rows(shares) for shares in (people, model))
    middle = (people + model) / 2
    divergence = (_sum_relative_entropy(people, middle) + _sum_relative_entropy(model, middle)) / 2
    return np.asarray(np.sqrt(np.maximum(divergence, 0)))


def compute_kl_divergence(people: Floats, model: Floats) -> Floats:
    """Return the divergence of the model from people of each row, with natural logarithms."""
    raised = _normalize_rows(np.where(model < SMALLEST, SMALLEST, model))
    return _sum_relative_entropy(_normalize_rows(people), raised)


def compute_entropy(shares: Floats) -> Floats:
    """Return the entropy of each row, with natural logarithms."""
    rows = _normalize_rows(shares)
    return np.asarray(-(rows * np.log(np.where(rows > 0, rows, 1))).sum(axis=1))


def _normalize_rows(shares: Floats) -> Floats:
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _sum_relative_entropy(first: Floats, second: Floats) -> Floats:
    ratio = np.where(first > 0, first, 1) / np.where(first > 0, second, 1)
    return np.asarray((first * np.log(ratio)).sum(axis=1))


def compare_with_people(
    people: Floats,
    predicted: Codes,
    model: Floats | None = None,
    judgements: Codes | None = None,
    clusters: pl.Series | None = None,
) -> PeopleComparison:
    """Compare predictions with people; rows are pairs, columns labels.

    `predicted` is the column of the predicted label, or -1 without one. `judgements` is the number of people of each
    pair, and `clusters` says which pairs belong together.
    """
    # Shares are compared as whole numbers, since equal counts may have unequal shares in the last digit.
    majority = find_majority_labels(np.rint(people * 1e9).astype(np.int64))
    clear = majority != TIED
    columns = {
        "clear": clear.astype(np.float64),
        "accuracy": (clear & (predicted == majority)).astype(np.float64),
        "majority_share": people.max(axis=1),
        "human_entropy": compute_entropy(people),
    }
    if model is not None:
        columns |= {
            "jsd": compute_js_distance(people, model),
            "kl": compute_kl_divergence(people, model),
            "model_entropy": compute_entropy(model),
        }
        columns |= _make_moments("pearson", columns["human_entropy"], columns["model_entropy"])
        ranks = [rank_values(columns[name]) for name in ("human_entropy", "model_entropy")]
        columns |= _make_moments("spearman", *ranks)
    if judgements is not None:
        again = np.random.default_rng(SEED).multinomial(judgements, _normalize_rows(people))
        columns["resampled"] = compute_js_distance(people, again / judgements[:, None])
    drawn = _DrawnSums(columns, clusters)
    return PeopleComparison(
        accuracy=drawn.measure_mean("accuracy", "clear"),
        pearson=drawn.measure_correlation("pearson"),
        spearman=drawn.measure_correlation("spearman"),
        ties=int((~clear).sum()),
        **{name: drawn.measure_mean(name) for name in _MEANS},
    )


def _make_moments(name: str, first: Floats, second: Floats) -> dict[str, Floats]:
    """Return the columns whose sums give a correlation; none if either side is constant."""
    if len(first) < _FEWEST_FOR_CORRELATION or np.ptp(first) == 0 or np.ptp(second) == 0:
        return {}
    x, y = ((values - values.mean()) / values.std() for values in (first, second))
    return {
        f"{name} {moment}": value for moment, value in zip(_MOMENTS, (x, y, x * x, y * y, x * y), strict=True)
    }


class _DrawnSums:
    """Sums of columns over all pairs, and over bootstrap samples of clusters; a column of ones counts the pairs."""

    def __init__(self, columns: Mapping[str, Floats], clusters: pl.Series | None) -> None:
        pairs = len(next(iter(columns.values())))
        self.names = ["pairs", *columns]
        rows = np.stack([np.ones(pairs), *columns.values()], axis=1)
        number = _number_clusters(pairs, clusters)
        sums = np.stack([np.bincount(number, weights=column) for column in rows.T], axis=1)
        self.whole = rows.sum(axis=0)
        self.draws = bootstrap_cluster_sums(sums, np.ones(len(sums), dtype=np.int64), draws=DRAWS, seed=SEED)

    def measure_mean(self, name: str, among: str = "pairs") -> PeopleMeasure:
        """Return the mean of a column, with the percentiles of the draws."""
        if name not in self.names or not self._sum_of(among):
            return PeopleMeasure(None, 0)
        at, over = self.names.index(name), self.names.index(among)
        with np.errstate(invalid="ignore", divide="ignore"):
            low, high = np.nanquantile(self.draws[:, at] / self.draws[:, over], ENDS)
        n = self._sum_of(among)
        return PeopleMeasure(self._sum_of(name) / n, int(n), float(low), float(high))

    def measure_correlation(self, name: str) -> PeopleMeasure:
        """Return a correlation from the sums of its moments."""
        if f"{name} {_MOMENTS[0]}" not in self.names:
            return PeopleMeasure(None, 0)
        at = [self.names.index("pairs"), *(self.names.index(f"{name} {moment}") for moment in _MOMENTS)]
        with np.errstate(invalid="ignore", divide="ignore"):
            low, high = np.nanquantile(_correlate_moments(self.draws[:, at]), ENDS)
        value = float(_correlate_moments(self.whole[at]))
        return PeopleMeasure(value, int(self.whole[0]), float(low), float(high))

    def _sum_of(self, name: str) -> float:
        return float(self.whole[self.names.index(name)])


def _number_clusters(pairs: int, clusters: pl.Series | None) -> Codes:
    """Number the clusters from 0; a pair without one is a cluster of its own."""
    if clusters is None:
        return np.arange(pairs)
    shared = clusters.rank("dense").fill_null(0).to_numpy().astype(np.int64)
    alone = shared.max(initial=0) + 1 + np.arange(pairs)
    numbers: Codes = np.unique(np.where(shared > 0, shared, alone), return_inverse=True)[1]
    return numbers


def _correlate_moments(moments: Floats) -> Floats:
    n, x, y, xx, yy, xy = np.moveaxis(moments, -1, 0)
    return np.asarray((n * xy - x * y) / np.sqrt((n * xx - x * x) * (n * yy - y * y)))
