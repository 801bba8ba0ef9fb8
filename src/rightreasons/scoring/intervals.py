"""Intervals for accuracies and for their paired differences, many at once, and rounding as people do it."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

_HALVINGS = 50  # of a distance of at most 2: well below what a float tells apart
_TINY = 1e-300


def wilson_interval(correct: npt.ArrayLike, n: npt.ArrayLike, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return the lower and upper ends of Wilson's interval; where n is 0 both are nan."""
    hits, total = np.asarray(correct, dtype=np.float64), np.asarray(n, dtype=np.float64)
    z = NormalDist().inv_cdf((1 + level) / 2)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = hits / total
        centre = (hits + z * z / 2) / (total + z * z)
        half = z / (total + z * z) * np.sqrt(total * share * (1 - share) + z * z / 4)
    # At 0 and at n the ends are 0 and 1 exactly; floating point misses them by a hair.
    low = np.where(hits == 0, 0.0, np.clip(centre - half, 0, 1))
    high = np.where(hits == total, 1.0, np.clip(centre + half, 0, 1))
    return np.where(total == 0, np.nan, low), np.where(total == 0, np.nan, high)


def tango_interval(
    only_a: npt.ArrayLike, only_b: npt.ArrayLike, n: npt.ArrayLike, level: float = 0.95
) -> tuple[Floats, Floats]:
    """Return the ends of Tango's interval of a paired difference, which is to it what Wilson's is to a share.

    Of n pairs, A alone is right on `only_a` and B alone on `only_b`; the difference is that of their shares. An end is
    where the score test just rejects, found by halving; counts need not be whole. Where n is 0 both ends are nan.
    """
    a, b, total = (np.asarray(counts, dtype=np.float64) for counts in (only_a, only_b, n))
    z = NormalDist().inv_cdf((1 + level) / 2)
    with np.errstate(invalid="ignore", divide="ignore"):
        middle = (a - b) / total
    ends = []
    for end in (-1.0, 1.0):
        kept, lost = middle, np.full_like(middle, end)
        for _ in range(_HALVINGS):
            tried = (kept + lost) / 2
            holds = -end * _compute_tango_statistic(a, b, total, tried) <= z
            kept, lost = np.where(holds, tried, kept), np.where(holds, lost, tried)
        ends.append(np.where(total == 0, np.nan, kept))
    return ends[0], ends[1]


def _compute_tango_statistic(a: Floats, b: Floats, n: Floats, difference: Floats) -> Floats:
    """Return Tango's statistic: how far the counts are from a difference, with the share of B that fits it best."""
    linear = (2 * n - a + b) * difference - a - b
    root = np.sqrt(np.maximum(linear**2 + 8 * n * b * difference * (1 - difference), 0))
    with np.errstate(invalid="ignore", divide="ignore"):
        share = (root - linear) / (4 * n)
    variance = n * (2 * share + difference * (1 - difference))
    return np.asarray((a - b - n * difference) / np.sqrt(np.maximum(variance, _TINY)))
