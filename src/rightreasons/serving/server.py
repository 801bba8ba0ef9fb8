"""Running the server: who may reach it, where it listens, and how it stops."""

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

    from rightreasons.serving.service import Service

TOKEN = "RIGHTREASONS_SERVE_TOKEN"
SHORTEST_TOKEN = 16
GRACE_SECONDS = 5  # for the requests under way when the server is stopped


def check_installed() -> None:
    """Say what is missing before a model is loaded."""
    try:
        import starlette
        import uvicorn
    except ImportError as error:
        raise InputError(
            "A server needs starlette and uvicorn. Install them: pip install 'rightreasons[serve]'."
        ) from error
    del starlette, uvicorn


def find_token(host: str) -> str | None:
    """Take the token from the environment; whoever listens beyond this machine must have one."""
    token = os.environ.get(TOKEN, "").strip()
    if not token:
        if is_loopback(host):
            return None
        raise InputError(
            f"On {host} others can reach the server, so it needs a token. Set the environment variable {TOKEN}, "
            "or listen on 127.0.0.1."
        )
    if len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise InputError(
            f"The token in {TOKEN} is too short, or holds spaces or other odd signs. "
            f"Set at least {SHORTEST_TOKEN} letters and digits."
        )
    return token


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """Take the port, so that it is known to be free before a model is loaded."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        taken = socket.socket(family, kind, protocol)
    except (OSError, OverflowError) as error:
        raise InputError(f"There is no host {host!r} to listen on. Give another --host.") from error
    with taken:
        try:
            if os.name == "posix":
                taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            taken.bind(address)
            taken.listen()
        except OSError as error:
            raise InputError(_no_port(host, port, error)) from error
        yield taken


def _no_port(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} of {host} is taken. Stop what listens there, or give another --port."
    return f"Nothing can listen on {host}, port {port}: {error.strerror}. Give another --host or --port."


def address_of(taken: socket.socket, host: str) -> str:
    """Say where a server listens; port 0 has become a real one."""
    return f"http://{f'[{host}]' if ':' in host else host}:{taken.getsockname()[1]}"


def run_server(service: Service, taken: socket.socket, token: str | None, ready: Callable[[], None]) -> bool:
    """Serve until SIGINT or SIGTERM comes; requests under way have a few seconds to be answered.

    Returns whether the model is at rest: a batch that is still being computed can't be interrupted.
    """
    import uvicorn

    from rightreasons.serving.app import make_app
    from rightreasons.serving.connections import CalmServer, protocol_below, room_for_connections
    from rightreasons.serving.service import Worker

    worker = Worker()
    room = room_for_connections()
    config = uvicorn.Config(
        make_app(service, worker, token),
        http=protocol_below(room),
        backlog=room.at_once,
        ws="none",
        log_level="warning",
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=GRACE_SECONDS,
        server_header=False,
    )
    with _signals_are_heard():
        ready()
        CalmServer(config).run(sockets=[taken])
        return worker.stop()


def leave_at_once() -> NoReturn:
    """End the process although the model still computes: the threads of its library would abort a usual exit."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


@contextmanager
def _signals_are_heard() -> Iterator[None]:
    """Ignore the signals that stop the server after it has stopped: it raises them once more for those outside."""
    wanted = (signal.SIGINT, signal.SIGTERM)
    before = {one: signal.signal(one, lambda *_: None) for one in wanted}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
