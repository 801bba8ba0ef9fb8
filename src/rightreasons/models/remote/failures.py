"""What to make of a request that failed: try again, leave it for now, or stop asking."""

from __future__ import annotations

import json
import socket
import ssl
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from rightreasons.core.errors import MissingPredictionsError, RightReasonsError
from rightreasons.core.text_errors import refuse_repeated_keys
from rightreasons.models.remote.limits import retry_after

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx

    from rightreasons.models.remote.addresses import Key

KEY_REFUSED = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
IN_VAIN = (
    HTTPStatus.PAYMENT_REQUIRED,
    HTTPStatus.NOT_FOUND,
    HTTPStatus.METHOD_NOT_ALLOWED,
    HTTPStatus.GONE,
    HTTPStatus.FAILED_DEPENDENCY,
)
PASSING = (
    HTTPStatus.REQUEST_TIMEOUT,
    HTTPStatus.CONFLICT,
    HTTPStatus.TOO_EARLY,
    HTTPStatus.TOO_MANY_REQUESTS,
)
NO_MONEY = ("insufficient_quota", "billing_hard_limit_reached")
LOGPROBS = "logprob"  # a field that some endpoints forbid, as if it were a matter of the key
LONGEST_WORDS = 200


class TransientError(RightReasonsError):
    """A failure after which a retry may succeed."""

    def __init__(
        self, message: str, *, wait: float | None = None, paid: bool = False, gone: bool = False
    ) -> None:
        """Say what failed, how long the server asks to wait, whether the request may have cost money.

        Where the server itself is gone, to give up on one request is to give up on all.
        """
        super().__init__(message)
        self.wait, self.paid, self.gone = wait, paid, gone


class NoReplyError(TransientError):
    """A request to which no status came back."""

    def __init__(self, message: str, *, connected: bool = True) -> None:
        """Say so, and whether there was a connection; a request that may have been read may have cost money."""
        super().__init__(message, paid=connected)
        self.connected = connected


class RejectedError(MissingPredictionsError):
    """A request that the server understands and will not answer, whoever asks again."""

    def __init__(self, message: str, words: str = "") -> None:
        """Say so, with all of the server's own words, however long."""
        super().__init__(message)
        self.words = words


class NoConnectionError(MissingPredictionsError):
    """There is nobody at the address."""


class KeyRefusedError(MissingPredictionsError):
    """The server wants a key, or another one."""

    def __init__(self, message: str, status: int) -> None:
        """Say so, with the status that says it."""
        super().__init__(message, final=True)
        self.status = status


def of_transport(
    error: httpx.HTTPError, where: str, timeout: float
) -> TransientError | MissingPredictionsError:
    """Say what a failure on the way means; one that names no server there is final."""
    import httpx

    if isinstance(error, httpx.TimeoutException):
        never_connected = isinstance(error, httpx.ConnectTimeout)
        what = "took no connection" if never_connected else "gave no answer"
        return NoReplyError(
            f"{where} {what} within {round(timeout, 2):g} seconds", connected=not never_connected
        )
    if isinstance(error, httpx.UnsupportedProtocol | httpx.ProxyError):
        return NoConnectionError(
            f"{where} can't be reached: {error}. Check the address and the proxy.", final=True
        )
    if isinstance(error, httpx.ConnectError):
        return NoConnectionError(_no_connection(error, where), final=True)
    return NoReplyError(f"{where} broke off its answer")


def _no_connection(error: BaseException, where: str) -> str:
    """Tell an unknown host, a certificate that nobody vouches for, and a server that isn't there apart."""
    causes = list(_causes(error))
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return f"There is no host for {where}, or no network. Check the address and the connection."
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        return f"There is no safe connection to {where}: {error}. Check its certificate, or the address."
    return f"There is no server at {where}. Start it, or check host and port."


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def of_status(
    status: int, headers: httpx.Headers, body: bytes, where: str, key: Key
) -> TransientError | MissingPredictionsError:
    """Say what an answer with an error status means."""
    words, code = read_error(body, key)
    short = words if len(words) <= LONGEST_WORDS else f"{words[:LONGEST_WORDS]}..."
    saying = f" and says {short!r}" if words else ""
    if code in NO_MONEY or status in IN_VAIN:
        advice = (
            "Check the address and the name of the model"
            if status == HTTPStatus.NOT_FOUND
            else "Fix the server"
        )
        return MissingPredictionsError(
            f"{where} answers {status}{saying}. {advice}, then ask again.", final=True
        )
    forbids_field = status == HTTPStatus.FORBIDDEN and LOGPROBS in words.casefold()
    if status in KEY_REFUSED and not forbids_field:
        return KeyRefusedError(_key_refused(status, where, key, saying), status)
    if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
        return MissingPredictionsError(
            f"{where} answers {status} and sends us elsewhere. Give the final address.", final=True
        )
    if status in PASSING or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return TransientError(f"{where} answers {status}{saying}", wait=retry_after(headers))
    return RejectedError(
        f"{where} answers {status}{saying}. Change the options that it names, or leave the pair out.", words
    )


def _key_refused(status: int, where: str, key: Key, saying: str) -> str:
    if key:
        return f"{where} answers {status}: it refuses the key in {key.variable}{saying}. Set another one."
    return f"{where} answers {status}: it wants a key{saying}. Set the environment variable {key.variable}."


def read_error(body: bytes, key: Key) -> tuple[str, str]:
    """Find a server's own words and its code for the error, in one line, without the key."""
    text = body.decode(errors="replace")
    code = ""
    try:
        error: Any = json.loads(text, object_pairs_hook=refuse_repeated_keys)
    except (ValueError, RecursionError):
        error = text if "<" not in text else ""  # a page for people says nothing in a line
    while isinstance(error, dict):
        code = str(error.get("code") or code)
        error = error.get("error", error.get("message", error.get("detail", "")))
    words = " ".join(key.strike(error if isinstance(error, str) else _as_text(error)).split())
    # Half of a surrogate pair can stand in JSON, and in no file.
    return words.encode(errors="replace").decode(), code


def _as_text(error: Any) -> str:
    try:
        return json.dumps(error)
    except RecursionError:
        return ""
