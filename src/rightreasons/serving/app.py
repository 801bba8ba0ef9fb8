"""The application: three endpoints, a token, and limits that apply while a body is received."""

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
# Beyond so many waiting requests, or so much memory for bodies, requests are refused with Retry-After.
MOST_WAITING = 64
MOST_BODIES = 16
RETRY_AFTER = "1"
_HOST_HEADER = re.compile(
    r"(\[[0-9A-Fa-f:.]+\]|[^:@/\[\]\s]+)(?::[0-9]{1,5})?"
)  # of the header: a name or number, a port
CLIENT_CLOSED = 499  # never received by a client
LOG = logging.getLogger("rightreasons.serving")


def make_app(service: Service, worker: Worker, token: str | None) -> Starlette:
    """Make the application; a token is required from all clients, without one only this machine has access."""
    from starlette.applications import Starlette
    from starlette.routing import Route

    endpoints = _Endpoints(service, worker, token)
    app = Starlette(
        routes=[
            Route("/health", _make_handler(endpoints.get_health)),
            Route("/model", _make_handler(endpoints.get_model)),
            Route(PREDICT, _make_handler(endpoints.predict), methods=["POST"]),
        ]
    )
    app.router.redirect_slashes = False  # a redirect would be sent before the token and the host are checked
    return app


class _Endpoints:
    """The endpoints of the application, one method each."""

    def __init__(self, service: Service, worker: Worker, token: str | None) -> None:
        self.service, self.worker = service, worker
        self.token = None if token is None else _hash_token(token.encode())
        self.waiting = self.held_bytes = 0  # requests that wait for the model, and bytes of all bodies

    async def get_health(self, request: Request) -> dict[str, Any]:
        """Return that the server is running; this needs no token."""
        del request
        return {"status": "ok"}

    async def get_model(self, request: Request) -> dict[str, Any]:
        """Return the card of the model."""
        self._check_access(request)
        return self.service.make_card()

    async def predict(self, request: Request) -> Mapping[str, Any]:
        """Predict pairs, until the client disconnects."""
        from starlette.concurrency import run_in_threadpool

        self._check_access(request)
        body = bytearray()
        try:
            await self._read_body(request, body)
            if self.waiting >= MOST_WAITING:
                raise _make_busy_error("Too many requests are waiting")
            self.waiting += 1
            try:
                pairs = await run_in_threadpool(lambda: self.service.parse_pairs(_parse_json_body(body)))
                work = self.worker.run(lambda cancelled: self.service.predict(pairs, cancelled))
                return await _run_while_connected(request, work)
            finally:
                self.waiting -= 1
        finally:
            self.held_bytes -= len(body)

    def _check_access(self, request: Request) -> None:
        """Check the token; digests are compared, in constant time."""
        if self.token is None:
            # A web page can send requests to this machine, but only under a host name of its own.
            # The header itself counts: request.url falls back to the address of the connection if it is malformed.
            host = _HOST_HEADER.fullmatch(request.headers.get("host", ""))
            if host is None or not is_loopback(host[1]):
                raise RequestError(
                    HTTPStatus.MISDIRECTED_REQUEST,
                    "The Host header is not allowed. Use localhost or 127.0.0.1.",
                )
            return
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        is_correct = hmac.compare_digest(_hash_token(token.strip().encode(errors="replace")), self.token)
        if scheme.lower() != "bearer" or not is_correct:
            raise RequestError(
                HTTPStatus.UNAUTHORIZED,
                "The token is missing or wrong. Send the header 'Authorization: Bearer TOKEN'.",
            )

    async def _read_body(self, request: Request, body: bytearray) -> None:
        """Read the body up to the limit; the bodies of all requests together have a limit, too."""
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise RequestError(
                HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
                "The request is not JSON. Send the content type application/json.",
            )
        most = self.service.limits.body
        try:
            async with asyncio.timeout(BODY_SECONDS):
                async for piece in request.stream():
                    body += piece
                    self.held_bytes += len(piece)
                    if len(body) > most:
                        raise RequestError(
                            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                            f"The request body is too large. Send at most {most:,} bytes per request.",
                        )
                    if self.held_bytes > MOST_BODIES * most:
                        raise _make_busy_error("The current requests use too much memory")
        except TimeoutError:
            raise RequestError(
                HTTPStatus.REQUEST_TIMEOUT, "The request body did not arrive in time. Send the request again."
            ) from None


async def _run_while_connected(
    request: Request, work: Coroutine[Any, Any, Mapping[str, Any]]
) -> Mapping[str, Any]:
    """Wait for work, and cancel it when the client goes away."""
    working, leaving = asyncio.create_task(work), asyncio.create_task(_wait_for_disconnect(request))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise RequestError(CLIENT_CLOSED, "The client closed the connection.")
        return working.result()
    finally:
        working.cancel()
        leaving.cancel()


async def _wait_for_disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _make_busy_error(why: str) -> RequestError:
    return RequestError(HTTPStatus.SERVICE_UNAVAILABLE, f"{why}. Send the request again later.")


def _make_handler(endpoint: Callable[[Request], Awaitable[Mapping[str, Any]]]) -> Handler:
    """Turn the result or the error of an endpoint into a response."""

    async def handle(request: Request) -> Response:
        from starlette.requests import ClientDisconnect
        from starlette.responses import JSONResponse, Response

        try:
            return JSONResponse(await endpoint(request))
        except RequestError as error:
            return _make_refusal_response(error)
        except asyncio.CancelledError:
            # Only the server cancels requests: when it is stopped and they take longer than it waits.
            return _make_refusal_response(_make_busy_error("The server is being stopped"))
        except ClientDisconnect:
            return Response(status_code=CLIENT_CLOSED)
        except Exception as error:  # noqa: BLE001 - a model may raise anything
            return _make_failure_response(error)

    return handle


def _make_refusal_response(error: RequestError) -> Response:
    """Make the response that explains why a request was refused."""
    from starlette.responses import JSONResponse

    busy = error.status == HTTPStatus.SERVICE_UNAVAILABLE
    # The rest of a refused body is not read, so the connection can't be used again.
    headers = {"Connection": "close"} | ({"Retry-After": RETRY_AFTER} if busy else {})
    return JSONResponse({"error": str(error)}, error.status, headers)


def _make_failure_response(error: Exception) -> Response:
    """Log an error of the model, and make a response with the id of the log entry but without its message.

    Only an error that is final for the model itself is final for the client: other failures may be transient.
    """
    from starlette.responses import JSONResponse

    number = uuid.uuid4().hex[:12]
    LOG.error(
        "error %s: %s", number, error, exc_info=None if isinstance(error, MissingPredictionsError) else error
    )
    final = isinstance(error, MissingPredictionsError) and error.final
    problem = "can't make further predictions" if final else "made no predictions for this request"
    return JSONResponse(
        {"error": f"The model {problem}. See error {number} in the server log.", "id": number},
        HTTPStatus.FAILED_DEPENDENCY if final else HTTPStatus.SERVICE_UNAVAILABLE,
        {} if final else {"Retry-After": RETRY_AFTER},
    )


def _parse_json_body(body: bytearray) -> Any:
    try:
        return json.loads(body, object_pairs_hook=refuse_repeated_keys)
    except RepeatedKeyError as error:
        # Two parsers may keep different values of such a key, so the meaning would be ambiguous.
        raise RequestError(
            HTTPStatus.BAD_REQUEST, f"In the request body, {error}. Use each key once."
        ) from None
    except (ValueError, RecursionError):
        raise RequestError(HTTPStatus.BAD_REQUEST, "The request body is not valid JSON.") from None


def _hash_token(secret: bytes) -> bytes:
    return hashlib.sha256(secret).digest()
