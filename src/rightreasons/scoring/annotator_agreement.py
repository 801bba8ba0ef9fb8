"""Agreement of several annotators on the same items: pairwise agreement, Fleiss' kappa, Krippendorff's alpha.

Labels are counted in a matrix with a row for each item and a column for each label. Items may have different numbers of
annotators; those of fewer than two say nothing about agreement and are left out.

Every figure is 1 - observed / expected disagreement. Observed disagreement is the probability that two annotators of an
item disagree. Expected disagreement is 1 for pairwise agreement; for kappa and alpha, it is the probability that two
labels drawn from all items differ. The standard error is a jackknife over items, or over clusters of items. The
interval is Wilson's for the observed disagreement, at the number of items that has this standard error, so that it has
a width where all annotators agree, and is not symmetric near 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rightreasons.scoring.clustered_intervals import compute_t_quantile
from rightreasons.scoring.intervals import wilson_interval
from rightreasons.scoring.sharing import MIN_CLUSTERS

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt
    import polars as pl

    LabelCounts = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]
    # Observed and expected disagreement of sums over items: see sum_item_agreement.
    Disagreement = Callable[[Floats], tuple[Floats, Floats]]

FEWEST_LABELS = 2  # of an item: a single annotator agrees with nobody
_Z = 1.959963984540054
_TINY = 1e-15


@dataclass(frozen=True)
class AgreementEstimate:
    """A figure of agreement with its 95% confidence interval, from n items; None where it is undefined."""

    value: float | None
    n: int
    low: float | None = None
    high: float | None = None

    def to_columns(self, name: str) -> dict[str, float | None]:
        """Name value and interval as the columns of a table."""
        return {name: self.value, f"{name}_low": self.low, f"{name}_high": self.high}


def compute_item_agreement(counts: LabelCounts) -> Floats:
    """Return the share of the pairs of annotators that agree, for each item; NaN for fewer than two annotators."""
    n = counts.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(n < FEWEST_LABELS, np.nan, (counts * (counts - 1)).sum(axis=1) / (n * (n - 1)))


def compute_pairwise_agreement(counts: LabelCounts, clusters: pl.Series | None = None) -> AgreementEstimate:
    """Return the probability that two annotators of an item agree, as the mean over items."""
    return _estimate_agreement(counts, clusters, measure_pairwise_disagreement)


def find_equal_items(counts: LabelCounts) -> npt.NDArray[np.bool_]:
    """Say which items have the most frequent number of annotators; of two equally frequent numbers, the larger."""
    n = counts.sum(axis=1)
    times = np.bincount(n[n >= FEWEST_LABELS], minlength=1)
    most = len(times) - 1 - int(np.argmax(times[::-1]))
    return np.asarray((n == most) & (n >= FEWEST_LABELS))


def compute_fleiss_kappa(counts: LabelCounts, clusters: pl.Series | None = None) -> AgreementEstimate:
    """Return Fleiss' kappa (1971), which needs equal numbers: of the items with the most frequent number."""
    equal = find_equal_items(counts)
    return _estimate_agreement(np.where(equal[:, None], counts, 0), clusters, measure_fleiss_disagreement)


def compute_krippendorff_alpha(counts: LabelCounts, clusters: pl.Series | None = None) -> AgreementEstimate:
    """Return Krippendorff's alpha for nominal labels; items may have different numbers of annotators."""
    return _estimate_agreement(counts, clusters, measure_alpha_disagreement)


def measure_pairwise_disagreement(sums: Floats) -> tuple[Floats, Floats]:
    """Return the mean disagreement of items; nothing is expected by chance."""
    return 1 - sums[..., 1] / sums[..., 0], np.ones(sums.shape[:-1])


def measure_fleiss_disagreement(sums: Floats) -> tuple[Floats, Floats]:
    """Return the mean disagreement of items, and that of two labels drawn with replacement."""
    shares = sums[..., 4:] / sums[..., 2:3]
    return 1 - sums[..., 1] / sums[..., 0], 1 - (shares**2).sum(axis=-1)


def measure_alpha_disagreement(sums: Floats) -> tuple[Floats, Floats]:
    """Weight items by their labels, and draw the labels of all items without replacement."""
    n = sums[..., 2]
    return 1 - sums[..., 3] / n, (n**2 - (sums[..., 4:] ** 2).sum(axis=-1)) / (n * (n - 1))


def _estimate_agreement(
    counts: LabelCounts, clusters: pl.Series | None, measure: Disagreement
) -> AgreementEstimate:
    usable = counts.sum(axis=1) >= FEWEST_LABELS
    n = int(usable.sum())
    if not n:
        return AgreementEstimate(None, 0)
    sums = sum_item_agreement(counts[usable], None if clusters is None else clusters.filter(usable))
    whole = sums.sum(axis=0)
    observed, expected = (float(value) for value in measure(whole))
    if expected <= _TINY:  # there is one label only
        return AgreementEstimate(None, n)
    effective = _compute_effective_items(sums, measure, observed, expected)
    return make_agreement_estimate(observed, expected, effective, n)


def make_agreement_estimate(observed: float, expected: float, effective: float, n: int) -> AgreementEstimate:
    """Add Wilson's interval of the observed disagreement at an effective number of items."""
    low, high = wilson_interval(observed * effective, effective)
    value = 1 - observed / expected
    # Wilson's ends are exact at none; a share times a number may miss them by a hair.
    return AgreementEstimate(
        value, n, 1 - float(high) / expected, min(1.0, max(value, 1 - float(low) / expected))
    )


def sum_item_agreement(counts: LabelCounts, clusters: pl.Series | None) -> Floats:
    """Sum over each cluster: items, their agreement, labels, agreement weighted by labels, and counts of each label."""
    n, agreement = counts.sum(axis=1), compute_item_agreement(counts)
    items = np.column_stack([np.ones(len(counts)), agreement, n, n * agreement, counts])
    if clusters is None:
        return items
    numbers = clusters.drop_nulls().rank("dense").to_numpy()
    alone = clusters.is_null().to_numpy()
    shared = [np.bincount(numbers, weights=column)[1:] for column in items[~alone].T]
    sums = np.concatenate([items[alone], np.stack(shared, axis=1)])
    return sums if len(sums) >= MIN_CLUSTERS else items


def _compute_effective_items(sums: Floats, measure: Disagreement, observed: float, expected: float) -> float:
    """Return how many independent items would give the observed disagreement the standard error of the jackknife."""
    clusters = len(sums)
    if clusters < FEWEST_LABELS:
        return 1.0
    with np.errstate(invalid="ignore", divide="ignore"):
        some, chance = measure(sums.sum(axis=0) - sums)
        without = np.where(chance > _TINY, 1 - some / chance, 1 - observed / expected)
    spread = (clusters - 1) / clusters * float(((without - without.mean()) ** 2).sum())
    return convert_variance_to_items(spread, observed, expected, clusters)


def convert_variance_to_items(variance: float, observed: float, expected: float, clusters: int) -> float:
    """Return how many independent items would give a figure this variance, allowing for few clusters."""
    # Where all items are alike, their variance teaches nothing, and each counts as one.
    if variance <= _TINY or not 0 < observed < 1:
        return float(clusters)
    critical = compute_t_quantile(max(1, clusters - 1))
    return observed * (1 - observed) / expected**2 / variance * (_Z / critical) ** 2
