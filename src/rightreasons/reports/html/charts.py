"""What the browser needs of the exhibits beside their tables: rows for the charts, and CSV to copy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rightreasons.reports.renderers.csv_and_latex import render_csv

if TYPE_CHECKING:
    from rightreasons.reports.exhibits.exhibit import Exhibit


def data(exhibit: Exhibit) -> dict[str, Any]:
    """Give an exhibit's CSV, and where it has a chart the specification and its rows."""
    return {"csv": render_csv(exhibit), **_chart(exhibit)}


def _chart(exhibit: Exhibit) -> dict[str, Any]:
    """Give the specification and the columns of the frame; what is no number in JSON is not known."""
    if exhibit.chart is None:
        return {}
    frame = exhibit.frame
    columns = {name: [_plain(value) for value in frame[name].to_list()] for name in frame.columns}
    return {"chart": exhibit.chart, "columns": columns}


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float) else str(value)
