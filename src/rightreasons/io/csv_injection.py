"""CSV and TSV that people open in a spreadsheet: no cell is taken for a formula, and cells read back as they were.

A text that a spreadsheet might compute gets an apostrophe in front. So does one that begins with apostrophes and goes
on like that, or reading back could not tell the two apart. Every table of results is written by `to_csv`; pairs and
predictions are data, which other programs and this one read back, and are written by `tables` as they are.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from pathlib import Path

_FULL_WIDTH = "".join(chr(ord(letter) + 0xFEE0) for letter in "=+-@")  # as Chinese and Japanese text has them
_FORMULA_STARTS = f"=+-@{_FULL_WIDTH}\t\r\n"
_SEPARATORS = ";,|"  # another program may end a cell there, so that the next one begins with a formula


def escape_formula(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet might compute."""
    return f"'{text}" if _starts_like_formula(text) else text


def unescape_formula(text: str) -> str:
    """Remove the apostrophe that `escape_formula` put before a text."""
    return text[1:] if text.startswith("'") and _starts_like_formula(text) else text


def _starts_like_formula(text: str) -> bool:
    """Return whether the first visible letter, after any apostrophes, begins a formula."""
    first = next(
        (letter for letter in text.lstrip("'") if letter in _FORMULA_STARTS or not _may_be_dropped(letter)),
        "",
    )
    return first != "" and first in _FORMULA_STARTS


def _may_be_dropped(letter: str) -> bool:
    """Return whether a program may drop a letter at the start of a cell: spaces, separators, invisible characters."""
    # Cc are control characters, Cf those without width such as U+200B and U+FEFF, Z all kinds of spaces.
    return letter in _SEPARATORS or unicodedata.category(letter) in ("Cc", "Cf", "Zs", "Zl", "Zp")


def format_csv(table: pl.DataFrame, separator: str = ",") -> str:
    """Write a table as CSV, or with another separator, so that neither a cell nor a heading is a formula."""
    cells = [_escape_formulas(table[name]) for name in table.columns]
    headings = [escape_formula(name) for name in table.columns]
    renamed = [column.alias(heading) for column, heading in zip(cells, headings, strict=True)]
    return pl.DataFrame(renamed).write_csv(separator=separator)


def write_csv(table: pl.DataFrame, path: Path, separator: str = ",") -> None:
    """Write a table to a file as `format_csv` formats it."""
    path.write_text(format_csv(table, separator), encoding="utf-8", newline="")


def _escape_formulas(column: pl.Series) -> pl.Series:
    """Escape every text of a column; numbers and dates are never formulas."""
    if column.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return column
    words = column.cast(pl.String)
    different = words.unique().drop_nulls()
    changed = {word: escape_formula(word) for word in different.to_list() if escape_formula(word) != word}
    return words.replace(changed) if changed else words
