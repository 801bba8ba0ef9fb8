"""`rightreasons study forget`: delete a participant and their judgements."""

from __future__ import annotations

from contextlib import closing

import click

from rightreasons.commands.output import print_message
from rightreasons.commands.study.serve import DATABASE_HELP


@click.command()
@click.argument("study", metavar="STUDY")
@click.argument("participant", metavar="PARTICIPANT")
@click.option("--database", metavar="URL", help=DATABASE_HELP)
def forget(*, study: str, participant: str, database: str | None) -> None:
    """Delete PARTICIPANT and all their judgements from STUDY.

    PARTICIPANT is the identifier on the researchers' page, or the identifier of the panel, such as the PROLIFIC_PID.
    The items go to other participants; a note without identifier remains. Also delete exports that you made before.

    Example: rightreasons study forget human-hans 5f3c0d9e2b1a4c6d8e7f0a1b
    """
    from rightreasons.core.errors import InputError, format_count
    from rightreasons.people.identifiers import hash_identifier
    from rightreasons.people.store import open_store
    from rightreasons.people.study import open_study

    opened = open_study(study)
    with closing(open_store(opened, database)) as store:
        judged = store.forget_participant(participant)
        if judged is None:
            judged = store.forget_participant(hash_identifier(opened.secrets.salt, participant))
    if judged is None:
        raise InputError(
            f"There is no participant {participant!r} in {study!r}. "
            "Use the identifier on the researchers' page, or that of the panel."
        )
    print_message(f"Deleted the participant and {format_count(judged, 'judgement')}.")
