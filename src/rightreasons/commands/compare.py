"""`rightreasons compare`: models against each other on the same pairs, from the files of their runs."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import click

from rightreasons.commands import arguments
from rightreasons.commands.overwriting import force

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rightreasons.evaluation.compare import Comparisons


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--models",
    default="",
    metavar="NAME,NAME",
    help="Models to compare. Default: all except added baselines.",
)
@click.option(
    "--against", metavar="NAME", help="Compare all other models with this one, which may be a baseline."
)
@arguments.by("Tags to split the sets by. Default: heuristic or subcase.")
@click.option(
    "--pairs",
    metavar="FILE",
    help="Write each pair with the prediction of every model and who is correct: .parquet, .csv, .tsv or .jsonl.",
)
@arguments.rename
@click.option("--csv", "as_csv", is_flag=True, help="Print comma-separated values.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object: rows, families, common_errors, left_out."
)
@click.option("--out", metavar="FILE", help="Write to a file instead of stdout.")
@force
def compare(
    *,
    runs: tuple[str, ...],
    models: str,
    against: str | None,
    by: str,
    pairs: str | None,
    rename: dict[str, str],
    as_csv: bool,
    as_json: bool,
    out: str | None,
    force: bool,
) -> None:
    """Compare the models of run folders on the sets they share, with paired significance tests."""
    if as_csv and as_json:
        raise click.UsageError("Choose one of --csv and --json.")
    from rightreasons import compare as compare_runs
    from rightreasons.io.outputs import check_free
    from rightreasons.runs.collection import load_runs

    for path in (pairs, out):
        if path is not None:
            check_free(path, force=force)
    gathered = load_runs(runs, rename)
    made = compare_runs(gathered, models=models, against=against, by=by)
    if pairs is not None:
        from rightreasons.evaluation.compare import list_joint_pairs
        from rightreasons.evaluation.specification import split_names
        from rightreasons.io.tables import write_table

        table = list_joint_pairs(gathered, split_names(models), against)
        write_table(table, pairs, force=force)
        arguments.say(f"Wrote {table.height:,} pairs to {pairs}.")
    for text in made.left_out:
        arguments.say(f"Left out {text}.")
    _put(made, made.to_json() if as_json else made.to_csv() if as_csv else "", out, force=force)


def _shown(made: Comparisons, width: int) -> RenderableType:
    from rich.console import Group
    from rich.text import Text

    from rightreasons.reports.renderers import render_terminal

    parts = [part for exhibit in made.exhibits for part in (render_terminal(exhibit, width), Text(""))]
    return Group(*parts[:-1])


def _put(made: Comparisons, text: str, out: str | None, *, force: bool) -> None:
    """Write the text, or the tables where there is none, to a file or to stdout."""
    if out is None and text:
        click.echo(text, nl=False)
    elif out is None:
        arguments.show(lambda width: _shown(made, width), sys.stdout)
    else:
        from rightreasons.io.outputs import replacing

        page = io.StringIO(text)
        if not text:
            arguments.show(lambda width: _shown(made, width), page)
        with replacing(out, force=force) as part:
            part.write_text(page.getvalue(), encoding="utf-8")
        arguments.say(f"Wrote the comparisons to {out}.")
