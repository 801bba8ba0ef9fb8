"""`rightreasons study export`: a study for another system, or its judgements without identifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rightreasons.commands.overwriting import add_force_option

if TYPE_CHECKING:
    from rightreasons.people.exchange.transfer import ExportTarget


@click.command("export")
@click.argument("study", metavar="STUDY")
@click.option(
    "--to",
    "target",
    required=True,
    type=click.Choice(["label-studio", "prolific", "csv"]),
    help="label-studio writes tasks with their judgements as JSON, and the labeling configuration beside them; "
    "prolific writes the items as the table of a task builder, without judgements; csv writes the judgements.",
)
@click.option("--out", required=True, metavar="FILE", help="File to write.")
@click.option("--database", metavar="URL", help="Database of the study. Default: study.db in its folder.")
@add_force_option
def write_study_export(
    *, study: str, target: ExportTarget, out: str, database: str | None, force: bool
) -> None:
    """Write STUDY to a file without identifiers: participants are numbered, and times of day are left out.

    Cells that a spreadsheet would compute are made harmless. Answers in free text are written as they are: read them
    before you publish the file.

    Example: rightreasons study export human-hans --to csv --out human-hans.csv
    """
    from rightreasons.people.exchange.transfer import export_study

    files = export_study(study, target, out, database=database, force=force)
    click.echo(f"Wrote {' and '.join(map(str, files))}.")
