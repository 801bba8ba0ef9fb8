"""`rightreasons serve`: a model that other processes can ask."""

from __future__ import annotations

import click

from rightreasons.commands import arguments


@click.command()
@click.argument("model")
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Where to listen; elsewhere a token is needed."
)
@click.option(
    "--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="0 takes a free one."
)
@click.option(
    "--max-body",
    default=8 << 20,
    show_default=True,
    type=click.IntRange(1),
    metavar="BYTES",
    help="Longest request.",
)
@click.option(
    "--max-batch",
    default=1024,
    show_default=True,
    type=click.IntRange(1),
    metavar="PAIRS",
    help="Pairs in a request.",
)
@click.option(
    "--max-text",
    default=100_000,
    show_default=True,
    type=click.IntRange(1),
    metavar="CHARACTERS",
    help="Longest premise or hypothesis.",
)
@arguments.options("An option of the model.")
def serve(
    *, model: str, host: str, port: int, max_body: int, max_batch: int, max_text: int, options: dict[str, str]
) -> None:
    """Serve MODEL, so that `predict http://HOST:PORT` asks it from elsewhere, until Ctrl-C or SIGTERM.

    Beyond this machine the environment variable RIGHTREASONS_SERVE_TOKEN must hold a token, which those who ask
    put into RIGHTREASONS_API_KEY.
    """
    from rightreasons import registry
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
