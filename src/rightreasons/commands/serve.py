"""`rightreasons serve`: serve a model over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rightreasons.commands import shared_options
from rightreasons.commands.output import print_message

if TYPE_CHECKING:
    from collections.abc import Callable


def _add_limit_option(name: str, default: int, unit: str, text: str) -> Callable[[Any], Any]:
    """Add an option that bounds requests, a positive number."""
    return click.option(
        name, default=default, show_default=True, type=click.IntRange(1), metavar=unit, help=text
    )


@click.command()
@click.argument("model")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to bind. Anything but loopback requires a token in RIGHTREASONS_SERVE_TOKEN.",
)
@click.option(
    "--port",
    default=8000,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Port to bind. 0 picks a free port.",
)
@_add_limit_option("--max-body", 8 << 20, "BYTES", "Maximum size of a request body.")
@_add_limit_option("--max-batch", 1024, "PAIRS", "Maximum number of pairs per request.")
@_add_limit_option("--max-text", 100_000, "CHARACTERS", "Maximum length of a premise or hypothesis.")
@shared_options.add_key_value_option("An option of the model.")
def serve(
    *, model: str, host: str, port: int, max_body: int, max_batch: int, max_text: int, options: dict[str, str]
) -> None:
    """Serve MODEL over HTTP until Ctrl-C or SIGTERM; other processes use it as the model http://HOST:PORT.

    To serve other machines, set the environment variable RIGHTREASONS_SERVE_TOKEN to a token; clients set
    RIGHTREASONS_API_KEY to the same token.

    Example: rightreasons serve default --port 8080
    """
    from rightreasons.core import registry
    from rightreasons.serving import server
    from rightreasons.serving.service import RequestLimits, Service

    server.check_serving_packages()
    token = server.find_token(host)
    part = registry.make_model(model, options)
    with server.open_server_socket(host, port) as listener:
        service = Service(part, model, options, RequestLimits(max_body, max_batch, max_text))
        address = server.get_server_url(listener, host)
        at_rest = server.run_server(
            service, listener, token, lambda: print_message(f"Serving {model} on {address} until Ctrl-C.")
        )
    print_message("Stopped.")
    if not at_rest:
        server.exit_immediately()
