"""Running the server: who has access, where it listens, and how it stops."""

from __future__ import annotations

import errno
import os
import signal
import socket
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

from rightreasons.core.errors import InputError
from rightreasons.models.remote.addresses import is_loopback

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from starlette.applications import Starlette

    from rightreasons.serving.service import Service

TOKEN_VARIABLE = "RIGHTREASONS_SERVE_TOKEN"
SHORTEST_TOKEN = 16
GRACE_SECONDS = 5  # for the requests under way when the server is stopped


def check_serving_packages() -> None:
    """Check that the required packages are installed, before a model is loaded."""
    try:
        import starlette
        import uvicorn
    except ImportError as error:
        raise InputError(
            "A server needs starlette and uvicorn. Install them: pip install 'rightreasons[serve]'."
        ) from error
    del starlette, uvicorn


def find_token(host: str) -> str | None:
    """Read the token from the environment; it is required to listen on anything but loopback."""
    token = os.environ.get(TOKEN_VARIABLE, "").strip()
    if not token:
        if is_loopback(host):
            return None
        raise InputError(
            f"Other machines can reach a server on {host}, so a token is required. "
            f"Set the environment variable {TOKEN_VARIABLE}, or use --host 127.0.0.1."
        )
    if len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise InputError(
            f"The token in {TOKEN_VARIABLE} is too short, or contains spaces or characters other than "
            f"printable ASCII. Use at least {SHORTEST_TOKEN} characters, such as letters and digits."
        )
    return token


@contextmanager
def open_server_socket(host: str, port: int) -> Iterator[socket.socket]:
    """Open the socket of the server, so that a port in use is noticed before a model is loaded."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
    except (OSError, OverflowError) as error:
        raise InputError(f"There is no host {host!r} to listen on. Specify a different --host.") from error
    with listener:
        try:
            if os.name == "posix":
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen()
        except OSError as error:
            raise InputError(_explain_bind_failure(host, port, error)) from error
        yield listener


def _explain_bind_failure(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} on {host} is in use. Stop the other program, or specify a different --port."
    return f"Can't listen on {host}, port {port}: {error.strerror}. Specify a different --host or --port."


def get_server_url(listener: socket.socket, host: str) -> str:
    """Return the URL of the server, with the actual port in place of port 0."""
    return f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}"


def run_server(
    service: Service, listener: socket.socket, token: str | None, ready: Callable[[], None]
) -> bool:
    """Serve until SIGINT or SIGTERM; requests in progress have a few seconds to finish.

    Returns whether the model is idle: a batch that is being computed can't be interrupted.
    """
    from rightreasons.serving.app import make_app
    from rightreasons.serving.service import PREDICT, Worker

    worker = Worker()
    with _ignore_late_signals():  # also while a batch ends
        run_application(make_app(service, worker, token), listener, ready, protected_path=PREDICT)
        return worker.stop()


def run_application(
    app: Starlette,
    listener: socket.socket,
    ready: Callable[[], None],
    *,
    protected_path: str | None = None,
    behind_proxy: bool = False,
) -> None:
    """Serve an application until SIGINT or SIGTERM, with limits on connections.

    Behind a reverse proxy on this machine, the addresses of clients are those that the proxy states.
    """
    import uvicorn

    from rightreasons.serving.connections import QuietServer, choose_connection_limits, make_protocol_class

    limits = choose_connection_limits()
    config = uvicorn.Config(
        app,
        http=make_protocol_class(limits, protected_path),
        backlog=limits.backlog,
        ws="none",
        log_level="warning",
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=GRACE_SECONDS,
        server_header=False,
        proxy_headers=behind_proxy,
        forwarded_allow_ips="127.0.0.1,::1",
    )
    with _ignore_late_signals():
        ready()
        QuietServer(config).run(sockets=[listener])


def exit_immediately() -> NoReturn:
    """End the process while the model is computing: the threads of its library would abort a normal exit."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


@contextmanager
def _ignore_late_signals() -> Iterator[None]:
    """Ignore the signals that stopped the server once it has stopped, since uvicorn raises them again."""
    signals = (signal.SIGINT, signal.SIGTERM)
    handlers = {number: signal.signal(number, lambda *_: None) for number in signals}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
