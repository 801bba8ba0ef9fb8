"""`rightreasons leaderboard`: the models of many runs in one ranked table."""

from __future__ import annotations

import sys

import click

from rightreasons.commands import arguments
from rightreasons.commands.overwriting import force


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--out", required=True, metavar="FOLDER", help="Folder to create, with an HTML page, markdown and CSV."
)
@arguments.rename
@force
def leaderboard(*, runs: tuple[str, ...], out: str, rename: dict[str, str], force: bool) -> None:
    """Rank the models of run folders, with confidence intervals and ranges of ranks. No model is run."""
    from rightreasons import leaderboard as make
    from rightreasons.reports.renderers import render_terminal

    made = make(runs, out=out, names=rename, force=force)
    arguments.show(lambda width: render_terminal(made.exhibits[0], width), sys.stdout)
    arguments.say(f"Wrote {out}.")
