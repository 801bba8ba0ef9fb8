"""A folder with every table of a report as parquet, CSV, JSON and LaTeX, and reports whose tables are shortened."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rightreasons.core.formatting import make_slugs
from rightreasons.io.polars_io import write_parquet

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rightreasons.core.exhibit import Exhibit
    from rightreasons.reports.report_data import Report

MOST_ROWS = 500  # of a table in Markdown and LaTeX


def write_exhibit_tables(exhibits: Sequence[Exhibit], folder: Path, *, part: str = "") -> None:
    """Write every table as parquet, CSV, JSON and LaTeX; only the LaTeX ones are shortened, by the column `part`."""
    from rightreasons.reports.renderers import render_csv, render_latex

    folder.mkdir()
    names = make_slugs([exhibit.key for exhibit in exhibits])
    for name, exhibit in zip(names, exhibits, strict=True):
        (folder / f"{name}.csv").write_text(render_csv(exhibit), encoding="utf-8")
        (folder / f"{name}.tex").write_text(render_latex(shorten_exhibit(exhibit, part)), encoding="utf-8")
        (folder / f"{name}.json").write_text(exhibit.frame.write_json() + "\n", encoding="utf-8")
        write_parquet(exhibit.frame, folder / f"{name}.parquet")


def shorten_report(report: Report, *, part: str = "") -> Report:
    """Take the first rows of long tables, for formats that show all rows of a table at once."""
    return replace(report, exhibits=tuple(shorten_exhibit(exhibit, part) for exhibit in report.exhibits))


def shorten_exhibit(exhibit: Exhibit, part: str = "") -> Exhibit:
    """Take the first rows of a long table, as many of each value of the column `part` if the table has it."""
    frame = exhibit.frame
    if frame.height <= MOST_ROWS:
        return exhibit
    parts = frame.group_by(part, maintain_order=True) if part in frame.columns else None
    first = frame.head(MOST_ROWS) if parts is None else parts.head(MOST_ROWS // frame[part].n_unique())
    note = f"{first.height:,} of {frame.height:,} rows; the CSV, JSON and Parquet files have all of them."
    return replace(exhibit, frame=first, notes=(*exhibit.notes, note))
