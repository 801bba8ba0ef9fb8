"""Requests to a served model: tokens, hosts, headers and bodies, at the application and over a real connection."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from functools import cache
from typing import TYPE_CHECKING, Any

from fuzz.cases import Area, Case, Outcome, WrongResultError
from fuzz.mutations import ODD_VALUES, dump, mostly, mutate_bytes, mutate_document, odd_text

if TYPE_CHECKING:
    import random
    from pathlib import Path

Headers = list[tuple[bytes, bytes]]
TOKEN = "a-token-of-some-length"
BODY, BATCH = 20_000, 20
PAIR = {"premise": "The dog ran.", "hypothesis": "A dog moved."}
STATUSES = {200, 307, 400, 401, 404, 405, 408, 411, 413, 415, 421, 422, 424, 431, 503}
SECONDS = 10.0
FOREIGN_HOSTS = (b"evil.example", b"localhost.evil.example", b"127.0.0.1.evil", b"127.0.0.1.evil:80")
# No browser sends these, and the framework takes the address of the connection instead.
MALFORMED_HOSTS = (b"", b"\xff", b"localhost@evil", b"localhost:x")


def load() -> None:
    """Import what takes long, and start the server that raw requests go to."""
    _app(token=True)
    _port()


@cache
def _app(*, token: bool) -> Any:
    """Make the application of a model that answers at once."""
    from rightreasons.core.registry import make_model
    from rightreasons.serving.app import make_app
    from rightreasons.serving.service import RequestLimits, Service, Worker

    service = Service(make_model("constant", {}), "constant", {}, RequestLimits(BODY, BATCH))
    return make_app(service, Worker(), TOKEN if token else None)


@cache
def _port() -> int:
    """Serve the application on a port of this machine, in a thread."""
    import uvicorn

    from rightreasons.serving.connections import LimitedProtocol

    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    app = _app(token=False)
    config = uvicorn.Config(app, http=LimitedProtocol, ws="none", log_level="critical", lifespan="off")
    server = uvicorn.Server(config)
    threading.Thread(target=server.run, kwargs={"sockets": [taken]}, daemon=True).start()
    return int(taken.getsockname()[1])


def make(chance: random.Random, shared: Path) -> Case:
    """Make a request, and say what may come of it."""
    del shared
    if chance.random() < 0.2:
        return _raw(chance)
    token = chance.random() < 0.5
    headers, entitled = _headers(chance, token=token)
    method = mostly(chance, "POST", "GET", "PUT", "OPTIONS", "HEAD", "X" * 50)
    odd = ("/health", "/", "/predict/", "/../model", "//", f"/{odd_text(chance)[:50]}")
    path = mostly(chance, "/predict", *odd) if method == "POST" else chance.choice(("/model", *odd))
    body, pairs = _body(chance)
    return _request(chance, token, (method, path), headers, body, entitled=entitled, pairs=pairs)


def _headers(chance: random.Random, *, token: bool) -> tuple[Headers, bool]:
    """Choose headers, and say whether who sends them may be let in."""
    good = TOKEN.encode()
    host = mostly(chance, b"localhost", b"127.0.0.1:80", b"[::1]", *FOREIGN_HOSTS, *MALFORMED_HOSTS)
    wrong = (good + b"x", good[:-1], good.upper(), b"", b"\xff\xfe")
    given = mostly(
        chance,
        b"Bearer " + good,
        b"bearer  " + good,
        good,
        b"Basic " + good,
        *(b"Bearer " + one for one in wrong),
    )
    kind = mostly(chance, b"application/json", b"application/json; charset=x", b"text/plain", b"", b"\xff")
    headers = [(b"host", host), (b"content-type", kind), *([(b"authorization", given)] if token else [])]
    entitled = given.split() in ([b"Bearer", good], [b"bearer", good]) if token else host not in FOREIGN_HOSTS
    if chance.random() < 0.1:  # of two headers of a name, either may count
        more = chance.choice((b"content-length", b"x-forwarded-host", b"origin", b"authorization", b"host"))
        headers.append((more, chance.choice((b"-1", b"x", b"localhost", b"99999999999999"))))
        entitled = entitled or more in (b"authorization", b"host")
    return headers, entitled


def _body(chance: random.Random) -> tuple[bytes, int | None]:
    """Choose a body, with the number of its pairs where it is a good one."""
    count = chance.choice((0, 1, 2, BATCH, BATCH + 1))
    good: dict[str, Any] = {"pairs": [PAIR] * count}
    move = chance.random()
    if move < 0.25:
        return dump(good), count
    if move < 0.6:
        return dump(
            mutate_document(chance, {"pairs": [dict(PAIR), dict(PAIR)]}, chance.choice((1, 2, 3)))
        ), None
    if move < 0.85:
        return mutate_bytes(chance, dump(good)), None
    odd = (
        b"",
        b"null",
        b"[" * 10_000,
        b'{"pairs":' * 2000,
        b" " * (BODY + 1),
        b'{"pairs": [' + b"1," * 5000 + b"1]}",
        dump(chance.choice(ODD_VALUES)),
        dump({"pairs": [{"premise": "\ud800", "hypothesis": "x"}]}),
        dump({"pairs": [{"premise": "x" * 15_000, "hypothesis": "y"}]}),
    )
    return chance.choice(odd), None


def _request(
    chance: random.Random,
    token: bool,
    line: tuple[str, str],
    headers: Headers,
    body: bytes,
    *,
    entitled: bool,
    pairs: int | None,
) -> Case:
    """Call the application with a request, as a server would."""
    method, path = line
    pieces = [body] if chance.random() < 0.7 else [body[: len(body) // 2], body[len(body) // 2 :]]
    answered: list[tuple[int, bytes]] = []

    def call() -> None:
        answered.append(asyncio.run(_ask(_app(token=token), line, headers, pieces)))

    def check(outcome: Outcome) -> bool:
        del outcome
        status, content = answered[0]
        _check_response(status, content)
        if status == 200 and path in ("/predict", "/model") and not entitled:
            raise WrongResultError("a request without the right token or host was let in")
        if status == 200 and path == "/predict" and pairs is not None:
            _check_answers(content, pairs)
        return status == 200

    about = f"{method} {path!r}{' with a token' if token else ''}, {len(body)} bytes"
    return Case(about, call=call, check=check)


def _check_answers(content: bytes, pairs: int) -> None:
    if [answer["label"] for answer in json.loads(content)["answers"]] != ["entailment"] * pairs:
        raise WrongResultError(f"there is not one right answer for each pair: {content[:300]!r}")


def _check_response(status: int, content: bytes) -> None:
    if status not in STATUSES:
        raise WrongResultError(f"the status is {status}: {content[:300]!r}")
    if b"Traceback" in content or b"site-packages" in content:
        raise WrongResultError(f"the response tells about the inside: {content[:300]!r}")


async def _ask(app: Any, line: tuple[str, str], headers: Headers, pieces: list[bytes]) -> tuple[int, bytes]:
    """Speak ASGI: one request, one response."""
    method, path = line
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": headers,
        "client": ("127.0.0.1", 5),
        "server": ("127.0.0.1", 80),
    }
    sent: list[dict[str, Any]] = []
    waiting = [
        {"type": "http.request", "body": piece, "more_body": place < len(pieces) - 1}
        for place, piece in enumerate(pieces)
    ]

    async def receive() -> dict[str, Any]:
        if waiting:
            return waiting.pop(0)
        await asyncio.sleep(SECONDS)
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await asyncio.wait_for(app(scope, receive, send), SECONDS)
    return int(sent[0]["status"]), b"".join(message.get("body", b"") for message in sent[1:])


def _raw(chance: random.Random) -> Case:
    """Send damaged bytes over a real connection; afterwards the server must still be well."""
    body = dump({"pairs": [PAIR]})
    head = b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n"
    request = head + b"Content-Length: %d\r\n\r\n" % len(body) + body
    extra = chance.choice(
        (
            b"Transfer-Encoding: chunked\r\n",
            b"Content-Length: 5\r\n",
            b"X: " + b"a" * 70_000 + b"\r\n",
            b"Expect: 100-continue\r\n",
            b"Upgrade: websocket\r\n",
            b": x\r\n",
        )
    )
    spoilt = chance.choice(
        (
            mutate_bytes(chance, request),
            request.replace(b"Connection", extra + b"Connection", 1),
            chance.randbytes(300),
            request.replace(b"\r\n", b"\n"),
            b"GET " + b"/a" * 40_000 + b" HTTP/1.1\r\n\r\n",
        )
    )
    heard: list[bytes] = []

    def call() -> None:
        heard.append(_send(spoilt))
        heard.append(_send(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))

    def check(outcome: Outcome) -> bool:
        del outcome
        if b" 200 " not in heard[1][:20]:
            raise WrongResultError(f"the server is not well after {spoilt[:200]!r}: {heard[1][:100]!r}")
        if heard[0].startswith(b"HTTP/1.1 "):
            _check_response(int(heard[0][9:12]) if heard[0][9:12] != b"100" else 200, heard[0])
        return False

    return Case(f"raw bytes: {spoilt[:60]!r}", call=call, check=check)


def _send(request: bytes) -> bytes:
    """Send bytes, say that no more will come, and read what is answered."""
    with socket.create_connection(("127.0.0.1", _port()), timeout=SECONDS) as connection:
        try:
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
            heard = b""
            while piece := connection.recv(65_536):
                heard += piece
        except (ConnectionError, TimeoutError):
            return b""
    return heard


AREA = Area("requests", 450, make, load=load)
