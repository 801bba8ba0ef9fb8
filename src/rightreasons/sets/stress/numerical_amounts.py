"""Amounts: smaller and larger numbers written with the same decimals, and labels by interval arithmetic.

An amount is read from the text alone, at an offset, so its label does not depend on how the text was made.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from rightreasons.core.labels import CONTRADICTION, ENTAILMENT, NEUTRAL
from rightreasons.language.numbers import read_number_at

if TYPE_CHECKING:
    from rightreasons.language.numbers import Number

_FACTORS = (2, 20)
_SHARES = (5, 60)  # percent
_WHOLE = 100  # percent
_TEN = 10
INFINITY = float("inf")  # compares with whole numbers exactly
_COMPARISON = re.compile(r"(?:(more)|less|fewer) than ", re.IGNORECASE)


def get_lowest_digits(number: Number) -> int:
    """Return the smallest digits that may replace a number: a plural noun must still fit."""
    style = number.style
    one: int = 10**style.decimals
    if number.digits < one or (style.kind in ("currency", "percent") and not style.scale):
        return 1
    if style.scale:
        return one
    return one + 1 if style.decimals else 2


def get_highest_digits(number: Number) -> int | None:
    """Return the largest digits that make sense: a part of something is less than the whole."""
    whole = _WHOLE * 10**number.style.decimals
    return whole - 1 if number.style.percent and number.digits < whole else None


def has_smaller_and_larger(number: Number) -> tuple[bool, bool]:
    """Return whether there are smaller and whether there are larger numbers to take; the whole has neither."""
    if number.style.percent and number.digits == _WHOLE * 10**number.style.decimals:
        return False, False
    floor, top = get_lowest_digits(number), get_highest_digits(number)
    return number.digits > floor, number.digits >= floor and (top is None or number.digits < top)


def draw_smaller_digits(number: Number, way: int, amount: int) -> int:
    """Return smaller digits: a half to a twentieth, or some percent less; any that fit if that is too small."""
    digits, floor = number.digits, get_lowest_digits(number)
    new = (
        digits // _pick_within_bounds(amount, _FACTORS)
        if way % 2
        else digits - digits * _pick_within_bounds(amount, _SHARES) // _WHOLE
    )
    step = _find_rounding_step(digits, new)
    new = new // step * step
    return new if floor <= new < digits else floor + amount % (digits - floor)


def draw_larger_digits(number: Number, way: int, amount: int) -> int:
    """Return larger digits: two to twenty times, or some percent more; any that fit if that is too large."""
    digits, top = number.digits, get_highest_digits(number)
    new = (
        digits * _pick_within_bounds(amount, _FACTORS)
        if way % 2
        else digits + digits * _pick_within_bounds(amount, _SHARES) // _WHOLE + 1
    )
    step = _find_rounding_step(digits, new)
    new = -(-new // step) * step
    return new if top is None or new <= top else digits + 1 + amount % (top - digits)


def _pick_within_bounds(amount: int, bounds: tuple[int, int]) -> int:
    first, last = bounds
    return first + amount % (last - first + 1)


def _find_rounding_step(digits: int, new: int) -> int:
    """Find how round a number is; a new one is as round, with two figures that count."""
    step = 1
    while digits % (step * _TEN) == 0 and digits >= step * _TEN * _TEN and new >= step * _TEN:
        step *= _TEN
    return step


class Amount(NamedTuple):
    """All that an amount may be, in millionths: one point, or all between two bounds that are not reached."""

    low: float
    high: float

    @property
    def is_exact(self) -> bool:
        """Return whether the amount is exact."""
        return self.low == self.high


def read_amount(text: str, start: int) -> Amount:
    """Read the amount that a text states at an offset, a number or a comparison with one; a ValueError without."""
    comparison = _COMPARISON.match(text, start)
    number = read_number_at(text, comparison.end() if comparison else start)
    if number is None:
        raise ValueError(f"There is no amount at character {start} of {text!r}.")
    value = number.millionths
    if comparison is None:
        return Amount(value, value)
    return Amount(value, INFINITY) if comparison.group(1) else Amount(-INFINITY, value)


def is_amount_within(inner: Amount, outer: Amount) -> bool:
    """Return whether all that one amount may be, the other may be too."""
    if inner.is_exact and outer.is_exact:
        return inner == outer
    if inner.is_exact:
        return outer.low < inner.low < outer.high
    return not outer.is_exact and outer.low <= inner.low and inner.high <= outer.high


def are_amounts_disjoint(one: Amount, other: Amount) -> bool:
    """Return whether nothing that one amount may be, the other may be too."""
    if one.is_exact or other.is_exact:
        return not (is_amount_within(one, other) or is_amount_within(other, one))
    return one.high <= other.low or other.high <= one.low


def label_amounts(premise: Amount, hypothesis: Amount) -> str:
    """Return the label of two texts that differ in these amounts only."""
    if is_amount_within(premise, hypothesis):
        return ENTAILMENT
    return CONTRADICTION if are_amounts_disjoint(premise, hypothesis) else NEUTRAL


def label_texts_by_amount(premise: str, hypothesis: str, start: int) -> str:
    """Label two texts that differ in the amount at an offset and in nothing else."""
    return label_amounts(read_amount(premise, start), read_amount(hypothesis, start))
