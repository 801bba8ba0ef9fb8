"""An exhibit as a section of a markdown page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.reports.markdown import escape
from rightreasons.reports.renderers.cells import columns, rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rightreasons.reports.exhibits.exhibit import Exhibit

LEVEL = 3


def markdown(exhibit: Exhibit, level: int = LEVEL) -> str:
    """Write title, caption, table and notes; nothing in texts from outside is markup."""
    shown = columns(exhibit)
    lines = [
        _line(escape(column.heading) for column in shown),
        _line("--:" if column.is_figure else "---" for column in shown),
        *(_line(escape(cell) for cell in row) for row in rows(exhibit)),
    ]
    parts = [f"{'#' * level} {escape(exhibit.title)}", escape(exhibit.caption), "\n".join(lines)]
    parts.append("\n".join(f"- {escape(note)}" for note in exhibit.notes))
    return "\n\n".join(part for part in parts if part) + "\n"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
