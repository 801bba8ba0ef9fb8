"""Several texts as one, so that different texts never come out the same; digests are taken of that.

Fields are joined by control characters, which rarely occur in texts. Where they do, they are escaped, so digests of
ordinary texts are the same as without escapes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    import polars as pl

FIELD, ROW, NULL = "\x1f", "\x1e", "\x00"
_ESCAPE = "\x1d"
_ESCAPES = {FIELD: f"{_ESCAPE}1", ROW: f"{_ESCAPE}2", NULL: f"{_ESCAPE}3", _ESCAPE: f"{_ESCAPE}0"}
_TABLE = str.maketrans(_ESCAPES)


def join_fields(fields: Iterable[object]) -> str:
    """Join values, as texts, to one that no other values give."""
    return FIELD.join(str(field).translate(_TABLE) for field in fields)


def join_columns(columns: Iterable[str]) -> pl.Expr:
    """Join the cells of each row to one text that no other row gives; a missing value is no text."""
    import polars as pl

    cells = pl.col(list(columns)).cast(pl.String).str.replace_many(list(_ESCAPES), list(_ESCAPES.values()))
    return pl.concat_str(cells.fill_null(NULL), separator=FIELD)
