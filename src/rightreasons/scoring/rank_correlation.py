"""Spearman's rank correlation of a few paired values, with a confidence interval and a permutation test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_Z = 1.959964  # of a 95% confidence interval
_PERMUTATIONS = 99_999
_ROWS_AT_A_TIME = 1 << 14
_MIN_VALUES = 4  # Fisher's transformation has n - 3 degrees of freedom
_TOLERANCE = 1e-9  # permutations that differ from the observed value by rounding count as equal to it


@dataclass(frozen=True)
class RankCorrelation:
    """Spearman's rho with its 95% confidence interval, the p value of a two-sided permutation test, and n."""

    rho: float
    low: float
    high: float
    p: float
    n: int


def compute_rank_correlation(
    first: Sequence[float], second: Sequence[float], seed: int = 0
) -> RankCorrelation | None:
    """Correlate the ranks of paired values; None if there are fewer than four, or if one side is constant.

    The interval is Fisher's transformation with the variance of Bonett and Wright (2000).
    """
    ranks = [rank_values(np.asarray(values, dtype=np.float64)) for values in (first, second)]
    n = len(ranks[0])
    if n < _MIN_VALUES or any(np.ptp(each) == 0 for each in ranks):
        return None
    a, b = (_scale_to_unit_length(each) for each in ranks)
    rho = float(np.clip(a @ b, -1.0, 1.0))
    spread = _Z * np.sqrt((1 + rho**2 / 2) / (n - 3))
    with np.errstate(divide="ignore"):  # a perfect correlation has an infinite transform
        low, high = np.tanh(np.arctanh(rho) + np.array([-spread, spread]))
    return RankCorrelation(rho, float(low), float(high), _permute_ranks(a, b, rho, seed), n)


def rank_values(values: Floats) -> Floats:
    """Rank values from 1; equal values share the mean of their ranks."""
    order = np.sort(values)
    first = np.searchsorted(order, values, side="left")
    last = np.searchsorted(order, values, side="right")
    return np.asarray((first + last + 1) / 2)


def _scale_to_unit_length(values: Floats) -> Floats:
    centred = values - values.mean()
    return np.asarray(centred / np.linalg.norm(centred))


def _permute_ranks(a: Floats, b: Floats, rho: float, seed: int) -> float:
    """Estimate how often a random order of one side correlates at least as strongly; never 0."""
    generator = np.random.Generator(np.random.PCG64(seed))
    hits, left = 0, _PERMUTATIONS
    while left:
        rows = min(left, _ROWS_AT_A_TIME)
        orders = generator.permuted(np.tile(b, (rows, 1)), axis=1)
        hits += int((np.abs(orders @ a) >= abs(rho) - _TOLERANCE).sum())
        left -= rows
    return (hits + 1) / (_PERMUTATIONS + 1)
