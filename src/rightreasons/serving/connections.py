"""Connections to the server: one that never finishes its headers is closed, and only so many may be idle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

HEADER_SECONDS = 5.0
# More connections than this that wait for a request are not kept: the oldest is closed when a new one comes.
MOST_IDLE = 256


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


class LimitedProtocol(H11Protocol):
    """HTTP/1.1 with a time limit for headers and a limit on idle connections, which uvicorn does not have."""

    idle = IdleConnections()
    header_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start to wait for a request."""
        super().connection_made(transport)
        self._await_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; a request whose headers are here has all the time that its body may take."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop_waiting()
        elif self.header_timer is None and not self.transport.is_closing():
            self._await_headers()  # another request on this connection has begun

    def on_response_complete(self) -> None:
        """Keep the connection for another request, for as long as uvicorn keeps one."""
        super().on_response_complete()
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self.idle.add(self, self.transport.abort)

    def _await_headers(self) -> None:
        self.header_timer = self.loop.call_later(HEADER_SECONDS, self.transport.abort)
        self.idle.add(self, self.transport.abort)

    def _stop_waiting(self) -> None:
        self.idle.remove(self)
        if self.header_timer is not None:
            self.header_timer.cancel()
            self.header_timer = None
