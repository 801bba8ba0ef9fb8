"""`rightreasons leaderboard`: rank the models of many runs in one table."""

from __future__ import annotations

import click

from rightreasons.commands import shared_options
from rightreasons.commands.output import print_message, print_rendered
from rightreasons.commands.overwriting import add_force_option


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--out", required=True, metavar="FOLDER", help="Folder to create, with an HTML page, markdown and CSV."
)
@shared_options.add_rename_option
@add_force_option
def leaderboard(*, runs: tuple[str, ...], out: str, rename: dict[str, str], force: bool) -> None:
    """Rank the models of run folders, with confidence intervals and ranges of ranks. No model is run."""
    from rightreasons import leaderboard as rank_models
    from rightreasons.reports.renderers import render_terminal

    board = rank_models(runs, out=out, names=rename, force=force)
    print_rendered(lambda width: render_terminal(board.exhibits[0], width))
    print_message(f"Wrote {out}.")
