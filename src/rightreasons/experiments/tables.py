"""Figures as lines, published ones and ours, and tables of them: models down or models across."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.reports import published
from rightreasons.reports.exhibits.published_comparison import (
    HERE,
    WEAK,
    FigureRow,
    TableHeading,
    Value,
    figure_row,
    models_as_columns,
    models_as_rows,
    notes_on,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from rightreasons.reports.exhibits.exhibit import Exhibit

__all__ = [
    "HERE",
    "WEAK",
    "ExperimentTable",
    "FigureRow",
    "TableHeading",
    "Value",
    "joined_lines",
    "long",
    "lying",
    "published_lines",
    "published_notes",
    "standing",
]


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
    return joined_lines(
        [replace(figure_row(row, f"{row.source}, {cited}" if cited else ""), pairs="") for row in rows]
    )


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
    return ExperimentTable(models_as_rows(heading, columns, lines, notes), tuple(lines), columns)


def standing(
    heading: TableHeading,
    columns: Mapping[str, str],
    lines: Sequence[FigureRow],
    notes: Sequence[str] = (),
) -> ExperimentTable:
    """Make a table with a column per model; what `lying` has across goes down."""
    return ExperimentTable(models_as_columns(heading, columns, lines, notes), tuple(lines), columns)


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
