"""Connections to the server: how many there may be, and how long each may keep the server waiting.

A client needs no token to open a connection, so none may stay open for nothing: one that never finishes its headers,
sends a body that nobody reads, or doesn't read its answer is closed after some seconds. When there are too many, the
oldest one whose request is not with the model makes room for the new one.
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
# A client that reads nothing of its answer for so long is not there any more, or means no good.
UNREAD_SECONDS = 30.0
CLOSING_SECONDS = 5.0
# More connections than this that wait for a request are not kept: the oldest is closed when a new one comes.
MOST_IDLE = 256
MOST_CONNECTIONS = 512
# asyncio accepts so many connections at a time, before any of them is looked at.
MOST_AT_ONCE = 100
# Such connections are open before and after they are counted: accepted, made, aborted and being closed.
_STAGES = 4
MOST_QUEUED = 1024  # by the system, until they are accepted
SPARE_DESCRIPTORS = 64  # for what the model opens
USUAL_DESCRIPTORS = 1024
QUIET_SECONDS = 60.0
LOG = logging.getLogger("rightreasons.serving")


class ConnectionLimits(NamedTuple):
    """How many connections there may be, how many of them idle, and how many are accepted at once."""

    connections: int
    idle: int
    at_once: int


def room_for_connections() -> ConnectionLimits:
    """Choose limits that stay below the number of files that this process may have open."""
    limit, used = _descriptors()
    at_once = max(1, min(MOST_AT_ONCE, limit // 10))
    left = limit - used - SPARE_DESCRIPTORS - _STAGES * at_once
    connections = max(2, min(MOST_CONNECTIONS, left))
    return ConnectionLimits(connections, max(1, min(MOST_IDLE, connections // 2)), at_once)


def _descriptors() -> tuple[int, int]:
    """Say how many files this process may have open, and how many it has."""
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
    """The connections on which no request has come in whole, the oldest first."""

    def __init__(self, most: int = MOST_IDLE) -> None:
        """Choose how many there may be."""
        self.most = most
        self.closers: dict[object, Callable[[], None]] = {}

    def add(self, connection: object, close: Callable[[], None]) -> None:
        """Note an idle connection; where there are too many, close the one that has waited longest."""
        self.closers.setdefault(connection, close)
        while len(self.closers) > self.most:
            oldest = next(iter(self.closers))
            self.closers.pop(oldest)()

    def remove(self, connection: object) -> None:
        """Forget a connection that is idle no longer."""
        self.closers.pop(connection, None)


class OpenConnections:
    """All connections, the oldest first."""

    def __init__(self, most: int = MOST_CONNECTIONS) -> None:
        """Choose how many there may be."""
        self.most = most
        self.held: dict[LimitedProtocol, None] = {}

    def add(self, connection: LimitedProtocol) -> None:
        """Count a new connection; where there are too many, close the oldest whose request is not with the model.

        Age alone decides between the others: whatever a client sends, it can't keep those out that come later.
        Few requests are with the model, since only so many may wait for it.
        """
        self.held[connection] = None
        if len(self.held) > self.most:
            leaving = next(one for one in self.held if one is connection or not one.is_with_the_model())
            self.held.pop(leaving)
            leaving.transport.abort()

    def remove(self, connection: LimitedProtocol) -> None:
        """Forget a connection that is closed."""
        self.held.pop(connection, None)


class LimitedProtocol(H11Protocol):
    """HTTP/1.1 with limits on connections and on the time that clients take, which uvicorn does not have."""

    idle = IdleConnections()
    everyone = OpenConnections()
    header_timer: asyncio.TimerHandle | None = None
    write_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start to wait for a request."""
        super().connection_made(transport)
        self.everyone.add(self)
        if not self.transport.is_closing():
            self._await_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self.everyone.remove(self)
        self._stop_waiting()
        self._stop_write_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; a request whose headers are here has all the time that its body may take."""
        super().data_received(data)
        if self.transport.is_closing():
            self._close_for_sure()
        elif self.conn.their_state is not h11.IDLE:
            self._stop_waiting()
        elif self.header_timer is None:
            self._await_headers()  # another request on this connection has begun

    def on_response_complete(self) -> None:
        """Keep the connection for another request, for as long as uvicorn keeps one.

        If the rest of a body is still to come, nobody will read it, and nothing limits how long it may take.
        """
        unread = self.conn.their_state is h11.SEND_BODY
        super().on_response_complete()
        if unread:
            self.transport.close()
        if self.transport.is_closing():
            self._close_for_sure()
        elif self.conn.their_state is h11.IDLE:
            self.idle.add(self, self.transport.abort)

    def timeout_keep_alive_handler(self) -> None:
        """Close a connection on which no other request has come."""
        super().timeout_keep_alive_handler()
        self._close_for_sure()

    def pause_writing(self) -> None:
        """Wait for the client to read its answer, but not for ever."""
        super().pause_writing()
        self._limit_writing(UNREAD_SECONDS)

    def resume_writing(self) -> None:
        """Go on: the client reads."""
        super().resume_writing()
        if not self.transport.is_closing():
            self._stop_write_timer()

    def is_with_the_model(self) -> bool:
        """Tell whether a whole request for predictions is here, and its answer is not yet on its way."""
        cycle = self.cycle
        if cycle is None or cycle.more_body or cycle.response_started:
            return False
        return cycle.scope["path"] == PREDICT

    def _await_headers(self) -> None:
        self.header_timer = self.loop.call_later(HEADER_SECONDS, self.transport.abort)
        self.idle.add(self, self.transport.abort)

    def _stop_waiting(self) -> None:
        self.idle.remove(self)
        if self.header_timer is not None:
            self.header_timer.cancel()
            self.header_timer = None

    def _close_for_sure(self) -> None:
        """Limit the time that a close may take: it waits until the client has read what is left to send."""
        self._stop_waiting()
        self._limit_writing(CLOSING_SECONDS)

    def _limit_writing(self, seconds: float) -> None:
        self._stop_write_timer()
        self.write_timer = self.loop.call_later(seconds, self.transport.abort)

    def _stop_write_timer(self) -> None:
        if self.write_timer is not None:
            self.write_timer.cancel()
            self.write_timer = None


def protocol_below(room: ConnectionLimits) -> type[LimitedProtocol]:
    """Make a protocol whose connections share limits of their own."""
    shared = {"idle": IdleConnections(room.idle), "everyone": OpenConnections(room.connections)}
    return type("BoundProtocol", (LimitedProtocol,), shared)


class CalmServer(uvicorn.Server):
    """A server that says once in a while that no connection can be accepted, rather than with each attempt."""

    last_said = float("-inf")

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen; asyncio tries again after a second where the process has too many open files."""
        asyncio.get_running_loop().set_exception_handler(self._handle)
        await super().startup(sockets)
        for one in sockets or ():
            one.listen(MOST_QUEUED)  # uvicorn takes one number for this and for how many are accepted at once

    def _handle(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Say what failed in the loop; of a failed accept there are hundreds with the same traceback."""
        error = context.get("exception")
        if not (isinstance(error, OSError) and "accept" in str(context.get("message")).lower()):
            loop.default_exception_handler(context)
        elif time.monotonic() - self.last_said > QUIET_SECONDS:
            self.last_said = time.monotonic()
            LOG.error(
                "No connection can be accepted: %s. Trying again each second. Raise the limit (ulimit -n).",
                error.strerror,
            )
