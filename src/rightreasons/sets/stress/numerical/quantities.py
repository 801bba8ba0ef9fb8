"""What a text says of an amount, and what follows from that: labels by arithmetic on intervals.

The amount is read from the text alone, at a place, so a label found here knows nothing of how the text was written.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from rightreasons.core.labels import CONTRADICTION, ENTAILMENT, NEUTRAL
from rightreasons.language.numbers import number_at

INFINITY = float("inf")  # compares with whole numbers exactly
_COMPARISON = re.compile(r"(?:(more)|less|fewer) than ", re.IGNORECASE)


class Amount(NamedTuple):
    """All that an amount may be, in millionths: one point, or all between two bounds that are not reached."""

    low: float
    high: float

    @property
    def is_point(self) -> bool:
        """Tell whether the amount is exact."""
        return self.low == self.high


def amount_at(text: str, start: int) -> Amount:
    """Read the amount that a text states at an offset, a number or a comparison with one; a ValueError without."""
    comparison = _COMPARISON.match(text, start)
    number = number_at(text, comparison.end() if comparison else start)
    if number is None:
        raise ValueError(f"There is no amount at character {start} of {text!r}.")
    value = number.millionths
    if comparison is None:
        return Amount(value, value)
    return Amount(value, INFINITY) if comparison.group(1) else Amount(-INFINITY, value)


def is_within(inner: Amount, outer: Amount) -> bool:
    """Tell whether all that one amount may be, the other may be too."""
    if inner.is_point and outer.is_point:
        return inner == outer
    if inner.is_point:
        return outer.low < inner.low < outer.high
    return not outer.is_point and outer.low <= inner.low and inner.high <= outer.high


def is_apart(one: Amount, other: Amount) -> bool:
    """Tell whether nothing that one amount may be, the other may be too."""
    if one.is_point or other.is_point:
        return not (is_within(one, other) or is_within(other, one))
    return one.high <= other.low or other.high <= one.low


def label_of(premise: Amount, hypothesis: Amount) -> str:
    """Say what follows for the hypothesis when only these amounts tell the two texts apart."""
    if is_within(premise, hypothesis):
        return ENTAILMENT
    return CONTRADICTION if is_apart(premise, hypothesis) else NEUTRAL


def label_at(premise: str, hypothesis: str, start: int) -> str:
    """Label two texts that differ in the amount at an offset and in nothing else."""
    return label_of(amount_at(premise, start), amount_at(hypothesis, start))
