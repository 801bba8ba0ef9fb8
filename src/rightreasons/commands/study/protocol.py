"""`rightreasons study protocol`: the text of a built-in protocol."""

from __future__ import annotations

import click


@click.command()
@click.argument("name", required=False)
def protocol(*, name: str | None) -> None:
    """Print the protocol NAME as TOML, to copy and edit; without NAME, list the built-in protocols.

    Example: rightreasons study protocol hans > my-study.toml
    """
    from rightreasons.people.protocol import describe_protocols, read_protocol_text

    if name is not None:
        click.echo(read_protocol_text(name), nl=False)
        return
    described = describe_protocols()
    width = max(map(len, described))
    for each, about in described.items():
        click.echo(f"{each:{width}}  {about}")
