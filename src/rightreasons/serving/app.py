"""The application: three addresses, a token, and limits that hold while a body comes in."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import logging
import re
import uuid
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from rightreasons.core.errors import MissingPredictionsError
from rightreasons.core.text_errors import RepeatedKeyError, refuse_repeated_keys
from rightreasons.models.remote.addresses import is_loopback
from rightreasons.serving.service import PREDICT, RequestError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Mapping

    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

    from rightreasons.serving.service import Service, Worker

    Handler = Callable[[Request], Awaitable[Response]]

BODY_SECONDS = 60.0
# Who comes when so many wait already, or hold so much memory with their bodies, is asked to come again.
MOST_WAITING = 64
MOST_BODIES = 16
COME_AGAIN = "1"
_HOST = re.compile(
    r"(\[[0-9A-Fa-f:.]+\]|[^:@/\[\]\s]+)(?::[0-9]{1,5})?"
)  # of the header: a name or number, a port
CLIENT_CLOSED = 499  # seen by nobody
LOG = logging.getLogger("rightreasons.serving")


def make_app(service: Service, worker: Worker, token: str | None) -> Starlette:
    """Make the application; with a token it is asked for, without one only this machine may call."""
    from starlette.applications import Starlette
    from starlette.routing import Route

    doors = _Doors(service, worker, token)
    made = Starlette(
        routes=[
            Route("/health", _handle_errors(doors.health)),
            Route("/model", _handle_errors(doors.model)),
            Route(PREDICT, _handle_errors(doors.predict), methods=["POST"]),
        ]
    )
    made.router.redirect_slashes = (
        False  # a redirect would be given before the token and the host are checked
    )
    return made


class _Doors:
    """The addresses, one method each."""

    def __init__(self, service: Service, worker: Worker, token: str | None) -> None:
        self.service, self.worker = service, worker
        self.token = None if token is None else _digest(token.encode())
        self.waiting = self.held = 0  # requests that wait for the model, and bytes of all bodies

    async def health(self, request: Request) -> dict[str, Any]:
        """Say that the server is there; this needs no token."""
        del request
        return {"status": "ok"}

    async def model(self, request: Request) -> dict[str, Any]:
        """Say what the model is."""
        self._admit(request)
        return self.service.card()

    async def predict(self, request: Request) -> Mapping[str, Any]:
        """Answer pairs, as long as somebody waits for them."""
        from starlette.concurrency import run_in_threadpool

        self._admit(request)
        body = bytearray()
        try:
            await self._read_body(request, body)
            if self.waiting >= MOST_WAITING:
                raise _busy("Too many requests wait already")
            self.waiting += 1
            try:
                pairs = await run_in_threadpool(lambda: self.service.read_pairs(_document(body)))
                work = self.worker.run(lambda cancelled: self.service.answer(pairs, cancelled))
                return await _while_connected(request, work)
            finally:
                self.waiting -= 1
        finally:
            self.held -= len(body)

    def _admit(self, request: Request) -> None:
        """Ask for the token; digests are compared, which takes the same time wherever they differ."""
        if self.token is None:
            # A page in a browser can call this machine, but only by a name of its own.
            # The header itself counts: request.url falls back to the address of the connection if it is malformed.
            named = _HOST.fullmatch(request.headers.get("host", ""))
            if named is None or not is_loopback(named[1]):
                raise RequestError(HTTPStatus.MISDIRECTED_REQUEST, "Call the server localhost or 127.0.0.1.")
            return
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        right = hmac.compare_digest(_digest(given.strip().encode(errors="replace")), self.token)
        if scheme.lower() != "bearer" or not right:
            raise RequestError(HTTPStatus.UNAUTHORIZED, "The token is missing or wrong.")

    async def _read_body(self, request: Request, body: bytearray) -> None:
        """Read the body, and no more of it than the limit; the bodies of all requests have a limit, too."""
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise RequestError(
                HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Send JSON, as content-type application/json."
            )
        most = self.service.limits.body
        try:
            async with asyncio.timeout(BODY_SECONDS):
                async for piece in request.stream():
                    body += piece
                    self.held += len(piece)
                    if len(body) > most:
                        raise RequestError(
                            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                            f"The body is too long. Send at most {most:,} bytes at a time.",
                        )
                    if self.held > MOST_BODIES * most:
                        raise _busy("The requests under way hold too much memory")
        except TimeoutError:
            raise RequestError(
                HTTPStatus.REQUEST_TIMEOUT, "The body did not come in time. Send it again."
            ) from None


async def _while_connected(
    request: Request, work: Coroutine[Any, Any, Mapping[str, Any]]
) -> Mapping[str, Any]:
    """Wait for work, and cancel it when the client goes away."""
    working, leaving = asyncio.create_task(work), asyncio.create_task(_disconnected(request))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise RequestError(CLIENT_CLOSED, "The client closed the connection.")
        return working.result()
    finally:
        working.cancel()
        leaving.cancel()


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _busy(why: str) -> RequestError:
    return RequestError(HTTPStatus.SERVICE_UNAVAILABLE, f"{why}. Send the request again later.")


def _handle_errors(door: Callable[[Request], Awaitable[Mapping[str, Any]]]) -> Handler:
    """Turn what a door gives, or says no to, into a response."""

    async def handle(request: Request) -> Response:
        from starlette.requests import ClientDisconnect
        from starlette.responses import JSONResponse, Response

        try:
            return JSONResponse(await door(request))
        except RequestError as error:
            return _refusal(error)
        except asyncio.CancelledError:
            # Only the server cancels requests, when it is stopped and they take longer than it waits for them.
            return _refusal(_busy("The server is being stopped"))
        except ClientDisconnect:
            return Response(status_code=CLIENT_CLOSED)
        except Exception as error:  # noqa: BLE001 - a model may raise anything
            return _failure(error)

    return handle


def _refusal(error: RequestError) -> Response:
    """Say why a request is not answered."""
    from starlette.responses import JSONResponse

    busy = error.status == HTTPStatus.SERVICE_UNAVAILABLE
    # What is left of a body that was refused is not read, so the connection can't be used again.
    headers = {"Connection": "close"} | ({"Retry-After": COME_AGAIN} if busy else {})
    return JSONResponse({"error": str(error)}, error.status, headers)


def _failure(error: Exception) -> Response:
    """Say that the model failed; what it said stays in the log, where the number of the error finds it.

    Only what is final for the model itself is final for the client: nobody can tell whether a failure would come back.
    """
    from starlette.responses import JSONResponse

    number = uuid.uuid4().hex[:12]
    LOG.error(
        "error %s: %s", number, error, exc_info=None if isinstance(error, MissingPredictionsError) else error
    )
    final = isinstance(error, MissingPredictionsError) and error.final
    said = "can't make any more predictions" if final else "made no predictions for this request"
    return JSONResponse(
        {"error": f"The model {said}. See error {number} in the log of the server.", "id": number},
        HTTPStatus.FAILED_DEPENDENCY if final else HTTPStatus.SERVICE_UNAVAILABLE,
        {} if final else {"Retry-After": COME_AGAIN},
    )


def _document(body: bytearray) -> Any:
    try:
        return json.loads(body, object_pairs_hook=refuse_repeated_keys)
    except RepeatedKeyError as error:
        # Two parsers may keep different values of such a key, so nobody could tell which pair was meant.
        raise RequestError(HTTPStatus.BAD_REQUEST, f"In the body {error}. Give each key once.") from None
    except (ValueError, RecursionError):
        raise RequestError(HTTPStatus.BAD_REQUEST, "The body is no JSON.") from None


def _digest(secret: bytes) -> bytes:
    return hashlib.sha256(secret).digest()
