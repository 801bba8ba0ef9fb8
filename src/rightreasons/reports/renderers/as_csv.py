"""An exhibit as comma-separated values: figures unrounded, the ends of intervals in columns of their own."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rightreasons.io.csv_injection import inert
from rightreasons.reports.renderers.cells import columns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rightreasons.reports.exhibits.exhibit import Exhibit


def csv(exhibit: Exhibit) -> str:
    """Write a header and a line per row; a text is never taken for a formula, and what isn't known is empty."""
    names: list[str] = []
    heads: list[str] = []
    for column in columns(exhibit):
        ends = [(column.low, f"{column.heading} low"), (column.high, f"{column.heading} high")]
        for name, head in [(column.name, column.heading), *ends]:
            if name is not None:
                names.append(name)
                heads.append(head)
    return "".join(_line(row) for row in [heads, *exhibit.frame.select(names).iter_rows()])


def _line(cells: Iterable[Any]) -> str:
    # A line with nothing on it would be skipped on reading.
    return (",".join(map(_cell, cells)) or '""') + "\n"


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if isinstance(value, int | float):
        return str(value)
    text = inert(str(value)).replace('"', '""')
    # The csv module would write a lone carriage return as it is, and read a new line there.
    return f'"{text}"' if any(letter in text for letter in ',"\r\n') else text
