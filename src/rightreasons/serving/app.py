"""The application: three addresses, a token, and limits that hold while a body comes in."""

from __future__ import annotations

import hashlib
import hmac
import json
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from rightreasons.endpoints.addresses import is_loopback
from rightreasons.errors import InputError, RightReasonsError
from rightreasons.jobs import UnansweredError
from rightreasons.serving.service import RequestError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

    from rightreasons.serving.service import Service

    Handler = Callable[[Request], Awaitable[Response]]

BODY_SECONDS = 60.0
# Who comes when so many wait already is asked to come again.
MOST_WAITING = 64
COME_AGAIN = "1"


def make_app(service: Service, token: str | None) -> Starlette:
    """Make the application; with a token it is asked for, without one only this machine may call."""
    from starlette.applications import Starlette
    from starlette.routing import Route

    doors = _Doors(service, token)
    return Starlette(
        routes=[
            Route("/health", _told(doors.health)),
            Route("/model", _told(doors.model)),
            Route("/predict", _told(doors.predict), methods=["POST"]),
        ]
    )


class _Doors:
    """The addresses, one method each."""

    def __init__(self, service: Service, token: str | None) -> None:
        self.service = service
        self.token = None if token is None else _digest(token.encode())
        self.waiting = 0

    async def health(self, request: Request) -> dict[str, Any]:
        """Say that the server is there; this needs no token."""
        del request
        return {"status": "ok"}

    async def model(self, request: Request) -> dict[str, Any]:
        """Say what the model is."""
        self._admit(request)
        return self.service.card()

    async def predict(self, request: Request) -> dict[str, Any]:
        """Answer pairs."""
        from starlette.concurrency import run_in_threadpool

        self._admit(request)
        if self.waiting >= MOST_WAITING:
            raise RequestError(HTTPStatus.SERVICE_UNAVAILABLE, "Too many requests wait already. Come again.")
        self.waiting += 1
        try:
            document = _document(await self._body(request))
            return await run_in_threadpool(self.service.answer, document)
        finally:
            self.waiting -= 1

    def _admit(self, request: Request) -> None:
        """Ask for the token; digests are compared, which takes the same time wherever they differ."""
        if self.token is None:
            # A page in a browser can call this machine, but only by a name of its own.
            if not is_loopback(request.url.hostname or ""):
                raise RequestError(HTTPStatus.MISDIRECTED_REQUEST, "Call the server localhost or 127.0.0.1.")
            return
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        right = hmac.compare_digest(_digest(given.strip().encode(errors="replace")), self.token)
        if scheme.lower() != "bearer" or not right:
            raise RequestError(HTTPStatus.UNAUTHORIZED, "The token is missing or wrong.")

    async def _body(self, request: Request) -> bytes:
        """Read the body, and no more of it than the limit."""
        import anyio

        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise RequestError(
                HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Send JSON, as content-type application/json."
            )
        most = self.service.limits.body
        body = bytearray()
        try:
            with anyio.fail_after(BODY_SECONDS):
                async for piece in request.stream():
                    body += piece
                    if len(body) > most:
                        raise RequestError(
                            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                            f"The body is too long. Send at most {most:,} bytes at a time.",
                        )
        except TimeoutError:
            raise RequestError(
                HTTPStatus.REQUEST_TIMEOUT, "The body did not come in time. Send it again."
            ) from None
        return bytes(body)


def _told(door: Callable[[Request], Awaitable[dict[str, Any]]]) -> Handler:
    """Turn what a door gives, or says no to, into a response."""

    async def handle(request: Request) -> Response:
        from starlette.responses import JSONResponse

        try:
            return JSONResponse(await door(request))
        except RequestError as error:
            busy = error.status == HTTPStatus.SERVICE_UNAVAILABLE
            # What is left of a body that was refused is not read, so the connection can't be used again.
            headers = {"Connection": "close"} | ({"Retry-After": COME_AGAIN} if busy else {})
            return JSONResponse({"error": str(error)}, error.status, headers)
        except UnansweredError as error:
            # What is final would not be answered if it were asked again.
            status = HTTPStatus.FAILED_DEPENDENCY if error.final else HTTPStatus.SERVICE_UNAVAILABLE
            return JSONResponse({"error": str(error)}, status)
        except InputError as error:
            return JSONResponse({"error": str(error)}, HTTPStatus.UNPROCESSABLE_ENTITY)
        except RightReasonsError as error:
            return JSONResponse({"error": str(error)}, HTTPStatus.INTERNAL_SERVER_ERROR)

    return handle


def _document(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise RequestError(HTTPStatus.BAD_REQUEST, "The body is no JSON.") from None


def _digest(secret: bytes) -> bytes:
    return hashlib.sha256(secret).digest()
