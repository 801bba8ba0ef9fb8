"""`rightreasons study invite`: create personal links for participants."""

from __future__ import annotations

from contextlib import closing

import click

from rightreasons.commands.study.serve import DATABASE_HELP


@click.command()
@click.argument("study", metavar="STUDY")
@click.option(
    "--count", default=1, show_default=True, type=click.IntRange(1, 1000), help="How many links to create."
)
@click.option(
    "--base-url",
    default="http://127.0.0.1:8000",
    show_default=True,
    metavar="URL",
    help="Address of the study, as for study serve.",
)
@click.option("--database", metavar="URL", help=DATABASE_HELP)
def invite(*, study: str, count: int, base_url: str, database: str | None) -> None:
    """Create personal links to STUDY, one per participant, and print them.

    Example: rightreasons study invite human-hans --count 3 --base-url https://study.example.org
    """
    from rightreasons.people.invitations import create_invitations
    from rightreasons.people.store import open_store
    from rightreasons.people.study import open_study

    with closing(open_store(open_study(study), database)) as store:
        for invitation in create_invitations(store, count):
            click.echo(f"{base_url.rstrip('/')}/p/{invitation.token}")
