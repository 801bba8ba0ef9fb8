"""A time limit on a whole exchange: a server that sends a byte now and then would satisfy any limit on one read."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpcore

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterable, Iterator

    import httpx


class Deadline(threading.local):
    """The moment by which the current exchange of a thread must have ended."""

    end: float | None = None

    @contextmanager
    def enforce(self, seconds: float) -> Iterator[None]:
        """Limit the total time of all reads, writes and connections inside the block."""
        self.end = time.monotonic() + seconds
        try:
            yield
        finally:
            self.end = None

    def limit_timeout(self, timeout: float | None, late: type[Exception]) -> float | None:
        """Return how long an operation may take; raise `late` if no time is left."""
        if self.end is None:
            return timeout
        left = self.end - time.monotonic()
        if left <= 0:
            raise late("the deadline has passed")
        return left if timeout is None else min(left, timeout)


class DeadlineStream(httpcore.NetworkStream):
    """A connection whose operations end at a deadline."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        """Wrap a connection."""
        self.stream, self.deadline = stream, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Read the bytes that have arrived."""
        return self.stream.read(max_bytes, self.deadline.limit_timeout(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Write all bytes."""
        self.stream.write(buffer, self.deadline.limit_timeout(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        """Close the connection."""
        self.stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """Switch the connection to TLS."""
        left = self.deadline.limit_timeout(timeout, httpcore.ConnectTimeout)
        return DeadlineStream(self.stream.start_tls(ssl_context, server_hostname, left), self.deadline)

    def get_extra_info(self, info: str) -> Any:
        """Return a detail of the connection."""
        return self.stream.get_extra_info(info)


class DeadlineBackend(httpcore.NetworkBackend):
    """Opens connections whose operations end at a deadline."""

    def __init__(self, deadline: Deadline) -> None:
        """Set the deadline, which starts anew for each exchange."""
        self.deadline, self.backend = deadline, httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to a host."""
        left = self.deadline.limit_timeout(timeout, httpcore.ConnectTimeout)
        stream = self.backend.connect_tcp(host, port, left, local_address, socket_options)
        return DeadlineStream(stream, self.deadline)

    def sleep(self, seconds: float) -> None:
        """Wait."""
        self.backend.sleep(seconds)


def install_deadline(client: httpx.Client) -> Deadline:
    """Put a client under a deadline; httpx has no public way to choose how connections are made."""
    deadline = Deadline()
    for transport in (client._transport, *client._mounts.values()):  # noqa: SLF001
        pool = getattr(transport, "_pool", None)
        if pool is not None:
            pool._network_backend = DeadlineBackend(deadline)  # noqa: SLF001
    return deadline
