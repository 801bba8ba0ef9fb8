"""The client: sends JSON to one address, brings back JSON, and tries again where that may help."""

from __future__ import annotations

import json
import threading
import time
import weakref
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeVar

from rightreasons import __version__
from rightreasons.core.errors import InputError, MissingPredictionsError
from rightreasons.core.text_errors import RepeatedKeyError, refuse_repeated_keys
from rightreasons.io.environment import build_no_proxy_error, check_key_log, check_network_settings
from rightreasons.models.remote.addresses import host_of, is_loopback
from rightreasons.models.remote.failures import (
    KeyRefusedError,
    NoConnectionError,
    NoReplyError,
    TransientError,
    of_status,
    of_transport,
)
from rightreasons.models.remote.limits import RateLimiter, TokenUsage, tokens_of

if TYPE_CHECKING:
    from collections.abc import Callable

    import httpx

    from rightreasons.models.remote.addresses import Key
    from rightreasons.models.remote.deadlines import Deadline
    from rightreasons.models.remote.limits import Account, RetryPolicy

Read = TypeVar("Read")
LONGEST_BODY = 1 << 24  # bytes: as lists and objects of Python they are twenty times as long
# A server that asks for more patience than this is left for another day.
LONGEST_WAIT = 300.0
# The first request of a run is made before any model is asked, and must not hold the others up for long.
LONGEST_KNOCK = 5.0
SHORTEST_KNOCK = 0.5
LONGEST_WORDS = 200
ERRORS = range(400, 600)
# So many requests given up after all attempts, and none answered in between: the next ones will fare no better.
GIVEN_UP_IN_A_ROW = 10


class Client:
    """Talks to one server; threads may share it."""

    def __init__(self, address: str, key: Key, manners: RetryPolicy) -> None:
        """Choose the server, the key and the manners; nothing is sent yet."""
        self.address, self.key, self.manners = address, key, manners
        self.pace = RateLimiter(manners.rate)
        self.http, self.deadline = _open(address, key, manners)
        self.lock = threading.Lock()
        self.reached = self.answered = False  # it said something; it answered a question
        self.rejected = self.given_up = 0  # in a row, with no answer in between
        weakref.finalize(self, self.http.close)

    def get(self, path: str) -> dict[str, Any]:
        """Fetch a document; a server that is busy is asked again."""
        return self._persist(b"", lambda _: self._once("GET", path, b""))

    def knock(self, path: str) -> None:
        """See whether there is a server, and whether it takes the key; it doesn't matter what else it says."""
        try:
            self._soon(path, NoReplyError)
        except (NoConnectionError, KeyRefusedError) as failure:
            # 403 may be about this path alone.
            if getattr(failure, "status", HTTPStatus.UNAUTHORIZED) == HTTPStatus.UNAUTHORIZED:
                raise InputError(str(failure)) from failure
        except (TransientError, MissingPredictionsError):
            pass

    def get_soon(self, path: str) -> dict[str, Any] | None:
        """Fetch a document before a run begins; None where the server is there, but too busy to send it now."""
        try:
            return self._soon(path, TransientError)
        except MissingPredictionsError as failure:
            raise InputError(str(failure)) from failure
        except TransientError:
            return None

    def post(
        self,
        path: str,
        body: dict[str, Any],
        read: Callable[[dict[str, Any]], Read],
        account: Account,
        most: TokenUsage,
    ) -> Read:
        """Send a request and read the reply; each attempt is counted, with the most that it may take until it is known.

        What `read` makes of the reply is returned; a reply that it can't read is a TransientError.
        """
        sent = encoded(body)

        def attempt(again: bool) -> Read:
            account.spend(most, again=again)
            actual = TokenUsage()
            try:
                reply = self._once("POST", path, sent)
                actual = tokens_of(reply) or most
                found = read(reply)
            except TransientError as failure:
                actual = most if failure.paid else actual
                raise
            finally:
                account.settle(most, actual)
            self._note_answer()
            return found

        return self._persist(sent, attempt)

    def note_rejection(self) -> int:
        """Count a question that was turned down for good; say how many were, in a row."""
        with self.lock:
            self.rejected += 1
            return self.rejected

    def _note_answer(self) -> None:
        with self.lock:
            self.answered, self.rejected, self.given_up = True, 0, 0

    def _persist(self, sent: bytes, attempt: Callable[[bool], Read]) -> Read:
        """Make attempts until one succeeds, or there have been enough."""
        for number in range(self.manners.retries + 1):
            try:
                return attempt(number > 0)
            except TransientError as failure:
                last = failure
                self._check_patience(failure)
            if number < self.manners.retries:
                self._wait(last, number, sent)
        tries = "" if self.manners.retries == 0 else f" (tried {self.manners.retries + 1} times)"
        raise MissingPredictionsError(
            f"{last}{tries}. Ask again later.", final=self._is_last_straw(last)
        ) from last

    def _soon(self, path: str, retried: type[TransientError]) -> dict[str, Any]:
        """Fetch a document within a few seconds; of the failures that may pass, retry one kind."""
        end, number = time.monotonic() + LONGEST_KNOCK, 0
        while True:
            try:
                return self._once("GET", path, b"", min(self.manners.timeout, end - time.monotonic()))
            except retried as failure:
                wait = max(failure.wait or 0.0, self.manners.back_off(number, b""))
                # An attempt in the last moment would time out and say nothing about the server.
                if number >= self.manners.retries or time.monotonic() + wait > end - SHORTEST_KNOCK:
                    if isinstance(failure, NoReplyError) and not failure.connected:
                        raise NoConnectionError(f"{failure}. Check host and port.", final=True) from failure
                    raise
                self._wait(failure, number, b"")
            number += 1

    def _is_last_straw(self, failure: TransientError) -> bool:
        """Tell whether to stop asking altogether, after a request that was given up."""
        with self.lock:
            self.given_up += 1
            return failure.gone or self.given_up >= GIVEN_UP_IN_A_ROW

    def _check_patience(self, failure: TransientError) -> None:
        if failure.wait is not None and failure.wait > LONGEST_WAIT:
            raise MissingPredictionsError(
                f"{failure}, and asks to wait {failure.wait:,.0f} seconds. Ask again after that.", final=True
            ) from failure

    def _wait(self, failure: TransientError, number: int, sent: bytes) -> None:
        if failure.wait is not None:
            self.pace.hold(failure.wait)  # the server means all of us
        time.sleep(max(failure.wait or 0.0, self.manners.back_off(number, sent)))

    def _once(self, method: str, path: str, body: bytes, seconds: float | None = None) -> dict[str, Any]:
        """Make one attempt."""
        import httpx

        where, seconds = self.address, seconds or self.manners.timeout
        self.pace.wait()
        try:
            status, headers, content = self._exchange(method, f"{self.address}{path}", body, seconds)
        except httpx.HTTPError as error:
            raise self._weighed(of_transport(error, where, seconds)) from error
        if not HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
            raise self._weighed(of_status(status, headers, content, where, self.key))
        self.reached = True
        return self._document(content, headers)

    def _exchange(
        self, method: str, url: str, body: bytes, seconds: float
    ) -> tuple[int, httpx.Headers, bytes]:
        """Send and receive; headers and body must come in time, since a server can drip for ever."""
        content = bytearray()
        with (
            self.deadline.within(seconds),
            self.http.stream(method, url, content=body, timeout=seconds) as response,
        ):
            # What is packed could be of any size when it is unpacked, and was not asked for.
            packed = response.headers.get("content-encoding", "identity").strip().lower()
            if packed != "identity":
                raise TransientError(f"{self.address} sent a body packed by {packed!r:.40}", paid=True)
            for piece in response.iter_raw():
                content += piece
                if len(content) > LONGEST_BODY:
                    raise TransientError(f"{self.address} sent more than {LONGEST_BODY:,} bytes", paid=True)
        return response.status_code, response.headers, bytes(content)

    def _document(self, content: bytes, headers: httpx.Headers) -> dict[str, Any]:
        """Read a JSON object; an error in the place of an answer is treated like one with that status."""
        try:
            reply = json.loads(content, object_pairs_hook=refuse_repeated_keys)
        except RepeatedKeyError as repeated:
            # Whichever value was kept, it might be the wrong one.
            said = f"{self.address} sent JSON in which {repeated}"[:LONGEST_WORDS]
            raise TransientError(said, paid=True) from None
        except (ValueError, RecursionError):
            raise TransientError(f"{self.address} sent something that is no JSON", paid=True) from None
        if not isinstance(reply, dict):
            raise TransientError(f"{self.address} sent no JSON object", paid=True)
        error = reply.get("error")
        if error:
            code = error.get("code") if isinstance(error, dict) else None
            status = code if isinstance(code, int) and code in ERRORS else HTTPStatus.INTERNAL_SERVER_ERROR
            raise self._weighed(of_status(status, headers, content, self.address, self.key))
        return reply

    def _weighed(
        self, failure: TransientError | MissingPredictionsError
    ) -> TransientError | MissingPredictionsError:
        """Judge a failure by what went before: a server that was there may come back, one that never was won't."""
        if isinstance(failure, NoConnectionError) and self.reached:
            return TransientError(f"{self.address} can't be reached any more", gone=True)
        return failure


def encoded(body: dict[str, Any]) -> bytes:
    """Write JSON; a lone half of a surrogate pair can't be sent, and goes as its escape."""
    return json.dumps(body, separators=(",", ":"), allow_nan=False).encode()


def _open(address: str, key: Key, manners: RetryPolicy) -> tuple[httpx.Client, Deadline]:
    """Make the connections: redirects are not followed, since the key would go with them."""
    import httpx

    from rightreasons.models.remote.deadlines import set_deadline

    # What runs on this machine is never behind a proxy.
    by_environment = not is_loopback(host_of(address))
    check_key_log()
    if by_environment:
        check_network_settings()
    headers = {
        "User-Agent": f"rightreasons/{__version__}",
        "Content-Type": "application/json",
        "Accept-Encoding": "identity",
        **key.headers(),
    }
    limits = httpx.Limits(max_connections=manners.concurrency, max_keepalive_connections=manners.concurrency)
    try:
        client = httpx.Client(
            headers=headers,
            timeout=manners.timeout,
            limits=limits,
            follow_redirects=False,
            trust_env=by_environment,
        )
    except httpx.InvalidURL as error:  # proxies were checked before
        raise build_no_proxy_error(error) from error
    return client, set_deadline(client)
