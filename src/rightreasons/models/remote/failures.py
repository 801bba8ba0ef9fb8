"""Failed requests: which to retry, which to give up, and which end the run."""

from __future__ import annotations

import json
import socket
import ssl
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from rightreasons.core.errors import MissingPredictionsError, RightReasonsError
from rightreasons.core.text_errors import refuse_repeated_keys
from rightreasons.models.remote.limits import read_retry_after

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx

    from rightreasons.models.remote.addresses import ApiKey

KEY_STATUSES = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
FINAL_STATUSES = (
    HTTPStatus.PAYMENT_REQUIRED,
    HTTPStatus.NOT_FOUND,
    HTTPStatus.METHOD_NOT_ALLOWED,
    HTTPStatus.GONE,
    HTTPStatus.FAILED_DEPENDENCY,
)
TRANSIENT_STATUSES = (
    HTTPStatus.REQUEST_TIMEOUT,
    HTTPStatus.CONFLICT,
    HTTPStatus.TOO_EARLY,
    HTTPStatus.TOO_MANY_REQUESTS,
)
NO_CREDIT_CODES = ("insufficient_quota", "billing_hard_limit_reached")
LOGPROB_FIELD = "logprob"  # a field that some endpoints forbid with the status for a wrong key
LONGEST_MESSAGE = 200


class TransientError(RightReasonsError):
    """A failure after which a retry may succeed."""

    def __init__(
        self, message: str, *, wait: float | None = None, paid: bool = False, gone: bool = False
    ) -> None:
        """Set the message, how long the server asks to wait, and whether the request may have cost money.

        If the server itself is gone, giving up on one request is giving up on all.
        """
        super().__init__(message)
        self.wait, self.paid, self.gone = wait, paid, gone


class NoReplyError(TransientError):
    """A request to which no status came back."""

    def __init__(self, message: str, *, connected: bool = True) -> None:
        """Set the message, and whether there was a connection; with one, the request may have cost money."""
        super().__init__(message, paid=connected)
        self.connected = connected


class RejectedError(MissingPredictionsError):
    """A request that the server understands and rejects; a retry is useless."""

    def __init__(self, message: str, server_message: str = "") -> None:
        """Set the message, and the server's own message in full."""
        super().__init__(message)
        self.server_message = server_message


class NoConnectionError(MissingPredictionsError):
    """No server listens at the address."""


class KeyRefusedError(MissingPredictionsError):
    """The server requires a key, or refuses this one."""

    def __init__(self, message: str, status: int) -> None:
        """Set the message, and the status of the response."""
        super().__init__(message, final=True)
        self.status = status


def classify_transport_error(
    error: httpx.HTTPError, where: str, timeout: float
) -> TransientError | MissingPredictionsError:
    """Classify a failure of the connection; it is final if there is no server at the address."""
    import httpx

    if isinstance(error, httpx.TimeoutException):
        never_connected = isinstance(error, httpx.ConnectTimeout)
        what = "accepted no connection" if never_connected else "did not respond"
        return NoReplyError(
            f"{where} {what} within {round(timeout, 2):g} seconds", connected=not never_connected
        )
    if isinstance(error, httpx.UnsupportedProtocol | httpx.ProxyError):
        return NoConnectionError(
            f"{where} can't be reached: {error}. Check the URL and the proxy.", final=True
        )
    if isinstance(error, httpx.ConnectError):
        return NoConnectionError(_explain_no_connection(error, where), final=True)
    return NoReplyError(f"{where} closed the connection before its response was complete")


def _explain_no_connection(error: BaseException, where: str) -> str:
    """Distinguish an unknown host, an invalid certificate, and a missing server."""
    causes = list(_iterate_causes(error))
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return f"The host of {where} can't be found. Check the URL and the network connection."
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        return f"There is no secure connection to {where}: {error}. Check the URL and the certificate of the server."
    return f"There is no server at {where}. Start the server, or check host and port."


def _iterate_causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def classify_error_status(
    status: int, headers: httpx.Headers, body: bytes, where: str, key: ApiKey
) -> TransientError | MissingPredictionsError:
    """Classify a response with an error status."""
    server_message, code = read_server_error(body, key)
    short = (
        server_message if len(server_message) <= LONGEST_MESSAGE else f"{server_message[:LONGEST_MESSAGE]}..."
    )
    quote = f" with the message {short!r}" if server_message else ""
    if code in NO_CREDIT_CODES or status in FINAL_STATUSES:
        advice = (
            "Check the URL and the name of the model" if status == HTTPStatus.NOT_FOUND else "Fix the server"
        )
        return MissingPredictionsError(
            f"{where} returned status {status}{quote}. {advice}, then try again.", final=True
        )
    forbids_field = status == HTTPStatus.FORBIDDEN and LOGPROB_FIELD in server_message.casefold()
    if status in KEY_STATUSES and not forbids_field:
        return KeyRefusedError(_explain_refused_key(status, where, key, quote), status)
    if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
        return MissingPredictionsError(
            f"{where} returned status {status}, a redirect. Use the final URL.", final=True
        )
    if status in TRANSIENT_STATUSES or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return TransientError(f"{where} returned status {status}{quote}", wait=read_retry_after(headers))
    return RejectedError(
        f"{where} returned status {status}{quote}. Change the options of the request, or remove the pair.",
        server_message,
    )


def _explain_refused_key(status: int, where: str, key: ApiKey, quote: str) -> str:
    if key:
        return f"{where} returned status {status}{quote}. Set a valid API key in {key.variable}."
    return (
        f"{where} returned status {status}{quote}. Set the environment variable {key.variable} to an API key."
    )


def read_server_error(body: bytes, key: ApiKey) -> tuple[str, str]:
    """Return a server's own message, in one line and without the key, and its code for the error."""
    text = body.decode(errors="replace")
    code = ""
    try:
        error: Any = json.loads(text, object_pairs_hook=refuse_repeated_keys)
    except (ValueError, RecursionError):
        error = text if "<" not in text else ""  # an HTML page has no message in one line
    while isinstance(error, dict):
        code = str(error.get("code") or code)
        error = error.get("error", error.get("message", error.get("detail", "")))
    server_message = " ".join(key.redact(error if isinstance(error, str) else _dump_error(error)).split())
    # A lone surrogate can occur in JSON, but not in a file.
    return server_message.encode(errors="replace").decode(), code


def _dump_error(error: Any) -> str:
    try:
        return json.dumps(error)
    except RecursionError:
        return ""
