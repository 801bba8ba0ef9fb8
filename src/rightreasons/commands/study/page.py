"""`rightreasons study page`: a page for an expert who works offline."""

from __future__ import annotations

from contextlib import closing

import click

from rightreasons.commands.output import print_message
from rightreasons.commands.study.serve import DATABASE_HELP


@click.command()
@click.argument("study", metavar="STUDY")
@click.option(
    "--participant",
    required=True,
    metavar="NAME",
    help="Name of the expert, as it will be in their file. The study stores only a salted hash of it.",
)
@click.option("--out", required=True, metavar="FILE", help="HTML file to write.")
@click.option("--database", metavar="URL", help=DATABASE_HELP)
@click.option("--force", is_flag=True, help="Overwrite FILE.")
def page(*, study: str, participant: str, out: str, database: str | None, force: bool) -> None:
    """Reserve items of STUDY for an expert, and write a page with them that works offline.

    The expert opens the file in a browser, judges the items, and saves a file that study import reads.

    Example: rightreasons study page human-hans --participant ann --out ann.html
    """
    from rightreasons.core.errors import InputError, format_count
    from rightreasons.io.outputs import check_output_path, write_atomically
    from rightreasons.people.offline_judgements import reserve_offline_items
    from rightreasons.people.offline_page import render_offline_page
    from rightreasons.people.store import open_store
    from rightreasons.people.study import open_study

    name = participant.strip()
    if not name or not name.isprintable():
        raise InputError("--participant is blank or has control characters. Use a name such as ann.")
    check_output_path(out, force=force)
    opened = open_study(study)
    with closing(open_store(opened, database)) as store:
        items = reserve_offline_items(store, name)
    with write_atomically(out, force=force) as part:
        part.write_text(render_offline_page(opened, name, items), encoding="utf-8")
    print_message(f"Wrote a page with {format_count(len(items), 'item')} to {out}.")
