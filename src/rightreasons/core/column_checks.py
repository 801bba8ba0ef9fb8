"""Names and types of the columns of a table from outside, checked and brought to plain types when it is read.

The names of our own helper columns begin with a NUL character, which no table from outside may have in a name, so the
two never meet. Nor may a name be one that polars takes for a pattern over all columns.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_COLUMNS = 1_000
RESERVED_PREFIX = "\0"
ROW_COLUMN = f"{RESERVED_PREFIX}row"  # the number of a row in its table, from 0
_TEXT_TYPES = (pl.Binary, pl.Categorical, pl.Enum)
_MAX_QUOTED = 40  # characters of a name that an error quotes


def check_column_names(where: str, names: Iterable[str]) -> None:
    """Refuse too many columns, names that occur twice, and names that polars or we would misread."""
    count = Counter(list(names))  # a mapping would be taken for counts
    if len(count) > MAX_COLUMNS:
        raise InputError(f"{where}: the table has {len(count):,} columns. Use at most {MAX_COLUMNS:,}.")
    twice = sorted(name for name, times in count.items() if times > 1)
    if twice:
        some = ", ".join(map(quote_column_name, twice[:3]))
        raise InputError(f"{where}: the header has {some} twice. Give each column a unique name.")
    for name in count:
        if RESERVED_PREFIX in name or name == "*" or (name.startswith("^") and name.endswith("$")):
            raise InputError(f"{where}: a column can't be called {quote_column_name(name)}. Rename it.")


def cast_to_plain_types(table: pl.LazyFrame) -> pl.LazyFrame:
    """Make strings of bytes, categories and durations, which many operations refuse; bytes must be UTF-8."""
    kinds = table.collect_schema()
    texts = [pl.col(name).cast(pl.String) for name, kind in kinds.items() if kind in _TEXT_TYPES]
    times = [pl.col(name).dt.to_string() for name, kind in kinds.items() if isinstance(kind, pl.Duration)]
    return table.with_columns(*texts, *times) if texts or times else table


def check_utf8_columns(where: str, table: pl.LazyFrame) -> None:
    """Refuse the first column of bytes that are not UTF-8; made only when reading it as text has failed."""
    for name, kind in table.collect_schema().items():
        if kind == pl.Binary:
            values = table.select(name).collect().to_series()
            row = next((row for row, value in enumerate(values, 1) if not _is_utf8(value)), None)
            if row is not None:
                what = f"the column {quote_column_name(name)} contains bytes that are not UTF-8"
                raise InputError(f"{where}, row {row}: {what}. Remove the column, or save it as text.")


def _is_utf8(value: bytes | None) -> bool:
    try:
        return value is None or value.decode() is not None
    except UnicodeDecodeError:
        return False


def cast_column_to_string(values: pl.Series, where: str) -> pl.Series:
    """Make strings of a column that must hold one value per row."""
    if values.dtype.is_nested():
        what = f"the column {quote_column_name(values.name)} contains lists or objects"
        raise InputError(f"{where}: {what}. Give one value per row.")
    return values.cast(pl.String)


def quote_column_name(name: str) -> str:
    """Quote a name from outside, or its beginning."""
    return repr(name if len(name) <= _MAX_QUOTED else f"{name[:_MAX_QUOTED]}...")
