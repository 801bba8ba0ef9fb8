"""CSV and TSV that people open in a spreadsheet: no cell is taken for a formula, and cells read back as they were.

A text that a spreadsheet might compute gets an apostrophe in front. So does one that begins with apostrophes and goes
on like that, or reading back could not tell the two apart. Every table of results is written by `to_csv`; pairs and
predictions are data, which other programs and this one read back, and are written by `tables` as they are.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from pathlib import Path

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


def to_csv(table: pl.DataFrame, separator: str = ",") -> str:
    """Write a table as CSV, or with another separator, so that neither a cell nor a heading is a formula."""
    cells = [_inert_column(table[name]) for name in table.columns]
    headings = [inert(name) for name in table.columns]
    renamed = [column.alias(heading) for column, heading in zip(cells, headings, strict=True)]
    return pl.DataFrame(renamed).write_csv(separator=separator)


def write_csv(table: pl.DataFrame, path: Path, separator: str = ",") -> None:
    """Write a table to a file as `to_csv` does."""
    path.write_text(to_csv(table, separator), encoding="utf-8", newline="")


def _inert_column(column: pl.Series) -> pl.Series:
    """Make every text of a column inert; numbers and dates are never formulas."""
    if column.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return column
    words = column.cast(pl.String)
    different = words.unique().drop_nulls()
    changed = {word: inert(word) for word in different.to_list() if inert(word) != word}
    return words.replace(changed) if changed else words
