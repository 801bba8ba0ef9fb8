"""`rightreasons serve`: a model that other processes can ask."""

from __future__ import annotations

import click

from rightreasons.commands import arguments


@click.command()
@click.argument("model")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to bind. Anything but loopback requires a token.",
)
@click.option(
    "--port",
    default=8000,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Port to bind. 0 picks a free port.",
)
@click.option(
    "--max-body",
    default=8 << 20,
    show_default=True,
    type=click.IntRange(1),
    metavar="BYTES",
    help="Maximum size of a request.",
)
@click.option(
    "--max-batch",
    default=1024,
    show_default=True,
    type=click.IntRange(1),
    metavar="PAIRS",
    help="Maximum number of pairs per request.",
)
@click.option(
    "--max-text",
    default=100_000,
    show_default=True,
    type=click.IntRange(1),
    metavar="CHARACTERS",
    help="Maximum length of a premise or hypothesis.",
)
@arguments.options("An option of the model.")
def serve(
    *, model: str, host: str, port: int, max_body: int, max_batch: int, max_text: int, options: dict[str, str]
) -> None:
    """Serve MODEL over HTTP until Ctrl-C or SIGTERM, for use as `predict http://HOST:PORT`.

    To serve other machines, set the environment variable RIGHTREASONS_SERVE_TOKEN to a token. Clients set
    RIGHTREASONS_API_KEY to the same token.
    """
    from rightreasons.core import registry
    from rightreasons.serving import server
    from rightreasons.serving.service import Limits, Service

    server.check_installed()
    token = server.find_token(host)
    part = registry.make_model(model, options)
    with server.listening(host, port) as taken:
        service = Service(part, model, options, Limits(max_body, max_batch, max_text))
        address = server.address_of(taken, host)
        at_rest = server.run(
            service, taken, token, lambda: arguments.say(f"Serving {model} on {address} until Ctrl-C.")
        )
    arguments.say("Stopped.")
    if not at_rest:
        server.leave_at_once()
