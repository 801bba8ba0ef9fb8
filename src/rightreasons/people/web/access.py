"""Who may do what: signed cookies, CSRF tokens, the Host header, and a limit on wrong tokens.

Links and cookies have tokens; a cookie is signed, so that a wrong one is recognised without the database. Addresses of
clients are kept in memory for a minute, hashed with a key of this process, and only after a wrong token.
"""

from __future__ import annotations

import re
import secrets
import threading
import time
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from rightreasons.models.remote.addresses import is_loopback
from rightreasons.people import identifiers

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.responses import Response

    from rightreasons.people.study import StudySecrets

WRONG_TOKENS = 20  # of one client, within a minute
MINUTE = 60.0
MOST_CLIENTS = 10_000
_WEEKS = 60 * 60 * 24 * 60
_HOST_HEADER = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:@/\[\]\s]+)(?::[0-9]{1,5})?")
PARTICIPANT, RESEARCHER = "participant", "researcher"


class RefusedRequestError(Exception):
    """A request that is refused: the status, and a text for the person who sent it."""

    def __init__(self, status: HTTPStatus, title: str, text: str) -> None:
        """Set what the page says."""
        super().__init__(text)
        self.status, self.title, self.text = status, title, text


@dataclass(frozen=True)
class WebAddress:
    """Where people reach the server: the base URL, without a slash at its end."""

    url: str

    @property
    def prefix(self) -> str:
        """The path that a reverse proxy puts before all paths, or an empty text."""
        return urlsplit(self.url).path.rstrip("/")

    @property
    def host(self) -> str:
        """The host name."""
        return urlsplit(self.url).hostname or ""

    @property
    def is_secure(self) -> bool:
        """Whether cookies are sent through HTTPS only."""
        return urlsplit(self.url).scheme == "https"

    def check_host(self, request: Request) -> None:
        """Refuse a request under another host name: a page of another site could have sent it to this machine."""
        host = _HOST_HEADER.fullmatch(request.headers.get("host", ""))
        if host is None or not (is_loopback(host[1]) or host[1].lower() == self.host.lower()):
            raise RefusedRequestError(
                HTTPStatus.MISDIRECTED_REQUEST,
                "Wrong address",
                f"This server is reached under another address. Use {self.url}.",
            )

    def check_origin(self, request: Request) -> None:
        """Refuse a form of another site; browsers say from which one a form is sent."""
        origin = request.headers.get("origin", "null")
        try:
            name = urlsplit(origin).hostname or ""
        except ValueError:
            raise _make_form_error() from None
        if origin != "null" and name.lower() != self.host.lower() and not is_loopback(name):
            raise _make_form_error()


def _make_form_error() -> RefusedRequestError:
    return RefusedRequestError(
        HTTPStatus.FORBIDDEN,
        "This page is out of date",
        "The form was opened too long ago, or cookies are blocked. Allow cookies for this site, then open your link "
        "again and repeat the last step. Earlier answers are saved.",
    )


class Sessions:
    """Cookies with signed tokens, and the CSRF tokens that belong to them."""

    def __init__(self, address: WebAddress, study: StudySecrets, digest: str) -> None:
        """Cookies have the digest of the study in their names, since one host may have several studies."""
        self.address, self.secrets = address, study
        self.names = {PARTICIPANT: f"study-{digest[:10]}", RESEARCHER: f"research-{digest[:10]}"}

    def read_token(self, request: Request, role: str) -> str | None:
        """Return the token of a cookie whose signature is right."""
        token, _, signature = request.cookies.get(self.names[role], "").partition(".")
        wanted = identifiers.sign_text(self.secrets.salt, f"cookie {role}", token)
        return token if token and identifiers.are_equal(signature, wanted) else None

    def write_token(self, response: Response, role: str, token: str) -> None:
        """Set the cookie with a token."""
        signature = identifiers.sign_text(self.secrets.salt, f"cookie {role}", token)
        response.set_cookie(
            self.names[role],
            f"{token}.{signature}",
            max_age=_WEEKS,
            path=f"{self.address.prefix}/",
            secure=self.address.is_secure,
            httponly=True,
            samesite="lax",
        )

    def make_form_token(self, role: str, token: str) -> str:
        """Return the CSRF token of the forms of a session."""
        return identifiers.sign_text(self.secrets.salt, f"form {role}", token)

    def check_form_token(self, role: str, token: str | None, given: str) -> None:
        """Refuse a form without the CSRF token of the session."""
        if token is None or not identifiers.are_equal(given, self.make_form_token(role, token)):
            raise _make_form_error()


@dataclass
class WrongTokens:
    """How many wrong tokens each client sent within the last minute."""

    clock: Callable[[], float] = time.monotonic
    key: str = field(default_factory=lambda: secrets.token_hex(16))
    times: OrderedDict[str, deque[float]] = field(default_factory=OrderedDict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def check_client(self, request: Request) -> None:
        """Refuse a client with too many wrong tokens, before its token is compared."""
        with self.lock:
            recent = len(self._get_recent(self._identify(request)))
        if recent >= WRONG_TOKENS:
            raise RefusedRequestError(
                HTTPStatus.TOO_MANY_REQUESTS,
                "Too many wrong links",
                "Too many wrong links were opened. Wait a minute, then open your link again.",
            )

    def add(self, request: Request) -> None:
        """Count a wrong token."""
        client = self._identify(request)
        with self.lock:
            self.times.setdefault(client, deque(maxlen=WRONG_TOKENS)).append(self.clock())
            self.times.move_to_end(client)
            while len(self.times) > MOST_CLIENTS:
                self.times.popitem(last=False)

    def _get_recent(self, client: str) -> deque[float]:
        """Return when a client sent wrong tokens within the last minute, and drop older times."""
        moments = self.times.get(client, deque())
        while moments and moments[0] < self.clock() - MINUTE:
            moments.popleft()
        if not moments:
            self.times.pop(client, None)
        return moments

    def _identify(self, request: Request) -> str:
        host = request.client.host if request.client else ""
        return identifiers.sign_text(self.key, "client", host)
