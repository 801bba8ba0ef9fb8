"""`rightreasons study results`: the judgements of a study as tables, a page, and predictions of people."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rightreasons.commands.output import print_rendered
from rightreasons.commands.overwriting import add_force_option

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rightreasons.evaluation.study_results import AnalysedStudy

_ON_TERMINAL = ("participants", "agreement", "published-people")


@click.command()
@click.argument("study", metavar="STUDY")
@click.option("--out", required=True, metavar="FOLDER", help="Folder for the report, tables and predictions.")
@click.option("--database", metavar="URL", help="Database of the study. Default: study.db in its folder.")
@add_force_option
def results(*, study: str, out: str, database: str | None, force: bool) -> None:
    """Analyse the judgements of STUDY: exclusions as planned, accuracy, agreement, and the labels of the items.

    FOLDER/predictions has what people predict, as files of predictions; FOLDER/items.parquet is the set. Both together
    put people beside models, as in: rightreasons evaluate file:FOLDER/predictions/label.parquet default --sets
    FOLDER/items.parquet --out run

    Example: rightreasons study results human-hans --out human-hans-results
    """
    from rightreasons import analyse_study

    command = shlex.join(["rightreasons", *sys.argv[1:]])
    analysed = analyse_study(study, out=out, database=database, force=force, command=command)
    print_rendered(lambda width: _render_study(analysed, width))
    click.echo(f"Wrote the results to {out}. The report is {Path(out) / 'report.html'}.")


def _render_study(analysed: AnalysedStudy, width: int) -> RenderableType:
    """Render the warnings, the headline, and the main tables."""
    from rich.console import Group
    from rich.text import Text

    from rightreasons.core.formatting import replace_unprintable
    from rightreasons.reports.renderers import render_terminal

    report = analysed.report
    parts: list[RenderableType] = [Text(f"Warning: {text}", style="bold") for text in report.warnings]
    for headline in report.headlines:
        parts.append(Text(f"{replace_unprintable(headline.model)}: {headline.sentence}", style="bold"))
        parts += [Text(f"- {finding.set}: {finding.sentence}") for finding in headline.findings]
    parts.append(Text(""))
    by_gold = (f"accuracy-{name}" for name in analysed.results.accuracies)
    for exhibit in (each for key in (*_ON_TERMINAL, *by_gold) for each in report.exhibits if each.key == key):
        parts += [render_terminal(exhibit, width), Text("")]
    parts += [Text(f"Note: {text}", style="dim") for text in report.remarks]
    return Group(*parts)
