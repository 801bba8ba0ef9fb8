"""One figure as text: accuracies are rounded half up from counts, bounds outwards."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from rightreasons.scoring.intervals import half_up

UNPRINTABLE = "\N{REPLACEMENT CHARACTER}"


@dataclass(frozen=True)
class Cell:
    """The right answers of one model to the pairs of one group and true label."""

    n: int
    correct: int
    low: float
    high: float

    def text(self) -> str:
        """Show accuracy and interval, such as 0.98 0.97-0.99."""
        low = f"{math.floor(round(self.low * 100, 6)) / 100:.2f}"
        high = f"{math.ceil(round(self.high * 100, 6)) / 100:.2f}"
        return f"{fraction(self.correct, self.n, 2)} {low}-{high}"


def fraction(part: int, whole: int, digits: int) -> str:
    """Show part of whole as a decimal fraction, rounded half up; a part of nothing is a dash."""
    if whole == 0:
        return "-"
    return half_up(Fraction(part, whole), digits)


def percent(part: int, whole: int) -> str:
    """Show part of whole in percent with one decimal."""
    return f"{fraction(100 * part, whole, 1)}%"


def plain(value: object) -> str:
    """Show a tag or a name from outside on one line, without characters that could steer a terminal."""
    text = "-" if value is None else str(value)
    return "".join(letter if letter.isprintable() else UNPRINTABLE for letter in text)
