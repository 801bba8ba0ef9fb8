"""`rightreasons report`: a run's table again, and its page made anew from its files."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from rightreasons.commands import arguments


@click.command()
@click.argument("run", metavar="RUN")
def report(run: str) -> None:
    """Print the table of the run folder RUN and rewrite its report.md; no model is asked."""
    from rightreasons.evaluation import report as rewrite
    from rightreasons.reports.table import show_run

    read = rewrite(run)
    arguments.show(lambda width: show_run(read, width), sys.stdout)
    arguments.say(f"Wrote {Path(run) / 'report.md'}.")
