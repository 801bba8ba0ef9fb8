"""The formats of pairs by name: how the table lies on disk, and which columns it has there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from rightreasons.core.errors import OutputError, UnknownNameError
from rightreasons.corpora.generic import GenericColumns
from rightreasons.corpora.hans import HansColumns
from rightreasons.corpora.huggingface import HubColumns
from rightreasons.corpora.nli import Nli
from rightreasons.corpora.quant import Quant
from rightreasons.corpora.sick import Sick

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import polars as pl


class ReadableColumns(Protocol):
    """The columns of a file of pairs, and the way from them to ours; of a known corpus, faults are repaired."""

    trees: tuple[str, ...]
    known: bool

    def fits(self, columns: Iterable[str]) -> bool:
        """Tell whether a file with these columns has this shape."""

    def taken(self, table: pl.LazyFrame, path: Path) -> tuple[pl.LazyFrame, tuple[str, ...]]:
        """Give our columns for a file's table, and remarks on what was changed."""


class WritableColumns(ReadableColumns, Protocol):
    """Columns that pairs can be written in as well."""

    def held(self, pairs: pl.DataFrame, start: int) -> pl.DataFrame:
        """Give of some pairs, in our columns, what reading the file will give back."""

    def shown(self, pairs: pl.DataFrame, labels: Iterable[str]) -> pl.DataFrame:
        """Give the file's table for pairs that it can hold."""

    def metadata(self, labels: Iterable[str]) -> dict[str, str]:
        """Give what a parquet file says about itself."""


@dataclass(frozen=True)
class Format:
    """A format: a kind of table with a shape of columns."""

    name: str
    table: str
    shape: WritableColumns


FORMATS = {
    name: Format(name, table, shape)
    for name, table, shape in (
        ("parquet", "parquet", GenericColumns()),
        ("jsonl", "jsonl", GenericColumns()),
        ("csv", "csv", GenericColumns()),
        ("tsv", "tsv", GenericColumns()),
        ("hans", "tsv", HansColumns()),
        ("hans-jsonl", "jsonl", HansColumns()),
        ("hf", "parquet", HubColumns()),
        ("hf-jsonl", "jsonl", HubColumns()),
    )
}
ENDINGS = {
    ".parquet": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".txt": "hans",
}


def named(name: str) -> Format:
    """Find a format by its name."""
    if name not in FORMATS:
        raise UnknownNameError("format", name, FORMATS)
    return FORMATS[name]


def by_ending(path: Path) -> Format:
    """Find the format that a file's ending stands for."""
    name = ENDINGS.get(path.suffix.lower())
    if name is None:
        known = ", ".join(ENDINGS)
        raise OutputError(f"The ending of {path} names no format. Name one, or end it with one of {known}.")
    return FORMATS[name]


def by_columns(columns: list[str]) -> ReadableColumns:
    """Find the shape that a file's columns have; the generic one fits where no other does."""
    shapes: tuple[ReadableColumns, ...] = (HansColumns(), HubColumns(), Nli(), Sick(), Quant())
    return next((shape for shape in shapes if shape.fits(columns)), GenericColumns())
