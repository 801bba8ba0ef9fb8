"""`rightreasons report`: write a report on one or more run folders."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rightreasons.commands import shared_options
from rightreasons.commands.output import print_message, print_rendered
from rightreasons.commands.overwriting import add_force_option

if TYPE_CHECKING:
    from rightreasons.evaluation.gates import Gate
    from rightreasons.reports.report_data import Report


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--out",
    metavar="FILE.html",
    help="HTML file to write. Default: report.html in the run folder, or in the current folder for several runs.",
)
@click.option("--markdown", metavar="FILE.md", help="Also write the report as markdown.")
@click.option("--csv", "csv_folder", metavar="FOLDER", help="Also write every table as CSV to a new folder.")
@click.option(
    "--latex", metavar="FOLDER", help="Also write every table as LaTeX (booktabs, graphicx) to a new folder."
)
@shared_options.add_rename_option
@click.option(
    "--seeds",
    multiple=True,
    metavar="NAME=PATTERN",
    callback=shared_options.parse_renames,
    help="Treat all models whose names match PATTERN as runs of one model, NAME, as in bert='hf:bert-seed-*'.",
)
@shared_options.add_gate_options
@add_force_option
def report(
    *,
    runs: tuple[str, ...],
    out: str | None,
    markdown: str | None,
    csv_folder: str | None,
    latex: str | None,
    rename: dict[str, str],
    seeds: dict[str, str],
    gates: list[Gate],
    force: bool,
) -> None:
    """Write one HTML report on all given run folders, and print its tables. No model is run."""
    from rightreasons.evaluation.gates import find_missed_gates
    from rightreasons.io.outputs import check_output_path
    from rightreasons.reports.build import TABLES, build_report, write_html, write_markdown
    from rightreasons.reports.renderers import render_terminal_report
    from rightreasons.runs.collection import load_runs
    from rightreasons.runs.folder import REPORT

    collection = load_runs(runs, rename)
    alone = len(runs) == 1
    page = out or str(Path(runs[0]) / "report.html" if alone else Path("report.html"))
    own = out is None and alone  # the page of the run itself may be overwritten
    if not page.endswith((".html", ".htm")):
        raise click.UsageError(
            f"--out {page} must end in .html. For other formats, use --markdown, --csv or --latex."
        )
    for path in (page if not own else None, markdown):
        if path is not None:
            check_output_path(path, force=force)
    for path in (csv_folder, latex):
        if path is not None:
            check_output_path(path, force=force, folder=True, marker=TABLES)
    missed = find_missed_gates(gates, *collection.runs)
    full_report = build_report(collection, seeds)
    print_rendered(partial(render_terminal_report, full_report))
    write_html(full_report, page, force=force or own)
    if own:
        write_markdown(full_report, Path(runs[0]) / REPORT, force=True)
    _write_other_formats(full_report, markdown, csv_folder, latex, force=force)
    print_message(f"Wrote {page}.")
    shared_options.exit_on_missed_gates(missed)


def _write_other_formats(
    full_report: Report, markdown: str | None, csv_folder: str | None, latex: str | None, *, force: bool
) -> None:
    from rightreasons.reports.build import write_markdown, write_tables

    if markdown:
        write_markdown(full_report, markdown, force=force)
    if csv_folder:
        write_tables(full_report, csv_folder, "csv", force=force)
    if latex:
        write_tables(full_report, latex, "latex", force=force)
