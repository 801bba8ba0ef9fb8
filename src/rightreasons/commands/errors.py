"""`rightreasons errors`: sample wrong predictions into a sheet for manual error analysis, and count a completed one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rightreasons.commands import shared_options
from rightreasons.commands.output import print_message, render_exhibits, write_or_print
from rightreasons.commands.overwriting import add_force_option

if TYPE_CHECKING:
    from rightreasons.core.exhibit import Exhibit

ENDINGS = (".csv", ".tsv")
_STUDY_CARD = "study.json"


@click.command()
@click.argument("run", required=False, metavar="RUN")
@click.option(
    "--sample",
    type=shared_options.parse_count,
    metavar="N",
    default=100,
    show_default=True,
    help="Maximum number of wrong predictions to sample.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random sample.")
@click.option(
    "--set", "set_name", metavar="SET", help="Sample from this set only. Default: all sets of the run."
)
@click.option(
    "--model",
    metavar="MODEL",
    help="Model whose wrong predictions are sampled. Required if the run has several models.",
)
@click.option(
    "--tally",
    "sheet",
    metavar="SHEET|STUDY",
    help="Count the categories in a completed sheet, or those that the participants of a study chose: types of errors "
    "or of antonyms.",
)
@click.option("--csv", "as_csv", is_flag=True, help="With --tally: print comma-separated values.")
@click.option(
    "--out",
    metavar="FILE",
    help="Sheet to write: .csv or .tsv. With --tally, file for the table: .csv, .md, .tex, or plain text.",
)
@add_force_option
def errors(
    *,
    run: str | None,
    sample: int,
    seed: int,
    set_name: str | None,
    model: str | None,
    sheet: str | None,
    as_csv: bool,
    out: str | None,
    force: bool,
) -> None:
    """Write a sample of the wrong predictions of RUN to a sheet for manual error analysis; --tally counts the result.

    Fill in the last column of the sheet, category, with one of: word overlap, negation, antonymy, numerical reasoning,
    length mismatch, grammaticality, real world knowledge, ambiguity or unknown.

    Example: rightreasons errors my-run --set hans --out errors.csv
    """
    if (run is None) == (sheet is None):
        raise click.UsageError("Pass either RUN, to sample errors, or --tally SHEET, to count categories.")
    if sheet is not None:
        _write_category_counts(Path(sheet), out, as_csv=as_csv, force=force)
        return
    if out is None or Path(out).suffix.lower() not in ENDINGS:
        raise click.UsageError(f"Pass --out FILE, where FILE ends in {' or '.join(ENDINGS)}.")
    from rightreasons.audits.error_analysis import collect_errors, sample_errors, write_sheet
    from rightreasons.io.outputs import check_output_path, write_atomically
    from rightreasons.runs.collection import load_runs

    check_output_path(out, force=force)
    wrong = collect_errors(load_runs([str(run)]), set_name, model)
    rows = sample_errors(wrong, sample=sample, seed=seed)
    with write_atomically(out, force=force) as part:
        write_sheet(rows, part, Path(out).suffix.lower())
    suggested = int((rows["suggested"] != "").sum())
    print_message(
        f"Wrote {rows.height:,} of {wrong.height:,} wrong predictions to {out}, {suggested:,} with a suggested "
        f"category. Complete the column category, then run: rightreasons errors --tally {out}"
    )


def _write_category_counts(sheet: Path, out: str | None, *, as_csv: bool, force: bool) -> None:
    from rightreasons.io.outputs import check_output_path

    if out is not None:
        check_output_path(out, force=force)
    exhibits = _make_tally_tables(sheet)
    extension = ".csv" if as_csv else Path(out or "").suffix.lower()
    text = _render_exhibits_by_extension(exhibits, extension)
    write_or_print(text, lambda width: render_exhibits(exhibits, width), out, force=force, name="the tally")


def _make_tally_tables(sheet: Path) -> list[Exhibit]:
    """Count the categories of a sheet, or of the folder of a study."""
    if (sheet / _STUDY_CARD).is_file():
        from rightreasons.evaluation.study_tally import make_study_tally_tables

        return make_study_tally_tables(sheet)
    from rightreasons.audits.error_analysis import tally_sheet
    from rightreasons.reports.exhibits.errors import make_error_tally_tables

    return make_error_tally_tables(tally_sheet(sheet))


def _render_exhibits_by_extension(exhibits: list[Exhibit], extension: str) -> str:
    """Render the tables as CSV, markdown or LaTeX by file extension, or nothing; CSV has the first table only."""
    from rightreasons.reports.renderers import render_csv, render_latex, render_markdown

    if extension == ".csv":
        return render_csv(exhibits[0])
    if extension in (".md", ".tex"):
        return "\n".join(
            (render_markdown if extension == ".md" else render_latex)(exhibit) for exhibit in exhibits
        )
    return ""
