"""`rightreasons study import`: judgements that were collected elsewhere."""

from __future__ import annotations

import click


@click.command("import")
@click.argument("study", metavar="STUDY")
@click.argument("path", metavar="FILE")
@click.option(
    "--question",
    metavar="NAME",
    help="Question that the labels of a table with task, worker and label answer. Default: the only question.",
)
@click.option("--database", metavar="URL", help="Database of the study. Default: study.db in its folder.")
def import_judgements(*, study: str, path: str, question: str | None, database: str | None) -> None:
    """Add the judgements of FILE to STUDY, all of them or none.

    FILE is JSON of Label Studio, a file saved from an offline page, or a table: a batch of Mechanical Turk, crowd-kit's
    task, worker and label, or a column that names the participant, such as PROLIFIC_PID, a column item or id, and a
    column for each question. Identifiers of participants are hashed with the salt of the study.

    Example: rightreasons study import human-hans answers.csv
    """
    from rightreasons.core.errors import format_count
    from rightreasons.people.exchange.transfer import import_judgements as add_file

    added = add_file(study, path, question=question, database=database)
    known = added.judgements - added.added
    already = f" The study had {known:,} of them already." if known else ""
    new, people = format_count(added.added, "judgement"), format_count(added.participants, "participant")
    click.echo(f"Added {new} of {people} to {study}.{already}")
