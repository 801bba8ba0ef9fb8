"""An exhibit for the terminal: columns of figures that don't fit the width go into tables below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from rightreasons.core.formatting import plain
from rightreasons.reports.renderers.cells import Column, columns, rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rightreasons.reports.exhibits.exhibit import Exhibit

_GAP = 2
_WIDEST_TEXT = 40  # longer texts are folded


def rich(exhibit: Exhibit, width: int) -> RenderableType:
    """Show title, tables, caption and notes; nothing in texts from outside is markup or steers the terminal."""
    shown, cells = columns(exhibit), list(rows(exhibit))
    parts: list[RenderableType] = [Text(plain(exhibit.title), style="bold")]
    for number, block in enumerate(_blocks(shown, cells, width)):
        parts += [Text("")] if number else []
        parts.append(
            _table([shown[place] for place in block], [[row[place] for place in block] for row in cells])
        )
    parts.append(Text(plain(exhibit.caption), style="dim"))
    return Group(*parts, *(Text(plain(note), style="dim") for note in exhibit.notes))


def _blocks(shown: Sequence[Column], cells: Sequence[Sequence[str]], width: int) -> list[list[int]]:
    """Cut the columns into tables that fit: each has the first texts, which say what its rows are."""
    first = next((place for place, column in enumerate(shown) if column.is_figure), len(shown))
    widths = [_width(column, [row[place] for row in cells]) for place, column in enumerate(shown)]
    left = list(range(first))
    blocks = [left.copy()]
    for place in range(first, len(shown)):
        used = sum(widths[other] for other in blocks[-1])
        if used + widths[place] - _GAP > width and len(blocks[-1]) > len(left):
            blocks.append(left.copy())
        blocks[-1].append(place)
    return blocks


def _width(column: Column, cells: Sequence[str]) -> int:
    """Measure a column: headings may be broken between words, figures never."""
    words = max(cell_len(word) for word in (column.heading.split() or [""]))
    longest = max([words, *(cell_len(text) for text in cells)])
    return (longest if column.is_figure else min(longest, _WIDEST_TEXT)) + _GAP


def _table(shown: Sequence[Column], cells: Sequence[Sequence[str]]) -> Table:
    table = Table(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="bold")
    for place, column in enumerate(shown):
        table.add_column(
            Text(column.heading),
            justify="right" if column.is_figure else "left",
            overflow="fold",
            min_width=_width(column, [row[place] for row in cells]) - _GAP if column.is_figure else None,
        )
    for row in cells:
        table.add_row(*(Text(cell) for cell in row))
    return table
