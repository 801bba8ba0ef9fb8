"""The formats of pairs by name: how the table lies on disk, and which columns it has there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from rightreasons.corpora.generic import Generic
from rightreasons.corpora.hans import Hans
from rightreasons.corpora.huggingface import HuggingFace
from rightreasons.corpora.nli import Nli
from rightreasons.corpora.quant import Quant
from rightreasons.corpora.sick import Sick
from rightreasons.errors import OutputError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import polars as pl


class Readable(Protocol):
    """The columns of a file of pairs, and the way from them to ours; of a known corpus, faults are repaired."""

    trees: tuple[str, ...]
    known: bool

    def fits(self, columns: Iterable[str]) -> bool:
        """Tell whether a file with these columns has this shape."""

    def taken(self, table: pl.LazyFrame, path: Path) -> tuple[pl.LazyFrame, tuple[str, ...]]:
        """Give our columns for a file's table, and remarks on what was changed."""


class Shape(Readable, Protocol):
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
    shape: Shape


FORMATS = {
    name: Format(name, table, shape)
    for name, table, shape in (
        ("parquet", "parquet", Generic()),
        ("jsonl", "jsonl", Generic()),
        ("csv", "csv", Generic()),
        ("tsv", "tsv", Generic()),
        ("hans", "tsv", Hans()),
        ("hans-jsonl", "jsonl", Hans()),
        ("hf", "parquet", HuggingFace()),
        ("hf-jsonl", "jsonl", HuggingFace()),
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


def by_columns(columns: list[str]) -> Readable:
    """Find the shape that a file's columns have; the generic one fits where no other does."""
    shapes: tuple[Readable, ...] = (Hans(), HuggingFace(), Nli(), Sick(), Quant())
    return next((shape for shape in shapes if shape.fits(columns)), Generic())
