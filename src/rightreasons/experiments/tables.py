"""Figures as lines, published ones and ours, and tables of them: models down or models across."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from rightreasons.reports import published
from rightreasons.reports.exhibits.exhibit import Exhibit
from rightreasons.reports.exhibits.published_comparison import notes_on

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from rightreasons.reports.exhibits.exhibit import Format
    from rightreasons.reports.published import Published

HERE = "here"
WEAK = "too weak for a claim"


class Value(NamedTuple):
    """A figure: of one seed with its interval, or the mean of several with their range."""

    mean: float
    low: float | None = None
    high: float | None = None
    n: int | None = None  # pairs that each seed was asked
    seeds: int = 1


@dataclass(frozen=True)
class FigureRow:
    """The figures of one model by column, and where they come from."""

    model: str
    values: Mapping[str, Value]
    source: str = HERE
    trained_on: str = ""
    weak: bool = False

    @property
    def shown(self) -> str:
        """Name the model, with a warning where nothing should be claimed about it."""
        return f"{self.model} ({WEAK})" if self.weak else self.model


@dataclass(frozen=True)
class TableHeading:
    """What a table is: its name, its title, what a figure is, and what goes down where models go across."""

    key: str
    title: str
    caption: str
    down: str = "pairs"
    shown: Format = "share"
    counted: str = "pairs"  # what n counts


@dataclass(frozen=True)
class ExperimentTable:
    """A table to show, and the lines that it was made from."""

    exhibit: Exhibit
    lines: tuple[FigureRow, ...]
    columns: Mapping[str, str] = field(default_factory=dict)


def published_lines(
    name: str, tables: Sequence[str], figure: str = "accuracy", *, cited: str = ""
) -> list[FigureRow]:
    """Take the rows of some published tables, cited as printed, or by other words where they are joined.

    `name` is that of a file of published figures.
    """
    rows = published.rows(name, tables, figure)
    return joined_lines([_line(row, f"{row.source}, {cited}" if cited else row.cited) for row in rows])


def joined_lines(lines: Sequence[FigureRow]) -> list[FigureRow]:
    """Make one line of those that have the same model, training and source."""
    found: dict[tuple[str, str, str], FigureRow] = {}
    for line in lines:
        key = (line.model, line.trained_on, line.source)
        values = {**found[key].values, **line.values} if key in found else line.values
        found[key] = replace(line, values=values)
    return list(found.values())


def published_notes(name: str, tables: Sequence[str], columns: Collection[str]) -> tuple[str, ...]:
    """Say what is wrong or special with the published figures of some columns."""
    return notes_on(published.rows(name, tables), columns)


def lying(
    heading: TableHeading,
    columns: Mapping[str, str],
    lines: Sequence[FigureRow],
    notes: Sequence[str] = (),
) -> ExperimentTable:
    """Make a table with a row per model; columns by name, with their headings."""
    names = {column: f"c{place}" for place, column in enumerate(columns)}
    rows = [
        {"model": line.shown, "trained_on": line.trained_on, "source": line.source}
        | {
            f"{names[column]}{end}": figure
            for column in names
            for end, figure in _cell(line.values.get(column))
        }
        for line in lines
    ]
    schema = dict.fromkeys(("model", "trained_on", "source"), pl.String) | _cells(names.values())
    frame = pl.DataFrame(rows, schema=schema)
    words = ["model", *(["trained_on"] if any(line.trained_on for line in lines) else [])]
    formats: dict[str, Format] = {
        **dict.fromkeys(words, "text"),
        **dict.fromkeys(names.values(), heading.shown),
        "source": "text",
    }
    headings = {"trained_on": "trained on"} | {names[column]: head for column, head in columns.items()}
    told = (*_sizes(columns, lines, heading.counted), *notes)
    exhibit = Exhibit(
        heading.key, heading.title, heading.caption, frame, formats, notes=told, headings=headings
    )
    return ExperimentTable(exhibit, tuple(lines), columns)


def standing(
    heading: TableHeading,
    columns: Mapping[str, str],
    lines: Sequence[FigureRow],
    notes: Sequence[str] = (),
) -> ExperimentTable:
    """Make a table with a column per model; what `lying` has across goes down."""
    names = {f"m{place}": line for place, line in enumerate(lines)}
    sizes = [_most(line.values[column].n for line in lines if column in line.values) for column in columns]
    rows: list[dict[str, str | float | None]] = [
        {"what": head, "n": n, **_across(names, column)}
        for (column, head), n in zip(columns.items(), sizes, strict=True)
    ]
    frame = pl.DataFrame(rows, schema={"what": pl.String, "n": pl.Int64} | _cells(names))
    formats: dict[str, Format] = {"what": "text", "n": "count", **dict.fromkeys(names, "share")}
    sources = {name: "printed" if line.source != HERE else HERE for name, line in names.items()}
    headings = {"what": heading.down} | {
        name: f"{line.shown}, {sources[name]}" for name, line in names.items()
    }
    exhibit = Exhibit(
        heading.key, heading.title, heading.caption, frame, formats, notes=tuple(notes), headings=headings
    )
    return ExperimentTable(exhibit, tuple(lines), columns)


def long(tables: Sequence[ExperimentTable]) -> pl.DataFrame:
    """Put all figures of all tables into one table, a row each."""
    rows = [
        {
            "table": table.exhibit.key,
            "model": line.model,
            "trained_on": line.trained_on,
            "source": line.source,
            "column": column,
            **line.values[column]._asdict(),
            "brackets": "range" if line.values[column].seeds > 1 else "interval",
            "too_weak": line.weak,
        }
        for table in tables
        for line in table.lines
        for column in table.columns
        if column in line.values
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def _line(row: Published, source: str) -> FigureRow:
    values = {column: Value(figure) for column, figure in row.values.items()}
    return FigureRow(row.model, values, source, row.trained_on)


def _cell(value: Value | None) -> list[tuple[str, float | None]]:
    mean, low, high = (value.mean, value.low, value.high) if value else (None, None, None)
    return [("", mean), ("_low", low), ("_high", high)]


def _across(names: Mapping[str, FigureRow], column: str) -> dict[str, float | None]:
    return {
        f"{name}{end}": figure
        for name, line in names.items()
        for end, figure in _cell(line.values.get(column))
    }


def _cells(names: Iterable[str]) -> dict[str, type[pl.DataType]]:
    return {f"{name}{end}": pl.Float64 for name in names for end in ("", "_low", "_high")}


def _sizes(columns: Mapping[str, str], lines: Sequence[FigureRow], what: str) -> list[str]:
    """Say on how many pairs, or what else is counted, each column rests."""
    found = {
        head: [line.values[column].n for line in lines if column in line.values]
        for column, head in columns.items()
    }
    told = {head: _range(known) for head, numbers in found.items() if (known := [n for n in numbers if n])}
    if len(set(told.values())) == 1:
        return [f"n: {next(iter(told.values()))} {what} in each column."]
    return [f"n ({what}): {'; '.join(f'{head} {n}' for head, n in told.items())}."] if told else []


def _range(numbers: Sequence[int]) -> str:
    least, most = min(numbers), max(numbers)
    return f"{most:,}" if least == most else f"{least:,} to {most:,}"


def _most(numbers: Iterable[int | None]) -> int | None:
    return max((number for number in numbers if number is not None), default=None)
