"""Connections to the server: their maximum number, and how long each may keep the server waiting.

A client needs no token to open a connection, so idle ones are not kept: a connection whose client never finishes the
headers, sends a body that nobody reads, or doesn't read its response is closed after some seconds. If there are too
many, the oldest one whose pairs are not being predicted is closed.
"""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from rightreasons.serving.service import PREDICT

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

HEADER_SECONDS = 5.0
# A client that reads nothing of its response for so long is gone or malicious.
UNREAD_SECONDS = 30.0
CLOSING_SECONDS = 5.0
# Idle connections: if there are more, the oldest is closed.
MOST_IDLE = 256
MOST_CONNECTIONS = 512
# asyncio accepts so many connections at a time, before any of them is handled.
MOST_BACKLOG = 100
# Connections are also open while they are not counted: when accepted, made, aborted and closing.
_STAGES = 4
MOST_QUEUED = 1024  # by the system, until they are accepted
SPARE_DESCRIPTORS = 64  # for what the model opens
USUAL_DESCRIPTORS = 1024
QUIET_SECONDS = 60.0
LOG = logging.getLogger("rightreasons.serving")


class ConnectionLimits(NamedTuple):
    """The maximum numbers of connections, of idle ones, and of those that are accepted at once."""

    connections: int
    idle: int
    backlog: int


def choose_connection_limits() -> ConnectionLimits:
    """Choose limits that stay below the number of files that this process may have open."""
    limit, used = _count_file_descriptors()
    backlog = max(1, min(MOST_BACKLOG, limit // 10))
    left = limit - used - SPARE_DESCRIPTORS - _STAGES * backlog
    connections = max(2, min(MOST_CONNECTIONS, left))
    return ConnectionLimits(connections, max(1, min(MOST_IDLE, connections // 2)), backlog)


def _count_file_descriptors() -> tuple[int, int]:
    """Return how many files this process may have open, and how many it has open."""
    try:
        import resource

        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        limit = 1 << 30 if soft == resource.RLIM_INFINITY else soft
    except ImportError:  # Windows, where sockets don't count as files
        limit = USUAL_DESCRIPTORS
    used = SPARE_DESCRIPTORS
    with suppress(OSError):
        used = len(list(Path("/dev/fd").iterdir()))
    return limit, used


class IdleConnections:
    """The connections without a complete request, the oldest first."""

    def __init__(self, most: int = MOST_IDLE) -> None:
        """Choose how many there may be."""
        self.most = most
        self.closers: dict[object, Callable[[], None]] = {}

    def add(self, connection: object, close: Callable[[], None]) -> None:
        """Add an idle connection; if there are too many, close the one that has waited longest."""
        self.closers.setdefault(connection, close)
        while len(self.closers) > self.most:
            oldest = next(iter(self.closers))
            self.closers.pop(oldest)()

    def remove(self, connection: object) -> None:
        """Remove a connection that is no longer idle."""
        self.closers.pop(connection, None)


class OpenConnections:
    """All connections, the oldest first."""

    def __init__(self, most: int = MOST_CONNECTIONS) -> None:
        """Choose how many there may be."""
        self.most = most
        self.connections: dict[LimitedProtocol, None] = {}

    def add(self, connection: LimitedProtocol) -> None:
        """Add a connection; if there are too many, close the oldest whose request is not being handled.

        Only age decides between these, so that no client can keep later ones out. Few requests are being predicted,
        since the number of those that wait for the model is limited.
        """
        self.connections[connection] = None
        if len(self.connections) > self.most:
            oldest = next(
                candidate
                for candidate in self.connections
                if candidate is connection or not candidate.is_working()
            )
            self.connections.pop(oldest)
            oldest.transport.abort()

    def remove(self, connection: LimitedProtocol) -> None:
        """Remove a connection that is closed."""
        self.connections.pop(connection, None)


class LimitedProtocol(H11Protocol):
    """HTTP/1.1 with limits on connections and on the time that clients take, which uvicorn lacks."""

    idle_connections = IdleConnections()
    open_connections = OpenConnections()
    protected_path: str | None = PREDICT  # None: all paths
    header_timer: asyncio.TimerHandle | None = None
    write_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Register the connection, and limit the time until its first request."""
        super().connection_made(transport)
        self.open_connections.add(self)
        if not self.transport.is_closing():
            self._start_header_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Unregister the connection."""
        self.open_connections.remove(self)
        self._stop_header_timer()
        self._stop_write_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Handle new data; once the headers are complete, only the time limit of the body applies."""
        super().data_received(data)
        if self.transport.is_closing():
            self._limit_closing_time()
        elif self.conn.their_state is not h11.IDLE:
            self._stop_header_timer()
        elif self.header_timer is None:
            self._start_header_timer()  # another request on this connection has begun

    def on_response_complete(self) -> None:
        """Keep the connection for another request, for as long as uvicorn does.

        If a part of the body is still to come, close it: nobody would read the rest, and it has no time limit.
        """
        unread = self.conn.their_state is h11.SEND_BODY
        super().on_response_complete()
        if unread:
            self.transport.close()
        if self.transport.is_closing():
            self._limit_closing_time()
        elif self.conn.their_state is h11.IDLE:
            self.idle_connections.add(self, self.transport.abort)

    def timeout_keep_alive_handler(self) -> None:
        """Close a connection without another request."""
        super().timeout_keep_alive_handler()
        self._limit_closing_time()

    def pause_writing(self) -> None:
        """Wait a limited time for the client to read its response."""
        super().pause_writing()
        self._start_write_timer(UNREAD_SECONDS)

    def resume_writing(self) -> None:
        """Stop the timer: the client reads."""
        super().resume_writing()
        if not self.transport.is_closing():
            self._stop_write_timer()

    def is_working(self) -> bool:
        """Return whether a request to the protected path is complete, and its response has not started."""
        cycle = self.cycle
        if cycle is None or cycle.more_body or cycle.response_started:
            return False
        return self.protected_path is None or cycle.scope["path"] == self.protected_path

    def _start_header_timer(self) -> None:
        self.header_timer = self.loop.call_later(HEADER_SECONDS, self.transport.abort)
        self.idle_connections.add(self, self.transport.abort)

    def _stop_header_timer(self) -> None:
        self.idle_connections.remove(self)
        if self.header_timer is not None:
            self.header_timer.cancel()
            self.header_timer = None

    def _limit_closing_time(self) -> None:
        """Limit the time of a close, which waits until the client has read what is left to send."""
        self._stop_header_timer()
        self._start_write_timer(CLOSING_SECONDS)

    def _start_write_timer(self, seconds: float) -> None:
        self._stop_write_timer()
        self.write_timer = self.loop.call_later(seconds, self.transport.abort)

    def _stop_write_timer(self) -> None:
        if self.write_timer is not None:
            self.write_timer.cancel()
            self.write_timer = None


def make_protocol_class(
    room: ConnectionLimits, protected_path: str | None = PREDICT
) -> type[LimitedProtocol]:
    """Make a protocol class whose connections share these limits, and spare requests to a path that take time."""
    shared = {
        "idle_connections": IdleConnections(room.idle),
        "open_connections": OpenConnections(room.connections),
        "protected_path": protected_path,
    }
    return type("BoundProtocol", (LimitedProtocol,), shared)


class QuietServer(uvicorn.Server):
    """A server that logs only once a minute that no connection can be accepted, not for each attempt."""

    last_logged = float("-inf")

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen; if the process has too many open files, asyncio tries again after a second."""
        asyncio.get_running_loop().set_exception_handler(self._handle_loop_error)
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(
                MOST_QUEUED
            )  # uvicorn takes one number for this and for how many are accepted at once

    def _handle_loop_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Log an error of the event loop; a failed accept is repeated hundreds of times."""
        error = context.get("exception")
        if not (isinstance(error, OSError) and "accept" in str(context.get("message")).lower()):
            loop.default_exception_handler(context)
        elif time.monotonic() - self.last_logged > QUIET_SECONDS:
            self.last_logged = time.monotonic()
            LOG.error(
                "Connections can't be accepted: %s. Retrying every second. Raise the limit of open files (ulimit -n).",
                error.strerror,
            )
