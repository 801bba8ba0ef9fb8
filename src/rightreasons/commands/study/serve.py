"""`rightreasons study serve`: collect the judgements of a study on a web page."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from rightreasons.commands.output import print_message

if TYPE_CHECKING:
    from rightreasons.people.web.access import WebAddress

DATABASE_HELP = (
    "PostgreSQL database, as in postgresql+psycopg://USER@HOST/NAME. If it contains a password, set the environment "
    "variable RIGHTREASONS_STUDY_DATABASE instead. Default: study.db in the study folder."
)


@click.command()
@click.argument("study", metavar="STUDY")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to bind. Anything but loopback requires --base-url.",
)
@click.option(
    "--port",
    default=8000,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Port to bind. 0 picks a free port.",
)
@click.option(
    "--base-url",
    metavar="URL",
    help="Public URL of the study, such as https://study.example.org, behind a reverse proxy. "
    "Default: the address of the server.",
)
@click.option(
    "--completion-url",
    metavar="URL",
    help="Link on the last page, such as the completion URL of Prolific. Default: a completion code only.",
)
@click.option("--database", metavar="URL", help=DATABASE_HELP)
def serve(
    *,
    study: str,
    host: str,
    port: int,
    base_url: str | None,
    completion_url: str | None,
    database: str | None,
) -> None:
    """Serve STUDY to participants until Ctrl-C or SIGTERM, and print the links for participants and researchers.

    Every judgement is saved at once; after a restart, participants go on where they were.

    Example: rightreasons study serve human-hans --port 8080
    """
    from rightreasons.people.database import check_people_packages
    from rightreasons.people.protocol_checks import describe_placeholders
    from rightreasons.people.store import open_store
    from rightreasons.people.study import open_study
    from rightreasons.people.web.app import make_study_app
    from rightreasons.people.web.site import StudySite
    from rightreasons.serving import server

    check_people_packages()
    opened = open_study(study)
    _check_url(completion_url, "--completion-url")
    with server.open_server_socket(host, port) as listener:
        address = _choose_address(host, base_url, server.get_server_url(listener, host))
        with closing(open_store(opened, database)) as store:
            site = StudySite(store, address, completion_url)

            def print_links() -> None:
                print_message(f"Serving {study} on {server.get_server_url(listener, host)} until Ctrl-C.")
                if placeholders := describe_placeholders(opened.protocol):
                    print_message(f"Warning: {placeholders}")
                print_message(f"Participants: {site.make_link(f'/s/{opened.secrets.study}')}")
                print_message(f"Researchers:  {site.make_link(f'/r/{opened.secrets.researcher}')}")

            server.run_application(
                make_study_app(site), listener, print_links, behind_proxy=base_url is not None
            )
    print_message("Stopped.")


def _choose_address(host: str, base_url: str | None, server_url: str) -> WebAddress:
    """Choose the address of links; a server that others can reach must say what it is."""
    from rightreasons.core.errors import InputError
    from rightreasons.models.remote.addresses import is_loopback
    from rightreasons.people.web.access import WebAddress

    if base_url is None:
        if not is_loopback(host):
            raise InputError(
                f"Other machines can reach a server on {host}, so the links need its public address. "
                "Specify --base-url, such as https://study.example.org, or use --host 127.0.0.1."
            )
        return WebAddress(server_url)
    _check_url(base_url, "--base-url")
    return WebAddress(base_url.rstrip("/"))


def _check_url(url: str | None, option: str) -> None:
    from rightreasons.core.errors import InputError

    if url is None:
        return
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and url.isprintable()
    except ValueError:
        valid = False
    if not valid or " " in url or (option == "--base-url" and (parts.query or parts.fragment)):
        raise InputError(f"{option} {url!r} is not a valid URL. Use one such as https://study.example.org.")
