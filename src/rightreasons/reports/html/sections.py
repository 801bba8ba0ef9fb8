"""The exhibits of a page: their order, their tables as sortable cells, and the data of their charts."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from rightreasons.reports.renderers.cells import (
    format_exhibit_rows,
    list_shown_columns,
    shorten_name,
    shorten_sentence,
)
from rightreasons.reports.renderers.csv_and_latex import render_csv

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rightreasons.core.exhibit import Exhibit
    from rightreasons.reports.renderers.cells import Column

OVERVIEW = "overview"
MOST_OPEN = 2  # with more sets than this, the section of each set is folded
_SLUG = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,119}")
_OWN = re.compile(r"(pairs|rr)(-.*)?")  # addresses of the page's own parts


@dataclass(frozen=True)
class PlacedExhibit:
    """An exhibit with its address in the page, and its table ready to show."""

    address: str
    exhibit: Exhibit
    table: HtmlTable


@dataclass(frozen=True)
class ExhibitGroup:
    """The exhibits about one set, or about all sets if `set` is empty."""

    address: str
    set: str
    exhibits: tuple[PlacedExhibit, ...]
    folded: bool = False


def group_exhibits_by_set(exhibits: Sequence[Exhibit], *, fold: bool = True) -> list[ExhibitGroup]:
    """Group exhibits by set, in the order of first occurrence; the overview comes first, and many sets are folded."""
    placed = [
        PlacedExhibit(address, one, make_html_table(one))
        for address, one in zip(_choose_addresses(exhibits), exhibits, strict=True)
    ]
    placed.sort(key=lambda one: one.exhibit.key != OVERVIEW)
    sets = list(dict.fromkeys(["", *(one.exhibit.set for one in placed)]))
    many = fold and len(sets) - 1 > MOST_OPEN
    made = [
        ExhibitGroup(
            f"rr-set-{number}",
            name,
            tuple(one for one in placed if one.exhibit.set == name),
            folded=many and bool(name),
        )
        for number, name in enumerate(sets)
    ]
    return [group for group in made if group.exhibits]


def _choose_addresses(exhibits: Sequence[Exhibit]) -> list[str]:
    """Use the key of each exhibit as its address; a key that is invalid or taken is replaced by a number."""
    found: list[str] = []
    for number, exhibit in enumerate(exhibits):
        key = exhibit.key
        usable = _SLUG.fullmatch(key) and not _OWN.fullmatch(key) and key not in found
        found.append(key if usable else f"rr-exhibit-{number}")
    return found


_SHORT, _LONG = (
    16,
    32,
)  # characters up to which a text stays on one line, and from which it needs a wide column
MOST_ROWS = 500  # on the page; the copy as CSV has all


@dataclass(frozen=True)
class HtmlHeading:
    """The heading of a column."""

    text: str
    is_figure: bool
    width: str = "short"  # of its texts: short, middle or long


@dataclass(frozen=True)
class HtmlCell:
    """One cell: a figure, its interval, the number it is sorted by, and the length of its bar."""

    text: str
    interval: str = ""
    sort: float | None = None
    bar: float | None = None


@dataclass(frozen=True)
class HtmlTable:
    """The table of an exhibit, or its first rows."""

    heads: tuple[HtmlHeading, ...]
    rows: tuple[tuple[HtmlCell, ...], ...]
    total: int


def make_html_table(exhibit: Exhibit) -> HtmlTable:
    """Turn an exhibit into cells; only the first rows of a very long one."""
    shown_columns = list_shown_columns(exhibit)
    values = exhibit.frame.head(MOST_ROWS).iter_rows(named=True)
    texts = islice(format_exhibit_rows(exhibit), MOST_ROWS)
    made = tuple(
        tuple(
            _make_html_cell(column, row[column.name], text)
            for column, text in zip(shown_columns, line, strict=True)
        )
        for row, line in zip(values, texts, strict=True)
    )
    heads = tuple(
        _make_html_heading(column, [row[place].text for row in made])
        for place, column in enumerate(shown_columns)
    )
    return HtmlTable(heads, made, exhibit.frame.height)


def _make_html_heading(column: Column, texts: Sequence[str]) -> HtmlHeading:
    text = shorten_name(column.heading)
    longest = max(len(each) for each in (text, *(() if column.is_figure else texts)))
    return HtmlHeading(
        text, column.is_figure, "short" if longest <= _SHORT else "middle" if longest <= _LONG else "long"
    )


def _make_html_cell(column: Column, value: Any, text: str) -> HtmlCell:
    if not column.is_figure:
        return HtmlCell(shorten_sentence(text) if column.format == "passage" else shorten_name(text))
    figure, bracket, ends = text.partition(" (")
    number = _to_finite_number(value)
    share = column.format in ("share", "percent") and number is not None and 0 <= number <= 1
    return HtmlCell(figure, f"({ends}" if bracket else "", number, number if share else None)


def _to_finite_number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def collect_csv_and_chart(exhibit: Exhibit) -> dict[str, Any]:
    """Return an exhibit's CSV and, if it has a chart, its specification and data."""
    return {"csv": render_csv(exhibit), **_collect_chart_columns(exhibit)}


def _collect_chart_columns(exhibit: Exhibit) -> dict[str, Any]:
    """Return the specification and the columns of the frame; values that JSON lacks become null."""
    if exhibit.chart is None:
        return {}
    frame = exhibit.frame
    columns = {name: [_to_json_value(value) for value in frame[name].to_list()] for name in frame.columns}
    return {"chart": exhibit.chart, "columns": columns}


def _to_json_value(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float) else str(value)
