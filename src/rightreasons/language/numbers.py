"""Number expressions of a text: where they stand, their exact value, and how to write another one the same way."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Literal, NamedTuple

from rightreasons.language import number_words
from rightreasons.language.number_words import SCALES, read_words, write_words

Kind = Literal["plain", "currency", "percent", "word"]
DECIMALS = 6  # no more are read


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
        """Say what kind of number is written so."""
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
        return value_of(self.digits, self.style)

    @property
    def millionths(self) -> int:
        """Return the exact value in millionths: whole numbers compare faster than fractions."""
        style = self.style
        scale = SCALES[style.scale.strip().lower()] if style.scale else 1
        shift: int = 10 ** (DECIMALS - style.decimals)
        return self.digits * scale * shift


_SIGN = r"(?:US\$|[$£€¥₹]|\bRs\b\.?)[ ]?"
_DIGITS = r"[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]{1,15}"
_SCALE = rf"[ ](?:{'|'.join(SCALES)})\b"
_PERCENT = r"[ ]?%|[ ]per[ ]?cent\b"
PATTERN = (
    rf"({_SIGN})?(?<![0-9A-Za-z_])({_DIGITS})(?:\.([0-9]{{1,{DECIMALS}}}))?({_SCALE})?({_PERCENT})?"
    rf"|\b({number_words.PATTERN})({_PERCENT})?"
)
_NUMBER = re.compile(PATTERN, re.IGNORECASE)


def numbers(text: str) -> list[Number]:
    """Find the number expressions of a text, from left to right; what they are used for is for others to judge."""
    return [_read(match) for match in _NUMBER.finditer(text)]


def number_at(text: str, start: int) -> Number | None:
    """Read the number expression that begins at an offset, if one does."""
    match = _NUMBER.match(text, start)
    return _read(match) if match else None


def value_of(digits: int, style: Style) -> Fraction:
    """Return the exact value that digits have in a style."""
    scale = SCALES[style.scale.strip().lower()] if style.scale else 1
    return Fraction(digits * scale, 10**style.decimals)


def write(value: Fraction | int, style: Style) -> str:
    """Write a value in a style; a value that the style can't express is a ValueError."""
    scale = SCALES[style.scale.strip().lower()] if style.scale else 1
    digits = Fraction(value) * 10**style.decimals / scale
    if digits.denominator != 1 or digits < 0 or (style.words and digits >= number_words.LIMIT):
        raise ValueError(f"{value} can't be written in the style {style}.")
    return write_digits(int(digits), style)


def write_digits(digits: int, style: Style) -> str:
    """Write digits, whose last ones are decimals where the style has them."""
    if style.words:
        words = write_words(digits, joint=style.joint, conjunction=style.conjunction)
        return (words[0].upper() + words[1:] if style.capital else words) + style.percent
    whole, part = divmod(digits, 10**style.decimals)
    shown = f"{whole:,}" if style.commas else str(whole)
    if style.decimals:
        shown += f".{part:0{style.decimals}}"
    return f"{style.sign}{shown}{style.scale}{style.percent}"


def _read(match: re.Match[str]) -> Number:
    sign, whole, decimals, scale, percent, words, word_percent = match.groups()
    if words is not None:
        return Number(match.start(), match.end(), read_words(words), _word_style(words, word_percent or ""))
    digits = int(whole.replace(",", "") + (decimals or ""))
    # Below a thousand nothing tells, and commas are the rule.
    commas = "," in whole or len(whole) < len("1000")
    style = Style(sign or "", commas, len(decimals or ""), scale or "", percent or "")
    return Number(match.start(), match.end(), digits, style)


def _word_style(words: str, percent: str) -> Style:
    joint = (
        " " if "-" not in words and any(f"{tens} " in words.lower() for tens in number_words.TENS) else "-"
    )
    return Style(
        percent=percent,
        words=True,
        joint=joint,
        conjunction=" and " in words.lower(),
        capital=words[0].isupper(),
    )
