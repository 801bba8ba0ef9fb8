"""A server in trouble: half-open connections, clients that go away, large texts, and a signal in the middle of it."""

from __future__ import annotations

import asyncio
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
uvicorn = pytest.importorskip("uvicorn")

HALF_OPEN = 500
MANY = 500
ON_LINUX = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="open files are counted in /proc")
# A model that takes as long as its pairs say, and notes each batch that it begins; one premise has it open all files.
SLOW = """
import builtins
import os
import time
from pathlib import Path

def answer(premises, hypotheses):
    with Path("trace").open("a") as trace:
        trace.write(premises[0] + "\\n")
    if premises[0].startswith("raise "):
        raise getattr(builtins, premises[0].split()[1])("secret words")
    if premises[0] == "open-all-files":
        return open_all_files(float(hypotheses[0]))
    time.sleep(float(hypotheses[0].split()[0]) if hypotheses[0][0].isdigit() else 0)
    return ["neutral"] * len(premises)

def open_all_files(seconds):
    held = []
    try:
        while True:
            held.append(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        time.sleep(seconds)
    for one in held:
        os.close(one)
    return ["neutral"]
"""
LONG_BODY = "Host: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n"
HEAD = b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@contextmanager
def slow_server(
    folder: Path, *words: str, model: str = "python:slow_to_serve:answer", files: int | None = None
) -> Iterator[Any]:
    """Start a server, which may have only so many open files."""
    (folder / "slow_to_serve.py").write_text(SLOW)
    limit = [] if files is None else ["sh", "-c", f'ulimit -n {files} && exec "$@"', "sh"]
    command = [*limit, sys.executable, "-m", "rightreasons", "serve", model, "--port", "0", *words]
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


def open_files(server: subprocess.Popen[str]) -> int:
    return len(list(Path(f"/proc/{server.pid}/fd").iterdir()))


def processor_seconds(server: subprocess.Popen[str]) -> float:
    """Say how long the processor has worked for a server."""
    fields = Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def log_of(server: subprocess.Popen[str]) -> str:
    """Stop a server, and give all that it has logged."""
    server.send_signal(signal.SIGTERM)
    return server.communicate(timeout=30)[1]


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


@pytest.mark.slow
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


@pytest.mark.slow
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


def connected(address: tuple[str, int], opened: ExitStack, count: int) -> Iterator[socket.socket]:
    for _ in range(count):
        yield opened.enter_context(socket.create_connection(address, timeout=20))


def are_open(connections: list[socket.socket]) -> int:
    """Count the connections that the server has not closed; what it has sent is read."""
    count = 0
    for connection in connections:
        connection.setblocking(False)
        try:
            while connection.recv(1 << 16):
                pass
        except BlockingIOError:
            count += 1
        except OSError:
            pass
    return count


@ON_LINUX
@pytest.mark.usefixtures("_many_files")
@pytest.mark.parametrize(
    "request_line",
    [
        "POST /health",
        pytest.param("GET /health", marks=pytest.mark.slow),
        pytest.param("POST /elsewhere", marks=pytest.mark.slow),
        pytest.param("PUT /predict", marks=pytest.mark.slow),
    ],
)
def test_a_body_that_nobody_reads_keeps_no_connection_open(request_line: str, tmp_path: Path) -> None:
    """Without a token: the answer comes, then one byte of the body, which stops the timer of an idle connection."""
    with slow_server(tmp_path, files=300) as (address, server), ExitStack() as opened:
        connections = []
        for connection in connected(address, opened, MANY):
            connection.sendall(f"{request_line} HTTP/1.1\r\n{LONG_BODY}".encode())
            assert connection.recv(4096).startswith(b"HTTP/1.1 ")
            _try_to_send(connection, b"{")
            connections.append(connection)
        assert health(address) == 200
        assert predict(address, ("a", "0")).status_code == 200
        time.sleep(1)
        assert are_open(connections) == 0
        assert open_files(server) < 100
        assert len(log_of(server)) < 1000


@pytest.mark.slow
@ON_LINUX
@pytest.mark.usefixtures("_many_files")
@pytest.mark.parametrize("files", [300, 1024])
def test_slow_bodies_are_limited_in_number_and_keep_nobody_out(files: int, tmp_path: Path) -> None:
    with slow_server(tmp_path, files=files) as (address, server), ExitStack() as opened:
        with send(address, ("worked-on", "6")) as worked_on:
            wait_for(tmp_path, "worked-on")
            connections = []
            for connection in connected(address, opened, 2 * MANY):
                _try_to_send(connection, f"POST /predict HTTP/1.1\r\n{LONG_BODY}{{".encode())
                connections.append(connection)
            assert health(address) == 200
            assert 0 < are_open(connections) <= 512
            assert open_files(server) < files - 20
            # A request that the model works on is not closed to make room.
            assert worked_on.recv(100).startswith(b"HTTP/1.1 200")
        assert predict(address, ("a", "0")).status_code == 200
        opened.close()
        assert len(log_of(server)) < 1000


@ON_LINUX
@pytest.mark.usefixtures("_many_files")
def test_answers_that_nobody_reads_keep_nobody_out(tmp_path: Path) -> None:
    """Many requests on one connection, and none of the answers is read: the server must not wait for ever."""
    requests = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20_000
    with slow_server(tmp_path, files=300) as (address, server), ExitStack() as opened:
        for _ in range(320):
            connection = opened.enter_context(socket.socket())
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(address)
            connection.setblocking(False)
            _try_to_send(connection, requests)
        assert health(address) == 200
        assert open_files(server) < 280


def test_a_client_that_reads_no_answer_is_left_after_some_time(monkeypatch: pytest.MonkeyPatch) -> None:
    from rightreasons.serving import connections

    monkeypatch.setattr(connections, "UNREAD_SECONDS", 0.5)

    ended = asyncio.Event()

    async def long_answer(scope: Any, receive: Any, send: Any) -> None:
        del scope, receive
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(100):
            await send({"type": "http.response.body", "body": bytes(1 << 20), "more_body": True})
        await send({"type": "http.response.body"})
        ended.set()

    async def run() -> float:
        protocol = connections.make_protocol_class(connections.ConnectionLimits(10, 5, 5))
        config = uvicorn.Config(long_answer, http=protocol, lifespan="off", log_config=None)
        server = connections.QuietServer(config)
        with socket.create_server(("127.0.0.1", 0)) as listening, socket.socket() as client:
            running = asyncio.create_task(server.serve([listening]))
            client.setblocking(False)
            await asyncio.get_running_loop().sock_connect(client, listening.getsockname())
            client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            start = time.monotonic()
            await asyncio.wait_for(ended.wait(), 10)
            server.should_exit = server.force_exit = True
            await running
        return time.monotonic() - start

    assert 0.4 < asyncio.run(run()) < 5


@pytest.mark.slow
@ON_LINUX
def test_a_process_without_free_files_says_so_once_and_recovers(tmp_path: Path) -> None:
    with slow_server(tmp_path, files=256) as (address, server), ExitStack() as opened:
        with send(address, ("open-all-files", "4")) as working:
            wait_for(tmp_path, "open-all-files")
            time.sleep(0.5)
            before = processor_seconds(server)
            list(connected(address, opened, 20))  # the system takes them, the server can't yet
            time.sleep(2)
            assert processor_seconds(server) - before < 1
            assert working.recv(100).startswith(b"HTTP/1.1 200")
        time.sleep(1.5)
        assert health(address) == 200
        log = log_of(server)
    assert log.count(": Too many open files.") == 1
    assert "Traceback" not in log


@pytest.mark.parametrize(("files", "most"), [(1 << 20, 512), (1024, 512), (256, 100), (64, 2)], ids=str)
def test_the_limit_of_connections_stays_below_that_of_open_files(
    files: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rightreasons.serving import connections

    monkeypatch.setattr(connections, "_count_file_descriptors", lambda: (files, 30))
    room = connections.choose_connection_limits()
    assert 2 <= room.connections <= most
    assert room.idle < room.connections
    assert room.connections + 4 * room.backlog + 30 < files


def test_whatever_a_model_raises_the_next_request_is_answered(tmp_path: Path) -> None:
    errors = ("KeyboardInterrupt", "SystemExit", "GeneratorExit", "StopIteration")
    with slow_server(tmp_path) as (address, server):
        for error in errors:
            reply = predict(address, (f"raise {error}", "0"), seconds=5)
            assert (reply.status_code, reply.headers["retry-after"]) == (503, "1"), error
            assert "secret words" not in reply.text
            assert predict(address, ("a", "0"), seconds=5).json()["answers"] == [{"label": "neutral"}]
            assert health(address) == 200
        log = log_of(server)
    assert [error for error in errors if f"{error}: secret words" not in log] == []


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


@pytest.mark.slow
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_the_middle_of_a_request_ends_it(stop: signal.Signals, tmp_path: Path) -> None:
    with slow_server(tmp_path) as (address, server):
        with send(address, ("long", "60")) as long, ExitStack() as later:
            wait_for(tmp_path, "long")
            waiting = later.enter_context(send(address, ("next", "0")))
            server.send_signal(stop)
            start = time.monotonic()
            _, said = server.communicate(timeout=20)
            assert time.monotonic() - start < 10
            assert server.returncode == 0
            assert said.endswith("Stopped.\n")
            assert "Traceback" not in said
            for connection in (long, waiting):
                reply = connection.recv(4096).decode().lower()
                assert reply.startswith("http/1.1 503")
                assert "\r\nretry-after: 1\r\n" in reply
                assert "being stopped" in reply
        assert trace(tmp_path) == ["long"]


def test_a_request_that_is_nearly_done_is_answered_before_the_end(tmp_path: Path) -> None:
    with slow_server(tmp_path) as (address, server), send(address, ("short", "1")) as connection:
        wait_for(tmp_path, "short")
        server.send_signal(signal.SIGINT)
        assert connection.recv(100).startswith(b"HTTP/1.1 200")
        assert server.wait(timeout=20) == 0


@pytest.mark.slow
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
