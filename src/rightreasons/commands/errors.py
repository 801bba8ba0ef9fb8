"""`rightreasons errors`: a sample of wrong answers in a sheet, and what a person made of it."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rightreasons.commands import arguments
from rightreasons.commands.overwriting import force

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rightreasons.reports.exhibits.exhibit import Exhibit

ENDINGS = (".csv", ".tsv")


@click.command()
@click.argument("run", required=False, metavar="RUN")
@click.option(
    "--sample",
    type=arguments.number,
    default=100,
    show_default=True,
    help="Number of wrong predictions to sample.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random sample.")
@click.option(
    "--set", "set_name", metavar="SET", help="Sample from this set only. Default: all sets of the run."
)
@click.option(
    "--model", metavar="MODEL", help="Model to sample from. Required if the run has several models."
)
@click.option("--tally", "sheet", metavar="SHEET", help="Count the categories in a completed sheet.")
@click.option("--csv", "as_csv", is_flag=True, help="With --tally: print comma-separated values.")
@click.option(
    "--out",
    metavar="FILE",
    help="Sheet to write: .csv or .tsv. With --tally, file for the table: .csv, .md, .tex, or plain text.",
)
@force
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
    """
    if (run is None) == (sheet is None):
        raise click.UsageError("Give either a RUN to sample, or --tally SHEET to count.")
    if sheet is not None:
        _tally(Path(sheet), out, as_csv=as_csv, force=force)
        return
    if out is None or Path(out).suffix.lower() not in ENDINGS:
        raise click.UsageError(f"Name the sheet to write: --out FILE{' or '.join(ENDINGS)}.")
    from rightreasons.audits.error_analysis import collect_errors, sample_errors, write_sheet
    from rightreasons.io.outputs import check_free, replacing
    from rightreasons.runs.collection import load_runs

    check_free(out, force=force)
    wrong = collect_errors(load_runs([str(run)]), set_name, model)
    rows = sample_errors(wrong, sample=sample, seed=seed)
    with replacing(out, force=force) as part:
        write_sheet(rows, part, Path(out).suffix.lower())
    suggested = int((rows["suggested"] != "").sum())
    arguments.say(
        f"Wrote {rows.height:,} of {wrong.height:,} wrong predictions to {out}, {suggested:,} with a suggestion. "
        f"Fill in the column category, then run: rightreasons errors --tally {out}"
    )


def _tally(sheet: Path, out: str | None, *, as_csv: bool, force: bool) -> None:
    from rightreasons.audits.error_analysis import tally_sheet
    from rightreasons.io.outputs import check_free, replacing
    from rightreasons.reports.exhibits.errors import tally_exhibits

    if out is not None:
        check_free(out, force=force)
    made = tally_exhibits(tally_sheet(sheet))
    ending = ".csv" if as_csv else Path(out or "").suffix.lower()
    if out is not None:
        with replacing(out, force=force) as part:
            part.write_text(_text(made, ending), encoding="utf-8")
        arguments.say(f"Wrote the tally to {out}.")
    elif as_csv:
        click.echo(_text(made, ending), nl=False)
    else:
        arguments.show(lambda width: _page(made, width), sys.stdout)


def _text(made: list[Exhibit], ending: str) -> str:
    """Show the tables as the ending of a file calls for; comma-separated values have room for the first alone."""
    from rightreasons.reports.renderers import render_csv, render_latex, render_markdown

    if ending == ".csv":
        return render_csv(made[0])
    if ending in (".md", ".tex"):
        return "\n".join((render_markdown if ending == ".md" else render_latex)(one) for one in made)
    text = io.StringIO()
    arguments.show(lambda width: _page(made, width), text)
    return text.getvalue()


def _page(made: list[Exhibit], width: int) -> RenderableType:
    from rich.console import Group
    from rich.text import Text

    from rightreasons.reports.renderers import render_terminal

    return Group(*(part for one in made for part in (render_terminal(one, width), Text(""))))
