"""An exhibit's table as cells of a page: what is read, and what it is sorted by."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from rightreasons.reports.html import shown
from rightreasons.reports.renderers.cells import columns, rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rightreasons.reports.exhibits.exhibit import Exhibit
    from rightreasons.reports.renderers.cells import Column

_SHORT, _LONG = 16, 32  # letters that stay on one line, and that need a wide column
MOST_ROWS = 500  # on the page; the copy as CSV has all


@dataclass(frozen=True)
class HtmlHeading:
    """The heading of a column."""

    text: str
    is_figure: bool
    width: str = "short"  # of its texts: short, middle or long


@dataclass(frozen=True)
class HtmlCell:
    """One cell: a figure with its interval apart, the number it is sorted by, and how long its bar is."""

    text: str
    interval: str = ""
    sort: float | None = None
    bar: float | None = None


@dataclass(frozen=True)
class HtmlTable:
    """The table of an exhibit, as much of it as is shown."""

    heads: tuple[HtmlHeading, ...]
    rows: tuple[tuple[HtmlCell, ...], ...]
    total: int


def table(exhibit: Exhibit) -> HtmlTable:
    """Turn an exhibit into cells; the first rows of a very long one."""
    shown_columns = columns(exhibit)
    values = exhibit.frame.head(MOST_ROWS).iter_rows(named=True)
    texts = islice(rows(exhibit), MOST_ROWS)
    made = tuple(
        tuple(_cell(column, row[column.name], text) for column, text in zip(shown_columns, line, strict=True))
        for row, line in zip(values, texts, strict=True)
    )
    heads = tuple(
        _head(column, [row[place].text for row in made]) for place, column in enumerate(shown_columns)
    )
    return HtmlTable(heads, made, exhibit.frame.height)


def _head(column: Column, texts: Sequence[str]) -> HtmlHeading:
    text = shown.name(column.heading)
    longest = max(len(each) for each in (text, *(() if column.is_figure else texts)))
    return HtmlHeading(
        text, column.is_figure, "short" if longest <= _SHORT else "middle" if longest <= _LONG else "long"
    )


def _cell(column: Column, value: Any, text: str) -> HtmlCell:
    if not column.is_figure:
        return HtmlCell(shown.name(text))
    figure, bracket, ends = text.partition(" (")
    number = _number(value)
    share = column.format in ("share", "percent") and number is not None and 0 <= number <= 1
    return HtmlCell(figure, f"({ends}" if bracket else "", number, number if share else None)


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None
