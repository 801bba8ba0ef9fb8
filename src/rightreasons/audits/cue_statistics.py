"""How far each cue depends on each label: z, PMI, a p value that holds for clustered pairs, and their correction.

Under independence the label of the n pairs with a cue has the share p that it has in the corpus. The p value is the
tail of a binomial distribution, exact for any n, which the normal approximation of z is not for small ones.

Pairs that share a premise, or have the same text, do not count as independent: n is divided by the design effect

    d = sum over clusters of (sum over pairs of u)^2 / sum over pairs of u^2,    u = 1 - p or -p,

that is at least 1. The u are centred at p, not at the share of the cue: if all pairs of a few clusters have the label,
the clusters are what is counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rightreasons.audits.cue_occurrences import ALONE, number_equal_texts, number_shared_values
from rightreasons.scoring.intervals import wilson_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from rightreasons.audits.cue_occurrences import CueOccurrences
    from rightreasons.language.word_codes import WordColumn
    from rightreasons.scoring.sharing import Sharing

    Numbers = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]
    Flags = npt.NDArray[np.bool_]

_LABEL_BITS = 2


@dataclass(frozen=True, eq=False)
class CueCluster:
    """The cluster of each pair by one column, ALONE if it shares nothing; `sign` is -1 where pairs count twice."""

    numbers: Numbers
    sign: int = 1


@dataclass(frozen=True, eq=False)
class CueStatistics:
    """Cues by row and labels by column: how many pairs with the cue have the label, and what that says."""

    n: Numbers  # of each cue
    hits: Numbers
    effective: Floats  # the number of independent pairs that n is worth
    baseline: Floats  # the share of each label in the corpus

    @cached_property
    def share(self) -> Floats:
        """The share of the label among the pairs with the cue; nan if there are none."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.hits / self.n[:, None])

    @cached_property
    def interval(self) -> tuple[Floats, Floats]:
        """Wilson's 95% confidence interval of the share at the effective number of pairs."""
        low, high = wilson_interval(self.share * self.effective, self.effective)
        # A share times a number may miss the exact ends by a hair.
        return np.where(self.hits == 0, 0.0, low), np.where(self.hits == self.n[:, None], 1.0, high)

    @cached_property
    def z(self) -> Floats:
        """The z-statistic of the share against that of the corpus, as if all pairs were independent."""
        variance = self.baseline * (1 - self.baseline)
        return np.asarray((self.share - self.baseline) * np.sqrt(self.n[:, None] / variance))

    @cached_property
    def pmi(self) -> Floats:
        """Pointwise mutual information in bits; minus infinity if no pair has the label."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log2(self.share / self.baseline))

    @cached_property
    def p_values(self) -> Floats:
        """The probability of as many hits or more under independence: one-sided, binomial."""
        from scipy.special import betainc

        hits = self.share * self.effective
        with np.errstate(invalid="ignore"):
            tails = betainc(hits, self.effective - hits + 1, self.baseline)
        return np.where(self.hits == 0, 1.0, tails)

    @cached_property
    def adjusted(self) -> Floats:
        """The p values after the Benjamini-Hochberg correction over all cues and labels."""
        from scipy.stats import false_discovery_control

        if not self.p_values.size:
            return self.p_values
        return np.asarray(false_discovery_control(self.p_values, axis=None)).reshape(self.p_values.shape)

    def find_threshold(self, rate: float) -> float:
        """Return the largest p value that is rejected at a false discovery rate, or could be if none is."""
        rejected = self.p_values[self.adjusted <= rate]
        return float(rejected.max()) if len(rejected) else rate / max(self.p_values.size, 1)

    def compute_critical_shares(self, chosen: Numbers, threshold: float) -> Floats:
        """Return the least share that is rejected for n independent pairs, for each of cue x labels + label.

        It is nan where even n pairs with the label are too few.
        """
        from scipy.stats import binom

        cue, label = np.divmod(chosen, len(self.baseline))
        least = (binom.isf(threshold, self.n[cue], self.baseline[label]) + 1) / self.n[cue]
        return np.where(least <= 1, least, np.nan)


def measure_cues(
    occurrences: CueOccurrences, labels: Numbers, counts: Numbers, clusters: Sequence[CueCluster]
) -> CueStatistics:
    """Measure how far cues depend on labels: `labels` are the numbers of the pairs, `counts` how many have each."""
    baseline = counts / counts.sum()
    own, cues, n = labels[occurrences.rows], occurrences.cues, occurrences.n[:, None]
    hits = np.bincount(cues * len(counts) + own, minlength=len(n) * len(counts)).reshape(-1, len(counts))
    squares = hits * (1 - baseline) ** 2 + (n - hits) * baseline**2
    covariances = [
        (each.sign, _sum_cluster_covariances(occurrences, own, each.numbers, baseline)) for each in clusters
    ]
    # Inclusion and exclusion may leave less than one of its columns alone has, by chance.
    added = [sum((sign * part for sign, part in covariances), np.zeros_like(squares))]
    added += [part for sign, part in covariances if sign > 0]
    with np.errstate(invalid="ignore"):
        design = np.maximum(1.0, 1 + np.max(added, axis=0) / squares)
    return CueStatistics(occurrences.n, hits, np.where(n > 0, n / design, 0.0), baseline)


def _sum_cluster_covariances(
    occurrences: CueOccurrences, own: Numbers, numbers: Numbers, baseline: Floats
) -> Floats:
    """Sum u_i u_j over the different pairs i, j of each cluster, by cue and label."""
    clusters = numbers[occurrences.rows]
    shared = clusters != ALONE
    bits = max(int(numbers.max(initial=0)), 1).bit_length()
    packed = (occurrences.cues[shared] << bits | clusters[shared]) << _LABEL_BITS | own[shared]
    packed.sort()
    packed, starts, sizes = _keep_long_runs(packed)
    sums = np.zeros((len(occurrences.n), len(baseline)))
    if not len(starts):
        return sums
    cues = packed[starts] >> (bits + _LABEL_BITS)
    for label, share in enumerate(baseline):
        hits = np.add.reduceat((packed & ((1 << _LABEL_BITS) - 1)) == label, starts, dtype=np.int64)
        squares = hits * (1 - share) ** 2 + (sizes - hits) * share**2
        products = (hits - share * sizes) ** 2 - squares
        sums[:, label] = np.bincount(cues, weights=products, minlength=len(sums))
    return sums


def _keep_long_runs(packed: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Keep what has cue and cluster in common with another one; where each of these runs starts, and its length."""
    groups = packed >> _LABEL_BITS
    first = np.concatenate([np.ones(min(len(groups), 1), dtype=bool), groups[1:] != groups[:-1]])
    sizes = np.diff(np.concatenate([np.flatnonzero(first), [len(groups)]]))
    several = sizes[sizes > 1]
    return packed[np.repeat(sizes > 1, sizes)], np.cumsum(several) - several, several


def find_cue_clusters(sharing: Sharing, column: WordColumn) -> list[CueCluster]:
    """Find the clusters of pairs that share a premise, group or source, and of those whose texts are the same.

    Pairs of which both is true would count twice, so their clusters are subtracted.
    """
    texts = number_equal_texts(column)
    clusters = [CueCluster(texts)]
    for shared in () if sharing.clusters is None else sharing.clusters:
        numbers = shared.fill_null(ALONE).cast(int).to_numpy().astype(np.int64)
        sign = -1 if shared.name.startswith("-") else 1
        both = numbers * (texts.max(initial=0) + 1) + texts
        doubled = number_shared_values(both, (numbers != ALONE) & (texts != ALONE))
        clusters += [CueCluster(numbers, sign), CueCluster(doubled, -sign)]
    return [each for each in clusters if (each.numbers != ALONE).any()]
