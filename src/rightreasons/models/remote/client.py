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
from rightreasons.io.environment import build_no_proxy_error, check_network_settings, check_tls_key_log
from rightreasons.models.remote.addresses import get_host, is_loopback
from rightreasons.models.remote.failures import (
    KeyRefusedError,
    NoConnectionError,
    NoReplyError,
    TransientError,
    classify_error_status,
    classify_transport_error,
)
from rightreasons.models.remote.limits import RateLimiter, TokenUsage, read_usage

if TYPE_CHECKING:
    from collections.abc import Callable

    import httpx

    from rightreasons.models.remote.addresses import ApiKey
    from rightreasons.models.remote.deadlines import Deadline
    from rightreasons.models.remote.limits import Account, RetryPolicy

Result = TypeVar("Result")
LONGEST_BODY = 1 << 24  # bytes: as lists and objects of Python they are twenty times as long
# The run ends if a server asks to wait longer than this.
LONGEST_WAIT = 300.0
# The first request of a run is made before any model is run, and must not delay the others for long.
LONGEST_CHECK = 5.0
SHORTEST_CHECK = 0.5
LONGEST_MESSAGE = 200
ERROR_STATUSES = range(400, 600)
# After so many failed requests in a row, with all their retries, the next ones will fail as well.
MOST_FAILURES_IN_A_ROW = 10


class Client:
    """Sends requests to one server; threads may share it."""

    def __init__(self, address: str, key: ApiKey, retry_policy: RetryPolicy) -> None:
        """Set the server, the key and the retry policy; nothing is sent yet."""
        self.address, self.key, self.retry_policy = address, key, retry_policy
        self.rate_limiter = RateLimiter(retry_policy.rate)
        self.http, self.deadline = _open_http_client(address, key, retry_policy)
        self.lock = threading.Lock()
        self.reached = self.has_succeeded = False  # a document came; a prediction could be read
        self.rejections = self.failures = 0  # in a row, with no success in between
        weakref.finalize(self, self.http.close)

    def get(self, path: str) -> dict[str, Any]:
        """Fetch a document, with retries while the server is busy."""
        return self._retry(b"", lambda _: self._send_request("GET", path, b""))

    def check_connection(self, path: str) -> None:
        """Check that there is a server, and that it accepts the key; any other failure is ignored."""
        try:
            self._get_quickly(path, NoReplyError)
        except (NoConnectionError, KeyRefusedError) as failure:
            # 403 may be about this path alone.
            if getattr(failure, "status", HTTPStatus.UNAUTHORIZED) == HTTPStatus.UNAUTHORIZED:
                raise InputError(str(failure)) from failure
        except (TransientError, MissingPredictionsError):
            pass

    def get_if_ready(self, path: str) -> dict[str, Any] | None:
        """Fetch a document before a run begins; None if the server exists but is too busy to send it now."""
        try:
            return self._get_quickly(path, TransientError)
        except MissingPredictionsError as failure:
            raise InputError(str(failure)) from failure
        except TransientError:
            return None

    def post(
        self,
        path: str,
        body: dict[str, Any],
        read: Callable[[dict[str, Any]], Result],
        account: Account,
        most: TokenUsage,
    ) -> Result:
        """Send a request and read the reply; until the usage of an attempt is known, its maximum is counted.

        Returns what `read` returns for the reply; a reply that it can't read is a TransientError.
        """
        sent = encode_json(body)

        def attempt(again: bool) -> Result:
            account.reserve(most, again=again)
            actual = TokenUsage()
            try:
                reply = self._send_request("POST", path, sent)
                actual = read_usage(reply) or most
                result = read(reply)
            except TransientError as failure:
                actual = most if failure.paid else actual
                raise
            finally:
                account.record_usage(most, actual)
            self._note_success()
            return result

        return self._retry(sent, attempt)

    def count_rejection(self) -> int:
        """Count a request that was permanently rejected; return how many were, in a row."""
        with self.lock:
            self.rejections += 1
            return self.rejections

    def _note_success(self) -> None:
        with self.lock:
            self.has_succeeded, self.rejections, self.failures = True, 0, 0

    def _retry(self, sent: bytes, attempt: Callable[[bool], Result]) -> Result:
        """Make attempts until one succeeds or the retries are used up."""
        for number in range(self.retry_policy.retries + 1):
            try:
                return attempt(number > 0)
            except TransientError as failure:
                last = failure
                self._refuse_long_wait(failure)
            if number < self.retry_policy.retries:
                self._wait_before_retry(last, number, sent)
        tries = "" if self.retry_policy.retries == 0 else f" (tried {self.retry_policy.retries + 1} times)"
        raise MissingPredictionsError(
            f"{last}{tries}. Try again later.", final=self._count_failure(last)
        ) from last

    def _get_quickly(self, path: str, retried: type[TransientError]) -> dict[str, Any]:
        """Fetch a document within a few seconds; retry one kind of transient failures only."""
        end, number = time.monotonic() + LONGEST_CHECK, 0
        while True:
            try:
                return self._send_request(
                    "GET", path, b"", min(self.retry_policy.timeout, end - time.monotonic())
                )
            except retried as failure:
                wait = max(failure.wait or 0.0, self.retry_policy.compute_backoff(number, b""))
                # An attempt at the last moment would time out and reveal nothing about the server.
                if number >= self.retry_policy.retries or time.monotonic() + wait > end - SHORTEST_CHECK:
                    if isinstance(failure, NoReplyError) and not failure.connected:
                        raise NoConnectionError(f"{failure}. Check host and port.", final=True) from failure
                    raise
                self._wait_before_retry(failure, number, b"")
            number += 1

    def _count_failure(self, failure: TransientError) -> bool:
        """Count a request that failed after all retries; return whether to send no more requests."""
        with self.lock:
            self.failures += 1
            return failure.gone or self.failures >= MOST_FAILURES_IN_A_ROW

    def _refuse_long_wait(self, failure: TransientError) -> None:
        if failure.wait is not None and failure.wait > LONGEST_WAIT:
            raise MissingPredictionsError(
                f"{failure}, and asked to wait {failure.wait:,.0f} seconds. Try again after this time.",
                final=True,
            ) from failure

    def _wait_before_retry(self, failure: TransientError, number: int, sent: bytes) -> None:
        if failure.wait is not None:
            self.rate_limiter.pause(failure.wait)  # the server means all threads
        time.sleep(max(failure.wait or 0.0, self.retry_policy.compute_backoff(number, sent)))

    def _send_request(
        self, method: str, path: str, body: bytes, seconds: float | None = None
    ) -> dict[str, Any]:
        """Make one attempt."""
        import httpx

        where, seconds = self.address, seconds or self.retry_policy.timeout
        self.rate_limiter.wait()
        try:
            status, headers, content = self._send_and_receive(method, f"{self.address}{path}", body, seconds)
        except httpx.HTTPError as error:
            raise self._reclassify_failure(classify_transport_error(error, where, seconds)) from error
        if not HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
            raise self._reclassify_failure(classify_error_status(status, headers, content, where, self.key))
        self.reached = True
        return self._parse_json_object(content, headers)

    def _send_and_receive(
        self, method: str, url: str, body: bytes, seconds: float
    ) -> tuple[int, httpx.Headers, bytes]:
        """Send and receive; headers and body must arrive in time, since a server can send a byte at a time forever."""
        content = bytearray()
        with (
            self.deadline.enforce(seconds),
            self.http.stream(method, url, content=body, timeout=seconds) as response,
        ):
            # A compressed body could be of any size when it is decompressed, and was not requested.
            encoding = response.headers.get("content-encoding", "identity").strip().lower()
            if encoding != "identity":
                raise TransientError(
                    f"{self.address} sent a response compressed with {encoding!r:.40}", paid=True
                )
            for piece in response.iter_raw():
                content += piece
                if len(content) > LONGEST_BODY:
                    raise TransientError(f"{self.address} sent more than {LONGEST_BODY:,} bytes", paid=True)
        return response.status_code, response.headers, bytes(content)

    def _parse_json_object(self, content: bytes, headers: httpx.Headers) -> dict[str, Any]:
        """Read a JSON object; an error object in its place is treated like a response with that status."""
        try:
            reply = json.loads(content, object_pairs_hook=refuse_repeated_keys)
        except RepeatedKeyError as repeated:
            # Whichever value is chosen, it might be the wrong one.
            message = f"{self.address} sent JSON in which {repeated}"[:LONGEST_MESSAGE]
            raise TransientError(message, paid=True) from None
        except (ValueError, RecursionError):
            raise TransientError(
                f"{self.address} sent a response that is not valid JSON", paid=True
            ) from None
        if not isinstance(reply, dict):
            raise TransientError(f"{self.address} sent JSON that is not an object", paid=True)
        error = reply.get("error")
        if error:
            code = error.get("code") if isinstance(error, dict) else None
            status = (
                code if isinstance(code, int) and code in ERROR_STATUSES else HTTPStatus.INTERNAL_SERVER_ERROR
            )
            raise self._reclassify_failure(
                classify_error_status(status, headers, content, self.address, self.key)
            )
        return reply

    def _reclassify_failure(
        self, failure: TransientError | MissingPredictionsError
    ) -> TransientError | MissingPredictionsError:
        """Make a failed connection transient if the server was reached before, since it may come back."""
        if isinstance(failure, NoConnectionError) and self.reached:
            return TransientError(f"{self.address} can no longer be reached", gone=True)
        return failure


def encode_json(body: dict[str, Any]) -> bytes:
    """Encode JSON; a lone surrogate, which UTF-8 can't represent, is written as its escape."""
    return json.dumps(body, separators=(",", ":"), allow_nan=False).encode()


def _open_http_client(address: str, key: ApiKey, retry_policy: RetryPolicy) -> tuple[httpx.Client, Deadline]:
    """Make the connections: redirects are not followed, since the key would go with them."""
    import httpx

    from rightreasons.models.remote.deadlines import install_deadline

    # A server on this machine is never behind a proxy.
    by_environment = not is_loopback(get_host(address))
    check_tls_key_log()
    if by_environment:
        check_network_settings()
    headers = {
        "User-Agent": f"rightreasons/{__version__}",
        "Content-Type": "application/json",
        "Accept-Encoding": "identity",
        **key.make_headers(),
    }
    limits = httpx.Limits(
        max_connections=retry_policy.concurrency, max_keepalive_connections=retry_policy.concurrency
    )
    try:
        client = httpx.Client(
            headers=headers,
            timeout=retry_policy.timeout,
            limits=limits,
            follow_redirects=False,
            trust_env=by_environment,
        )
    except httpx.InvalidURL as error:  # proxies were checked before
        raise build_no_proxy_error(error) from error
    return client, install_deadline(client)
