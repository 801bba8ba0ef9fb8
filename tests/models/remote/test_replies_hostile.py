"""Whatever a server sends, each request ends in time, in little memory, and in one of few ways."""

from __future__ import annotations

import gzip
import json
import socket
import threading
import time
import zlib
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from rightreasons.core.errors import InputError, MissingPredictionsError
from rightreasons.core.labels import LABELS, REFUSED, UNREADABLE
from rightreasons.core.registry import make_model
from rightreasons.inference import predict_pairs
from rightreasons.models.remote.client import LONGEST_BODY
from scripted_server import Says, chat, serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PAIRS = pl.DataFrame({"id": ["a"], "premise": ["The dog ran."], "hypothesis": ["A dog moved."]})
QUICK = {"retries": 1, "backoff": 0.001, "timeout": 5.0}
DEEP = 100_000
HUGE = int("9" * 4_000)
CARD = {"fingerprint": {"weights": "x"}}
FINE = {"answers": [{"label": "neutral"}]}


def answer(**changes: Any) -> dict[str, Any]:
    return {"answers": [{"label": "neutral", **changes}]}


BODIES: dict[str, Any] = {
    "nothing": b"",
    "spaces": b" " * 100_000,
    "a number": b"7",
    "null": b"null",
    "a list": [],
    "text": b"hello",
    "half": b'{"answers": [',
    "deep lists": b"[" * DEEP,
    "deep lists that close": b"[" * DEEP + b"]" * DEEP,
    "deep objects": b'{"answers":' * DEEP + b"1" + b"}" * DEEP,
    "deep error": b'{"error":' * DEEP + b"1" + b"}" * DEEP,
    "a list in an error": b'{"error":' + b"[" * 900 + b"]" * 900 + b"}",
    "Latin-1": '{"answers": "é"}'.encode("latin-1"),
    "UTF-16": json.dumps(FINE).encode("utf-16"),
    "UTF-8 with a mark": b"\xef\xbb\xbf" + json.dumps(FINE).encode(),
    "zero bytes": b"\x00" * 1000,
    "very many digits": b'{"answers": ' + b"9" * 100_000 + b"}",
    "too long": b" " * (LONGEST_BODY + 1),
    "NaN": b'{"answers": NaN, "choices": NaN}',
    "answers of no kind": {"answers": 7, "choices": 7},
    "answers of null": {"answers": [None], "choices": [None]},
    "no answers": {"answers": [], "choices": []},
    "too many": {"answers": [{"label": "neutral"}] * 1000, "choices": [{"text": 1}] * 1000},
    "a label of no kind": answer(label=7),
    "a list for a label": answer(label=[1]),
    "an object for a label": answer(label={}),
    "a long label": answer(label="x" * 1_000_000),
    "a half character": answer(label="\ud800", text="\ud800"),
    "text of no kind": answer(text=7),
    "huge probability": answer(probabilities={"entailment": HUGE, "neutral": 0, "contradiction": 0}),
    "infinite probability": b'{"answers": [{"label": "neutral", "probabilities": {"neutral": 1e999}}]}',
    "NaN probability": b'{"answers": [{"label": "neutral", "probabilities": {"neutral": NaN}}]}',
    "negative probability": answer(probabilities={"entailment": -1, "neutral": 2, "contradiction": 0}),
    "probabilities in a list": answer(probabilities=[0.1, 0.2, 0.7]),
    "probability of true": answer(probabilities={"neutral": True}),
    "probabilities of others": answer(probabilities={"x" * 100_000: 1.0}),
    "a huge count": {**FINE, "cut": HUGE, "usage": {"prompt_tokens": HUGE, "completion_tokens": HUGE}},
    "a count of no kind": {**FINE, "cut": [], "usage": [1]},
    "an error in 200": {"error": {"message": "x" * 100_000, "code": HUGE}},
    "an error of no kind": {"error": [[[1]]]},
    "a choice of no kind": {"choices": [7]},
    "a message of no kind": {"choices": [{"message": 7}]},
    "content of no kind": {"choices": [{"message": {"content": 7}}]},
    "null content": {"choices": [{"message": {"content": None}}]},
    "a cubic fence": {"choices": [{"message": {"content": "```json" + "\n" * 200_000}}]},
    "a long reply": {"choices": [{"message": {"content": "true " * 400_000}}]},
    "deep JSON in a reply": {"choices": [{"message": {"content": "[" * DEEP}}]},
    "odd log-probabilities": {
        "choices": [
            {
                "message": {"content": "True"},
                "logprobs": {
                    "content": [{"token": "True", "top_logprobs": [{"token": "True", "logprob": -HUGE}]}]
                },
            }
        ]
    },
    "log-probabilities of no kind": {"choices": [{"message": {"content": "True"}, "logprobs": [1]}]},
    "infinite log-probabilities": b'{"choices": [{"text": "True", "logprobs": {"tokens": ["True"], '
    b'"top_logprobs": [{"True": -Infinity, "False": NaN, "x": 1e999}]}}]}',
}


def outcome(name: str, **options: Any) -> str:
    """Say what became of a pair: a label, or the error that the run ends with."""
    start = time.monotonic()
    try:
        asked = predict_pairs(make_model(name, {**QUICK, **options}), PAIRS)
        found = asked.predictions["label"].to_list()[0]
        said = ""
    except (MissingPredictionsError, InputError) as error:
        found, said = "unanswered" if isinstance(error, MissingPredictionsError) else "bad input", str(error)
    assert time.monotonic() - start < 60
    assert len(said) < 2_000
    return str(found)


OUTCOMES = {*LABELS, UNREADABLE, REFUSED, "unanswered", "bad input"}


@pytest.mark.parametrize("kind", BODIES)
def test_any_body_has_one_clear_outcome(kind: str) -> None:
    with serving(lambda asked: Says(CARD if asked.method == "GET" else BODIES[kind])) as server:
        assert outcome(server.url) in OUTCOMES
        assert outcome(f"openai:tiny@{server.url}/v1") in OUTCOMES
        assert outcome(f"openai:tiny@{server.url}/v1", api="completions", logprobs="yes") in OUTCOMES


@pytest.mark.parametrize("kind", BODIES)
def test_any_card_has_one_clear_outcome(kind: str) -> None:
    with serving(lambda asked: Says(BODIES[kind] if asked.method == "GET" else FINE)) as server:
        assert outcome(server.url) in ("bad input", "unanswered")


@pytest.mark.parametrize(
    "change",
    [
        {"fingerprint": "x" * 2_000_000},
        {"fingerprint": float("nan")},
        {"limits": {"batch": 0}},
        {"limits": {"body": -1}},
        {"limits": {"text": "many"}},
        {"limits": {"batch": HUGE * 10}},
    ],
)
def test_cards_that_make_no_sense_are_refused(change: dict[str, Any]) -> None:
    with serving(lambda asked: Says({**CARD, **change} if asked.method == "GET" else FINE)) as server:
        fits = change.get("limits", {}).get("batch") == HUGE * 10
        assert outcome(server.url) == ("neutral" if fits else "bad input")


@pytest.mark.parametrize(
    "headers",
    [
        {"Retry-After": "Fri, 01 May 99999999999999999999 12:00:00 GMT"},
        {"Retry-After": "x" * 10_000},
        {"Retry-After": "-5", "Date": "\x01"},
        {"Retry-After": "1e999"},
        {"Content-Type": "text/html; charset=nonsense"},
    ],
)
def test_odd_headers_do_no_harm(headers: dict[str, str]) -> None:
    def script(asked: Any) -> Says:
        return Says(CARD) if asked.method == "GET" else Says(FINE, 503 if asked.time == 1 else 200, headers)

    with serving(script) as server:
        assert outcome(server.url) == "neutral"


@pytest.mark.parametrize("packed", ["gzip", "deflate", "br", "zstd", "gzip, gzip"])
def test_a_bomb_is_not_unpacked(packed: str) -> None:
    zeros = b" " * (1 << 26)
    bomb = gzip.compress(zeros) if packed == "gzip" else zlib.compress(zeros)
    with serving(
        lambda asked: Says(CARD) if asked.method == "GET" else Says(bomb, 200, {"Content-Encoding": packed})
    ) as server:
        assert outcome(server.url) == "unanswered"
        assert {asked.headers["accept-encoding"] for asked in server.asked} == {"identity"}


@contextmanager
def raw_server(talk: Callable[[socket.socket, threading.Event], None]) -> Iterator[str]:
    """Listen, and do something to whoever connects."""
    stop = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def work(connection: socket.socket) -> None:
            with connection, suppress(OSError):
                connection.recv(65536)
                talk(connection, stop)

        def loop() -> None:
            with suppress(OSError):
                while not stop.is_set():
                    connection, _ = listening.accept()
                    threading.Thread(target=work, args=(connection,), daemon=True).start()

        thread = threading.Thread(target=loop, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            stop.set()
            with suppress(OSError):
                listening.shutdown(socket.SHUT_RDWR)


def again_and_again(
    start: bytes, piece: bytes, pause: float
) -> Callable[[socket.socket, threading.Event], None]:
    def talk(connection: socket.socket, stop: threading.Event) -> None:
        connection.sendall(start)
        while not stop.wait(pause):
            connection.sendall(piece)

    return talk


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize(
    ("start", "piece", "pause"),
    [
        (b"", b"H", 0.1),  # not even a status
        (HEAD, b"X-A: 1\r\n", 0.1),  # headers without end
        (HEAD + b"X-A: ", b"a", 0.1),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n", 0.1),
        (HEAD + b"Content-Length: 1000\r\n\r\n", b" ", 0.1),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n", 0.1),
        (HEAD + b"X-A: ", b"a" * 65536, 0),  # as fast as it goes
        (HEAD + b"\r\n", b" " * 65536, 0),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"10000\r\n" + b" " * 65536 + b"\r\n", 0),
    ],
)
def test_a_stream_without_end_is_cut_off(start: bytes, piece: bytes, pause: float) -> None:
    with raw_server(again_and_again(start, piece, pause)) as url:
        began = time.monotonic()
        with pytest.raises((MissingPredictionsError, InputError)):
            predict_pairs(make_model(url, {"retries": 0, "timeout": 1.0}), PAIRS)
        assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"\x00\xff" * 100,
        b"HTTP/9.9 200 OK\r\n\r\n",
        b"HTTP/1.1 9999 X\r\n\r\n",
        b"SSH-2.0-x\r\n",
        HEAD + b"\r\n{",
    ],
)
def test_what_is_no_http_is_unanswered(said: bytes) -> None:
    with raw_server(lambda connection, _: connection.sendall(said)) as url:
        assert outcome(url) in ("unanswered", "bad input")


def test_a_reply_beyond_the_limit_counts_as_cut_off() -> None:
    for text, label in (
        ("True. " + "x" * 1_000_001, "entailment"),
        ("x " * 600_000 + "Answer: True", UNREADABLE),
    ):
        with serving(lambda asked, text=text: chat(text) if asked.method == "POST" else Says({})) as server:
            assert outcome(f"openai:tiny@{server.url}/v1", timeout=20.0) == label
