"""One figure as text: accuracies are rounded half up from counts, bounds outwards."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


UNPRINTABLE = "\N{REPLACEMENT CHARACTER}"


@dataclass(frozen=True)
class SeedSpread:
    """How several runs of one model differ on the pairs of one cell."""

    runs: int
    sd: float
    least: float
    most: float
    inner: tuple[float, float]  # what lies between is in the intervals of all runs


@dataclass(frozen=True)
class Cell:
    """The correct predictions of one model on the pairs of one group and gold label.

    Of several runs `correct` is the mean, and `low` and `high` hold the intervals of all of them: what lies above or
    below these two does so in every run.
    """

    n: int
    correct: int | Fraction
    low: float
    high: float
    spread: SeedSpread | None = None
    few_clusters: bool = (
        False  # the pairs share fewer than ten groups, sources or premises; the interval ignores that
    )

    def includes(self, share: float) -> bool:
        """Return whether a share is in the interval, or in those of all runs if there are several."""
        low, high = self.spread.inner if self.spread else (self.low, self.high)
        return low <= share <= high

    def text(self) -> str:
        """Format accuracy and interval, such as 0.98 0.97-0.99."""
        low, high = round_outwards(self.low, self.high, 2)
        return f"{format_fraction(self.correct, self.n, 2)} {low}-{high}"


def format_fraction(part: int | Fraction, whole: int, digits: int) -> str:
    """Format part of whole as a decimal fraction, rounded half up; a dash if whole is 0."""
    if whole == 0:
        return "-"
    return round_half_up(Fraction(part, whole), digits)


def format_percent(part: int | Fraction, whole: int) -> str:
    """Format part of whole as a percentage with one decimal."""
    return f"{format_fraction(100 * part, whole, 1)}%"


def replace_unprintable(value: object) -> str:
    """Replace unprintable characters, which could break a line or control a terminal; None becomes a dash."""
    text = "-" if value is None else str(value)
    return "".join(letter if letter.isprintable() else UNPRINTABLE for letter in text)


def round_half_up(value: Fraction, digits: int) -> str:
    """Round a fraction to a number of decimals, halves away from zero, as printed tables do.

    Give Fraction(correct, n): a binary float such as 0.965 is a little off, and rounds to the wrong side.
    """
    scale = 10**digits
    rounded = (2 * abs(value.numerator) * scale + value.denominator) // (2 * value.denominator)
    whole, part = divmod(rounded, scale)
    sign = "-" if value < 0 and rounded else ""
    return f"{sign}{whole}.{part:0{digits}d}" if digits else f"{sign}{whole}"


def round_outwards(low: float, high: float, digits: int) -> tuple[str, str]:
    """Round an interval so that it never gets narrower: the lower bound down, the upper bound up."""
    return round_down(low, digits), round_up(high, digits)


def round_down(value: float, digits: int) -> str:
    """Round down to a number of decimals; a value that is exact but for float noise stays."""
    return round_half_up(Fraction(math.floor(_scale_to_digits(value, digits)), 10**digits), digits)


def round_up(value: float, digits: int) -> str:
    """Round up to a number of decimals; a value that is exact but for float noise stays."""
    return round_half_up(Fraction(math.ceil(_scale_to_digits(value, digits)), 10**digits), digits)


def _scale_to_digits(value: float, digits: int) -> float:
    return round(value * float(10**digits), 6)


_SLUG_LENGTH = 80
_NOT_IN_SLUGS = re.compile(r"[^A-Za-z0-9._-]+")


def number_equal_names(names: Sequence[str]) -> list[str]:
    """Append (1), (2) and so on to names that occur more than once, so that all are different."""
    numbered: list[str] = []
    for name in names:
        choices = (f"{name} ({number})" for number in count(1))
        free = (choice for choice in choices if choice not in numbered and choice not in names)
        numbered.append(next(free) if names.count(name) > 1 else name)
    return numbered


def make_slugs(names: Sequence[str]) -> list[str]:
    """Make file names from names: ASCII only, and distinct even where case is ignored."""
    slugs: list[str] = []
    for name in names:
        base = _NOT_IN_SLUGS.sub("-", name).strip("-.")[-_SLUG_LENGTH:] or "unnamed"
        slug, number = base, 1
        while slug.casefold() in {known.casefold() for known in slugs}:
            number += 1
            slug = f"{base}-{number}"
        slugs.append(slug)
    return slugs
