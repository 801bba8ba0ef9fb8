"""Other numbers than the one in a text: smaller or larger by a factor or by a share, written with the same decimals."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rightreasons.language.numbers import Number

_FACTORS = (2, 20)
_SHARES = (5, 60)  # percent
_WHOLE = 100  # percent
_TEN = 10


def lowest(number: Number) -> int:
    """Give the least digits that may stand in the place of a number: a plural noun must still fit."""
    style = number.style
    one: int = 10**style.decimals
    if number.digits < one or (style.kind in ("currency", "percent") and not style.scale):
        return 1
    if style.scale:
        return one
    return one + 1 if style.decimals else 2


def highest(number: Number) -> int | None:
    """Give the largest digits that make sense: a part of something is less than the whole."""
    whole = _WHOLE * 10**number.style.decimals
    return whole - 1 if number.style.percent and number.digits < whole else None


def room(number: Number) -> tuple[bool, bool]:
    """Tell whether there are smaller and whether there are larger numbers to take; the whole has neither."""
    if number.style.percent and number.digits == _WHOLE * 10**number.style.decimals:
        return False, False
    floor, top = lowest(number), highest(number)
    return number.digits > floor, number.digits >= floor and (top is None or number.digits < top)


def smaller(number: Number, way: int, amount: int) -> int:
    """Give smaller digits: a half to a twentieth or some percent less, and where that is too small any that fit."""
    digits, floor = number.digits, lowest(number)
    new = digits // _pick(amount, _FACTORS) if way % 2 else digits - digits * _pick(amount, _SHARES) // _WHOLE
    step = _step(digits, new)
    new = new // step * step
    return new if floor <= new < digits else floor + amount % (digits - floor)


def larger(number: Number, way: int, amount: int) -> int:
    """Give larger digits: two to twenty times or some percent more, and where that is too large any that fit."""
    digits, top = number.digits, highest(number)
    new = (
        digits * _pick(amount, _FACTORS)
        if way % 2
        else digits + digits * _pick(amount, _SHARES) // _WHOLE + 1
    )
    step = _step(digits, new)
    new = -(-new // step) * step
    return new if top is None or new <= top else digits + 1 + amount % (top - digits)


def _pick(amount: int, bounds: tuple[int, int]) -> int:
    first, last = bounds
    return first + amount % (last - first + 1)


def _step(digits: int, new: int) -> int:
    """Find how round a number is; a new one is as round, with two figures that count."""
    step = 1
    while digits % (step * _TEN) == 0 and digits >= step * _TEN * _TEN and new >= step * _TEN:
        step *= _TEN
    return step
