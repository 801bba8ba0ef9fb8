"""Number expressions of a text: their offsets, their exact value, and how to write another one the same way.

Numbers in words are read and written up to the trillions.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Literal, NamedTuple

_BELOW_TWENTY = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
UNITS = _BELOW_TWENTY.split()
TENS = {word: 10 * number for number, word in enumerate(_TENS.split(), start=2)}
SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
HUNDRED = 100
LIMIT = 10**15  # words go no further
_VALUES = {word: value for value, word in enumerate(UNITS)} | TENS | {"a": 1}

_SPACE = r"[ \t]+"
_DIGIT = "one|two|three|four|five|six|seven|eight|nine"
_SMALL = rf"(?:(?:{'|'.join(TENS)})(?:(?:-|{_SPACE})(?:{_DIGIT})\b)?|(?:{'|'.join(reversed(UNITS))}))\b"
_HUNDRED = rf"{_SPACE}hundred\b(?:{_SPACE}(?:and{_SPACE})?{_SMALL})?"
_GROUP = rf"{_SMALL}(?:{_HUNDRED})?"
_SCALED = rf"{_SPACE}(?:{'|'.join(SCALES)})\b"
_ON = rf"{_SPACE}(?:and{_SPACE})?{_GROUP}"
APART = rf"(?:{'|'.join(TENS)}) (?:{_DIGIT})\b"  # "twenty one", where others write a hyphen
_LARGE = rf"{_SCALED}(?:{_ON}{_SCALED})*(?:{_ON})?"
# What a number in words looks like: groups below a thousand, each but the last with its scale; "a hundred" is one.
PATTERN = rf"(?:{_GROUP}(?:{_LARGE})?|a(?:{_HUNDRED}(?:{_LARGE})?|{_LARGE}))"
Kind = Literal["plain", "currency", "percent", "word"]
DECIMALS = 6  # no more are read
_SIGNS = "$£€¥₹"
_SIGN_ENDS = f"{_SIGNS}.sS"
_SIGN = re.compile(rf"(?:US\$|[{_SIGNS}]|\bRs\b\.?)[ ]?", re.IGNORECASE)
_SIGN_BEFORE = re.compile(rf"(?:US\$|[{_SIGNS}]|\bRs\.?)[ ]?$", re.IGNORECASE)
_SIGN_LENGTH = 5  # of the longest sign, with a character before it
_PERCENT = r"([ ]?%|[ ]per[ ]?cent\b)?"
# Both begin with what only few characters are, so that the rest of a text is skipped fast.
_DIGITS = re.compile(
    r"([0-9](?<![0-9A-Za-z_][0-9])(?:[0-9]{0,2}(?:,[0-9]{3})+(?![0-9])|[0-9]{0,14}))"
    rf"(?:\.([0-9]{{1,{DECIMALS}}}))?([ ](?:{'|'.join(SCALES)})\b)?{_PERCENT}"
)
_WORDS = re.compile(rf"\b(?=[aefnostz])({PATTERN}){_PERCENT}")
_APART = re.compile(APART)
_LONGEST = 240  # characters of a number, in words or in digits with commas


def read_number_words(text: str) -> int:
    """Read a number in words, such as "two hundred and five", that matches the pattern."""
    total = group = 0
    for word in text.lower().replace("-", " ").replace(",", " ").split():
        if word in _VALUES:
            group += _VALUES[word]
        elif word == "hundred":
            group *= HUNDRED
        elif word in SCALES:
            total += group * SCALES[word]
            group = 0
    return total + group


def write_number_words(value: int, *, joint: str = "-", conjunction: bool = False) -> str:
    """Write a whole number in words; `joint` stands in "twenty-one", the conjunction in "two hundred and five"."""
    words = []
    for scale, size in sorted(SCALES.items(), key=lambda item: -item[1]):
        count, value = divmod(value, size)
        if count:
            words += [_write_below_thousand(count, joint, conjunction=conjunction), scale]
    if value or not words:
        linked = conjunction and words and value < HUNDRED
        words += ["and"] * bool(linked) + [_write_below_thousand(value, joint, conjunction=conjunction)]
    return " ".join(words)


def _write_below_thousand(value: int, joint: str, *, conjunction: bool) -> str:
    """Write a number below a thousand."""
    hundreds, rest = divmod(value, HUNDRED)
    if not hundreds:
        return _write_below_hundred(rest, joint)
    head = f"{UNITS[hundreds]} hundred"
    return f"{head}{' and' if conjunction else ''} {_write_below_hundred(rest, joint)}" if rest else head


def _write_below_hundred(value: int, joint: str) -> str:
    """Write a number below a hundred."""
    if value < len(UNITS):
        return UNITS[value]
    tens, rest = divmod(value, 10)
    name = list(TENS)[tens - 2]
    return f"{name}{joint}{UNITS[rest]}" if rest else name


class Style(NamedTuple):
    """How a number is written."""

    sign: str = ""  # of a currency, with the space that follows it
    commas: bool = True
    decimals: int = 0
    scale: str = ""  # " thousand" and the like, with the space before it
    percent: str = ""  # "%" or " percent", as it stands
    words: bool = False
    joint: str = "-"
    conjunction: bool = False
    capital: bool = False

    @property
    def kind(self) -> Kind:
        """Return the kind of number: plain, word, currency or percent."""
        if self.percent:
            return "percent"
        if self.sign:
            return "currency"
        return "word" if self.words else "plain"


class Number(NamedTuple):
    """A number expression: its place, its digits without the point, its style."""

    start: int
    end: int
    digits: int
    style: Style

    @property
    def value(self) -> Fraction:
        """Return the exact value; a percentage counts in hundredths of the whole, as it is written."""
        return compute_value(self.digits, self.style)

    @property
    def millionths(self) -> int:
        """Return the exact value in millionths: whole numbers compare faster than fractions."""
        style = self.style
        scale = SCALES[style.scale.strip().lower()] if style.scale else 1
        shift: int = 10 ** (DECIMALS - style.decimals)
        return self.digits * scale * shift


def find_numbers(text: str) -> list[Number]:
    """Find the number expressions of a text, from left to right; what they are used for is for others to judge."""
    numbers = [
        _read_digit_number(text, match) for match in _DIGITS.finditer(text) if _has_readable_length(match)
    ]
    folded = _fold_case(text)
    in_words = [_read_word_number(text, match, 0) for match in _WORDS.finditer(folded)]
    return sorted(numbers + in_words) if numbers and in_words else numbers or in_words


def read_number_at(text: str, start: int) -> Number | None:
    """Read the number expression that begins at an offset, if one does."""
    sign = _SIGN.match(text, start)
    match = _DIGITS.match(text, sign.end() if sign else start)
    if match:
        return _read_digit_number(text, match) if _has_readable_length(match) else None
    # One character more on each side shows whether a word goes on there.
    first = max(0, start - 1)
    match = _WORDS.match(_fold_case(text[first : start + _LONGEST]), start - first)
    return _read_word_number(text, match, first) if match else None


def compute_value(digits: int, style: Style) -> Fraction:
    """Return the exact value that digits have in a style."""
    scale = SCALES[style.scale.strip().lower()] if style.scale else 1
    return Fraction(digits * scale, 10**style.decimals)


def write_number(value: Fraction | int, style: Style) -> str:
    """Write a value in a style; a value that the style can't express is a ValueError."""
    scale = SCALES[style.scale.strip().lower()] if style.scale else 1
    digits = Fraction(value) * 10**style.decimals / scale
    if digits.denominator != 1 or digits < 0 or (style.words and digits >= LIMIT):
        raise ValueError(f"{value} can't be written in the style {style}.")
    return write_digits(int(digits), style)


def write_digits(digits: int, style: Style) -> str:
    """Write digits, whose last ones are decimals where the style has them."""
    if style.words:
        words = write_number_words(digits, joint=style.joint, conjunction=style.conjunction)
        return (words[0].upper() + words[1:] if style.capital else words) + style.percent
    whole, part = divmod(digits, 10**style.decimals)
    integer = f"{whole:,}" if style.commas else str(whole)
    # Both "12.5 million" and "12 million" occur.
    if style.decimals and (part or not style.scale):
        integer += f".{part:0{style.decimals}}"
    return f"{style.sign}{integer}{style.scale}{style.percent}"


def _has_readable_length(match: re.Match[str]) -> bool:
    """Return whether a number has so few digits that its value is read: Python itself refuses very many."""
    return match.end(1) - match.start(1) <= _LONGEST


def _read_digit_number(text: str, match: re.Match[str]) -> Number:
    """Parse a number in digits, with the currency sign before it."""
    whole, decimals, scale, percent = match.groups()
    start, end = match.span()
    sign = _find_currency_sign(text, start) if start else ""
    # Below a thousand nothing tells, and commas are the rule.
    commas = "," in whole or len(whole) < len("1000")
    style = Style(sign, commas, len(decimals or ""), scale or "", percent or "")
    return Number(start - len(sign), end, int(whole.replace(",", "") + (decimals or "")), style)


def _find_currency_sign(text: str, start: int) -> str:
    """Find the sign of a currency right before digits."""
    last = text[start - 1] if text[start - 1] != " " or start == 1 else text[start - 2]
    if last not in _SIGN_ENDS:
        return ""
    match = _SIGN_BEFORE.search(text[max(0, start - _SIGN_LENGTH) : start])
    return match.group() if match else ""


def _read_word_number(text: str, match: re.Match[str], first: int) -> Number:
    """Parse a number in words, found in a text that begins at `first`."""
    words, percent = match.groups()
    start, end = match.span()
    style = Style(
        percent=text[first + end - len(percent) : first + end] if percent else "",
        words=True,
        joint=" " if _APART.search(words) else "-",
        conjunction=" and " in words,
        capital=text[first + start].isupper(),
    )
    return Number(first + start, first + end, read_number_words(words), style)


def _fold_case(text: str) -> str:
    """Lower the letters of a text without moving any: a few letters get longer that way, and are left."""
    folded = text.lower()
    return (
        folded if len(folded) == len(text) else "".join(one.lower() if one.isascii() else one for one in text)
    )
