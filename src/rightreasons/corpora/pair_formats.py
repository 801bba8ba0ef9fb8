"""The formats of pairs by name: how the table lies on disk, and which columns it has there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from rightreasons.core.errors import OutputError, UnknownNameError
from rightreasons.corpora.generic_columns import GenericColumns
from rightreasons.corpora.hans_columns import HansColumns
from rightreasons.corpora.headerless_columns import HeaderlessColumns
from rightreasons.corpora.hub_columns import HubColumns
from rightreasons.corpora.published_columns import NliColumns, QuantColumns, SickColumns

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import polars as pl

ENDINGS = {
    ".parquet": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".txt": "hans",
}


class ReadableColumns(Protocol):
    """The columns of a file of pairs, and the way from them to ours; of a known corpus, faults are repaired."""

    trees: tuple[str, ...]
    known: bool

    def fits(self, columns: Iterable[str]) -> bool:
        """Return whether a file with these columns has this layout."""

    def convert_from_file(self, table: pl.LazyFrame, path: Path) -> tuple[pl.LazyFrame, tuple[str, ...]]:
        """Convert a file's table to our columns, and return remarks on changes."""


class WritableColumns(ReadableColumns, Protocol):
    """Columns that pairs can be written in as well."""

    def simulate_round_trip(self, pairs: pl.DataFrame, start: int) -> pl.DataFrame:
        """Return, in our columns, what reading the written file will return."""

    def convert_to_file(self, pairs: pl.DataFrame, labels: Iterable[str]) -> pl.DataFrame:
        """Convert pairs to the file's table."""

    def metadata(self, labels: Iterable[str]) -> dict[str, str]:
        """Return the metadata of a parquet file."""


@dataclass(frozen=True)
class Format:
    """A format of pairs: the kind of table and its columns."""

    name: str
    table: str
    columns: WritableColumns


FORMATS = {
    name: Format(name, table, columns)
    for name, table, columns in (
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


def find_format_by_name(name: str) -> Format:
    """Find a format by its name."""
    if name not in FORMATS:
        raise UnknownNameError("format", name, FORMATS)
    return FORMATS[name]


def find_format_by_ending(path: Path) -> Format:
    """Find the format that a file's ending stands for."""
    name = ENDINGS.get(path.suffix.lower())
    if name is None:
        known = ", ".join(ENDINGS)
        raise OutputError(
            f"The extension of {path} is not a known format. Pass a format, or use one of {known}."
        )
    return FORMATS[name]


def find_column_layout(columns: list[str]) -> ReadableColumns:
    """Find the shape that a file's columns have; the generic one fits where no other does."""
    shapes: tuple[ReadableColumns, ...] = (
        HansColumns(),
        HubColumns(),
        NliColumns(),
        SickColumns(),
        QuantColumns(),
        HeaderlessColumns(),
    )
    return next((shape for shape in shapes if shape.fits(columns)), GenericColumns())
