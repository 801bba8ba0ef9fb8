"""Intervals for accuracies: Wilson's, for many counts at once, and rounding as people do it."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fractions import Fraction

    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]


def wilson(correct: npt.ArrayLike, n: npt.ArrayLike, level: float = 0.95) -> tuple[Floats, Floats]:
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


def half_up(value: Fraction, digits: int) -> str:
    """Round a fraction to a number of decimals, halves away from zero, as printed tables do.

    Give Fraction(correct, n): a binary float such as 0.965 is a little off, and rounds to the wrong side.
    """
    scale = 10**digits
    rounded = (2 * abs(value.numerator) * scale + value.denominator) // (2 * value.denominator)
    whole, part = divmod(rounded, scale)
    sign = "-" if value < 0 and rounded else ""
    return f"{sign}{whole}.{part:0{digits}d}" if digits else f"{sign}{whole}"
