"""A server in trouble: half-open connections, clients that go away, large texts, and a signal in the middle of it."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

httpx = pytest.importorskip("httpx")
pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

HALF_OPEN = 500
# A model that takes as long as its pairs say, and notes each batch that it begins.
SLOW = """
import time
from pathlib import Path

def answer(premises, hypotheses):
    with Path("trace").open("a") as trace:
        trace.write(premises[0] + "\\n")
    time.sleep(float(hypotheses[0].split()[0]) if hypotheses[0][0].isdigit() else 0)
    return ["neutral"] * len(premises)
"""
HEAD = b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@contextmanager
def slow_server(folder: Path, *words: str, model: str = "python:slow_to_serve:answer") -> Iterator[Any]:
    (folder / "slow_to_serve.py").write_text(SLOW)
    command = [sys.executable, "-m", "rightreasons", "serve", model, "--port", "0", *words]
    server = subprocess.Popen(
        command, cwd=folder, stderr=subprocess.PIPE, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"}
    )
    assert server.stderr is not None
    try:
        said = server.stderr.readline()
        found = re.search(r" on http://([^:]+):(\d+) until", said)
        assert found, said + server.stderr.read()
        (folder / "trace").write_text("")
        yield (found[1], int(found[2])), server
    finally:
        server.kill()
        server.communicate(timeout=20)


def health(address: tuple[str, int]) -> int:
    return int(httpx.get(f"http://{address[0]}:{address[1]}/health", timeout=5).status_code)


def predict(address: tuple[str, int], *pairs: tuple[str, str], seconds: float = 20) -> Any:
    body = {"pairs": [{"premise": premise, "hypothesis": hypothesis} for premise, hypothesis in pairs]}
    return httpx.post(f"http://{address[0]}:{address[1]}/predict", json=body, timeout=seconds)


def send(address: tuple[str, int], *pairs: tuple[str, str]) -> socket.socket:
    """Send a request, and leave the answer to whoever wants it."""
    texts = [{"premise": premise, "hypothesis": hypothesis} for premise, hypothesis in pairs]
    body = json.dumps({"pairs": texts}).encode()
    connection = socket.create_connection(address, timeout=20)
    connection.sendall(HEAD + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
    return connection


def trace(folder: Path) -> list[str]:
    return (folder / "trace").read_text().split()


def wait_for(folder: Path, name: str) -> None:
    end = time.monotonic() + 20
    while name not in trace(folder):
        assert time.monotonic() < end, f"{name} was never begun"
        time.sleep(0.02)


def memory(process: int) -> int:
    """Give the megabytes that a process holds."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) >> 10


@pytest.fixture
def _many_files() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (before[1], before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.usefixtures("_many_files")
def test_half_open_connections_keep_nobody_out_and_are_closed(tmp_path: Path) -> None:
    with slow_server(tmp_path) as (address, _), ExitStack() as opened:
        half_open = [
            opened.enter_context(socket.create_connection(address, timeout=20)) for _ in range(HALF_OPEN)
        ]
        for number, connection in enumerate(half_open):
            # Some say nothing, some begin, some get as far as the last header; the first are closed already.
            _try_to_send(connection, (b"", b"GET /he", HEAD)[number % 3])
        assert health(address) == 200
        assert predict(address, ("a", "0")).json()["answers"] == [{"label": "neutral"}]
        start = time.monotonic()
        for number, connection in enumerate(half_open):
            connection.settimeout(15)
            assert _is_closed(connection), number
            _try_to_send(connection, b"X")  # nor is it kept open by a byte now and then
        assert time.monotonic() - start < 15
        assert health(address) == 200


def _try_to_send(connection: socket.socket, data: bytes) -> None:
    with suppress(OSError):
        connection.sendall(data)


def _is_closed(connection: socket.socket) -> bool:
    try:
        return connection.recv(100) == b""
    except ConnectionError:
        return True


def test_a_header_that_drips_is_cut_off(tmp_path: Path) -> None:
    with slow_server(tmp_path) as (address, _), socket.create_connection(address, timeout=20) as connection:
        start = time.monotonic()
        with suppress(OSError):
            while time.monotonic() - start < 15:
                connection.sendall(b"G")
                time.sleep(0.2)
        assert time.monotonic() - start < 10


def test_bodies_that_never_end_keep_nobody_out(tmp_path: Path) -> None:
    with slow_server(tmp_path) as (address, _), ExitStack() as opened:
        for _ in range(100):
            connection = opened.enter_context(socket.create_connection(address, timeout=20))
            connection.sendall(HEAD + b"Content-Length: 1000\r\n\r\n{")
        assert predict(address, ("a", "0")).status_code == 200
        assert health(address) == 200


def test_a_request_that_nobody_waits_for_is_not_computed(tmp_path: Path) -> None:
    with slow_server(tmp_path, "-o", "batch_size=1") as (address, _):
        pairs = [(f"left-{number}", f"0.5 {number}") for number in range(30)]
        left = send(address, *pairs)
        wait_for(tmp_path, "left-0")
        waiting = [send(address, (f"waiting-{number}", "0")) for number in range(20)]
        time.sleep(0.2)
        for connection in (left, *waiting):
            connection.close()
        start = time.monotonic()
        assert predict(address, ("after", "0")).status_code == 200
        assert time.monotonic() - start < 5  # and not the 15 seconds of the pairs that were left
        begun = trace(tmp_path)
        assert begun[-1] == "after"
        assert sum(name.startswith("left") for name in begun) <= 5
        assert not [name for name in begun if name.startswith("waiting")]


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_the_middle_of_a_request_ends_it(stop: signal.Signals, tmp_path: Path) -> None:
    with slow_server(tmp_path) as (address, server):
        with send(address, ("long", "60")):
            wait_for(tmp_path, "long")
            send(address, ("next", "0"))
            server.send_signal(stop)
            start = time.monotonic()
            _, said = server.communicate(timeout=20)
            assert time.monotonic() - start < 10
            assert server.returncode == 0
            assert said.endswith("Stopped.\n")
        assert trace(tmp_path) == ["long"]


def test_a_request_that_is_nearly_done_is_answered_before_the_end(tmp_path: Path) -> None:
    with slow_server(tmp_path) as (address, server), send(address, ("short", "1")) as connection:
        wait_for(tmp_path, "short")
        server.send_signal(signal.SIGINT)
        assert connection.recv(100).startswith(b"HTTP/1.1 200")
        assert server.wait(timeout=20) == 0


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_the_memory_of_a_request_is_bounded(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    with slow_server(tmp_path, "-o", "max_length=64", model="default") as (address, server):
        assert predict(address, ("The dog ran.", "A dog moved.")).status_code == 200
        before = memory(server.pid)
        assert predict(address, ("word " * 1_600_000, "x")).status_code == 413
        words = "The old judges near the river slept in 1999, or so they said. " * 1_600
        many = [(f"{number} {words}"[:99_000], "Someone slept.") for number in range(60)]
        assert len(predict(address, *many, seconds=120).json()["answers"]) == 60
        assert memory(server.pid) - before < 250
