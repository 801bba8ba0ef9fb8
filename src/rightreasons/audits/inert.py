"""Texts in the cells of a sheet, made so that no spreadsheet takes them for a formula, and read back as they were.

A text that a spreadsheet might compute gets an apostrophe in front. So does one that begins with apostrophes and goes
on like that, or reading back could not tell the two apart.
"""

from __future__ import annotations

import re

_WIDE = "".join(chr(ord(letter) + 0xFEE0) for letter in "=+-@")  # as Chinese and Japanese text has them
_STARTS = rf"[=+\-@{_WIDE}\t\r\n]"
_LIKE_FORMULA = re.compile(rf"'*\s*{_STARTS}")
_MADE_INERT = re.compile(rf"'+\s*{_STARTS}")


def inert(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet might compute."""
    return f"'{text}" if _LIKE_FORMULA.match(text) else text


def restored(text: str) -> str:
    """Take away the apostrophe that was put before a text."""
    return text[1:] if _MADE_INERT.match(text) else text
