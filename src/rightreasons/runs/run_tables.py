"""What the tables of a run folder hold: columns and their types, checked before anything is computed from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.column_checks import check_names, quoted
from rightreasons.core.errors import InputError
from rightreasons.core.labels import PROBABILITIES
from rightreasons.core.pairs import PARSES, REQUIRED, TEXTS
from rightreasons.io.polars_io import read_parquet, read_parquet_schema, scan_parquet

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_ADVICE = "Give a whole run folder, or evaluate again."
_ROUNDING = 1e-6  # of probabilities


def check_set(path: Path, *, rows: int) -> None:
    """Refuse the pairs of a run if a column is missing or of another type, or if the card counts others."""
    kinds = _schema(path)
    _need_texts(path, kinds, REQUIRED, [*REQUIRED, *PARSES])
    for name, kind in kinds.items():
        # Bytes and durations become texts, and nested columns are left out, when a table is read.
        if kind in (pl.Binary, pl.Duration) or kind.is_nested():
            raise _wrong(path, name, kind, "texts or numbers")
    found = scan_parquet(path).select(pl.len()).collect().item()
    if found != rows:
        raise InputError(f"The file {str(path)!r} has {found:,} pairs, and the card says {rows:,}. {_ADVICE}")


def read_predictions(path: Path) -> pl.DataFrame:
    """Read the predictions of a run; ids and labels are texts, and probabilities are from 0 to 1."""
    kinds = _schema(path)
    _need_texts(path, kinds, ("id", "label"), ("id", "label", "text"))
    shares = [name for name in PROBABILITIES.values() if name in kinds]
    for name in shares:
        if not kinds[name].is_float() and kinds[name] != pl.Null:
            raise _wrong(path, name, kinds[name], "numbers")
    table = read_parquet(path).with_columns(pl.col(shares).cast(pl.Float64))
    for name in shares:
        if not table[name].drop_nulls().is_between(-_ROUNDING, 1 + _ROUNDING).all():  # which no NaN is
            raise InputError(
                f"In the file {str(path)!r}, {name} has a number that is not from 0 to 1. {_ADVICE}"
            )
    return table


def _schema(path: Path) -> pl.Schema:
    if not path.is_file():
        raise InputError(f"The run lacks the file {str(path)!r}. {_ADVICE}")
    kinds = read_parquet_schema(path)
    check_names(str(path), kinds)
    return kinds


def _need_texts(path: Path, kinds: pl.Schema, needed: Iterable[str], texts: Iterable[str]) -> None:
    for name in needed:
        if name not in kinds:
            raise InputError(f"The file {str(path)!r} has no column {name!r}. {_ADVICE}")
    for name in texts:
        empty = kinds.get(name) == pl.Null and name not in TEXTS  # a premise or hypothesis is never missing
        if name in kinds and kinds[name] != pl.String and not empty:
            raise _wrong(path, name, kinds[name], "texts")


def _wrong(path: Path, name: str, kind: pl.DataType, wanted: str) -> InputError:
    return InputError(f"In the file {str(path)!r}, {quoted(name)} is of type {kind}, not {wanted}. {_ADVICE}")
