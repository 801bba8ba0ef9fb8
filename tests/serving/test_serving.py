"""`rightreasons serve`: a real server process, asked as anybody would ask it."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import rightreasons as rr
from command_line import child, inside, refused
from rightreasons.core.errors import MissingPredictionsError
from rightreasons.core.registry import make_model
from rightreasons.inference import predict_pairs
from scripted_server import chat_script, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

httpx = pytest.importorskip("httpx")
pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

TOKEN = "a-token-of-some-length"
# A model whose answer depends on the texts alone, and which would notice two calls at a time.
TOY = """
import threading
from pathlib import Path
lock = threading.Lock()

def answer(premises, hypotheses):
    assert lock.acquire(blocking=False), "two calls at a time"
    try:
        rows = []
        for premise, hypothesis in zip(premises, hypotheses):
            if "crash" in premise:
                raise ValueError("secret words")
            if "flaky" in premise and not Path("failed_once").exists():
                Path("failed_once").touch()
                raise OSError("secret words")
            sizes = [1 + len(premise) % 7, 1 + len(hypothesis) % 5, 2]
            names = ["entailment", "neutral", "contradiction"]
            rows.append({name: size / sum(sizes) for name, size in zip(names, sizes)})
        return rows
    finally:
        lock.release()
"""


@contextmanager
def serve(
    folder: Path, *words: str, model: str = "python:toy_to_serve:answer", **environment: str
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Start a server in a process of its own, and stop it in the end."""
    (folder / "toy_to_serve.py").write_text(TOY)
    command = [
        sys.executable,
        "-m",
        "rightreasons",
        "serve",
        model,
        "--port",
        "0",
        *words,
    ]
    env = {**os.environ, **environment}
    server = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True, env=env)
    assert server.stderr is not None
    try:
        said = server.stderr.readline()
        found = re.search(r" on (http://\S+) until", said)
        assert found, said + server.stderr.read()
        yield found[1], server
    finally:
        if server.poll() is None:
            server.terminate()
        server.communicate(timeout=20)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("server")
    with serve(folder, "--max-body", "20000", "--max-batch", "50", "--max-text", "15000") as (found, _):
        yield found


def post(address: str, content: Any, **headers: str) -> Any:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return httpx.post(
        f"{address}/predict", content=body, headers={"Content-Type": "application/json", **headers}
    )


PAIR = {"premise": "The dog ran.", "hypothesis": "A dog moved."}


def test_health_and_model(address: str) -> None:
    assert httpx.get(f"{address}/health").json() == {"status": "ok"}
    card = httpx.get(f"{address}/model").json()
    assert card["name"] == "python:toy_to_serve:answer"
    assert card["limits"] == {"batch": 50, "body": 20000, "text": 15000}
    assert card["fingerprint"]["rightreasons"] == rr.__version__
    assert [len(digest) for digest in card["fingerprint"]["files"].values()] == [64]
    assert len(card["digest"]) == 64


def test_answers_have_labels_and_probabilities(address: str) -> None:
    reply = post(address, {"pairs": [PAIR, {**PAIR, "premise": "x"}, PAIR]}).json()
    assert set(reply) == {"answers", "model", "digest", "labels"}
    assert reply["answers"][0] == reply["answers"][2] != reply["answers"][1]
    assert reply["answers"][0] == {
        "label": "entailment",
        "probabilities": {"entailment": 6 / 11, "neutral": 3 / 11, "contradiction": 2 / 11},
    }
    assert post(address, {"pairs": []}).json()["answers"] == []


@pytest.mark.parametrize(
    ("content", "status", "words"),
    [
        (b"{", 400, "valid JSON"),
        (b"[" * 15000, 400, "valid JSON"),
        (b"\xff\xfe", 400, "valid JSON"),
        (b'{"pairs": [], "pairs": []}', 400, "the key 'pairs'"),
        (b'{"pairs": [{"premise": "x", "hypothesis": "y", "premise": "z"}]}', 400, "the key 'premise'"),
        (
            b'{"%b": 1, "%b": 2}' % (b"k" * 900, b"k" * 900),
            400,
            f"the key '{'k' * 60}'",
        ),
        ([], 422, "no list of pairs"),
        ({}, 422, "no list of pairs"),
        ({"pairs": {}}, 422, "no list of pairs"),
        ({"pairs": [PAIR, 3]}, 422, "Pair 1 has no string 'premise'"),
        ({"pairs": [{"premise": "x"}]}, 422, "Pair 0 has no string 'hypothesis'"),
        ({"pairs": [{"premise": "x", "hypothesis": None}]}, 422, "no string 'hypothesis'"),
        ({"pairs": [{"premise": "\ud800", "hypothesis": "x"}]}, 422, "lone surrogate"),
        ({"pairs": [PAIR] * 51}, 413, "at most 50 "),
        ({"pairs": [{"premise": "x" * 20000, "hypothesis": "y"}]}, 413, "at most 20,000 bytes"),
        ({"pairs": [{"premise": "x" * 15001, "hypothesis": "y"}]}, 413, "at most 15,000 "),
    ],
)
def test_requests_that_can_not_be_answered(address: str, content: Any, status: int, words: str) -> None:
    reply = post(address, content)
    assert reply.status_code == status
    assert words in reply.json()["error"]
    assert httpx.get(f"{address}/health").status_code == 200


def test_other_content_types_methods_and_names_are_turned_down(address: str) -> None:
    assert post(address, {"pairs": []}, **{"Content-Type": "text/plain"}).status_code == 415
    assert httpx.get(f"{address}/predict").status_code == 405
    assert httpx.get(f"{address}/other").status_code == 404
    # A page in a browser that has another name point to this machine.
    for host in ("evil.example", "localhost@evil.example", "localhost:x", "[::1", "::1"):
        assert post(address, {"pairs": []}, Host=host).status_code in (400, 421), host
    for host in ("localhost", "LOCALHOST:80", "127.0.0.1", "[::1]:8000"):
        assert post(address, {"pairs": []}, Host=host).status_code == 200, host
    assert httpx.post(f"{address}/predict/", json={"pairs": []}).status_code == 404


def test_a_body_without_end_is_cut_off(address: str) -> None:
    """The limit holds while the body comes: the server answers although the promised length never arrives."""
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        head = "POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        connection.sendall(f"{head}Content-Length: 1000000000\r\n\r\n".encode() + b" " * 30000)
        assert connection.recv(100).startswith(b"HTTP/1.1 413")


def test_requests_at_the_same_time_do_not_mix(address: str) -> None:
    bodies = [
        {"pairs": [{"premise": "p" * (one + number), "hypothesis": "h" * one} for number in range(20)]}
        for one in range(1, 13)
    ]
    alone = [post(address, body).json() for body in bodies]
    together: list[Any] = [None] * len(bodies)

    def work(place: int) -> None:
        together[place] = post(address, bodies[place]).json()

    threads = [threading.Thread(target=work, args=(place,)) for place in range(len(bodies))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == alone
    assert all(len(reply["answers"]) == 20 for reply in together)


def test_the_same_answers_as_without_a_server(address: str, tmp_path: Path) -> None:
    pairs = rr.generate("hans", limit=300)
    (tmp_path / "toy_to_serve.py").write_text(TOY)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        patch.syspath_prepend(tmp_path)
        near = rr.predict("python:toy_to_serve:answer", pairs)
    far = rr.predict(address, pairs)
    assert far.equals(near)


def test_the_command_asks_a_server(address: str, tmp_path: Path) -> None:
    code, _, said = inside("evaluate", address, "--sets", "hans", "--limit", "60", "--out", tmp_path / "run")
    assert code == 0, said
    assert not list(tmp_path.glob("*.unfinished"))
    (asked, *_) = json.loads((tmp_path / "run" / "card.json").read_text())["models"]
    assert (asked["fingerprint"]["url"], asked["fingerprint"]["model"]) == (
        address,
        "python:toy_to_serve:answer",
    )
    assert [len(digest) for digest in asked["fingerprint"]["fingerprint"]["files"].values()] == [64]
    assert asked["facts"]["hans"]["requests"] == 2


def test_a_failure_of_the_model_is_not_the_fault_of_the_pair(tmp_path: Path) -> None:
    """The client is told to come again, and no words of the model: they are in the log, by the error's number."""
    with serve(tmp_path) as (found, server):
        reply = post(found, {"pairs": [{"premise": "crash", "hypothesis": "y"}]})
        assert (reply.status_code, reply.headers["retry-after"]) == (503, "1")
        assert "secret words" not in reply.text
        server.terminate()
        _, log = server.communicate(timeout=20)
    number = reply.json()["id"]
    assert number in reply.json()["error"]
    assert f"error {number}: " in log
    assert "ValueError: secret words" in log


def test_a_failure_that_passes_is_retried_and_never_kept_as_refused(tmp_path: Path) -> None:
    texts = ["one", "flaky", "three"]
    pairs = pl.DataFrame({"id": texts, "premise": texts, "hypothesis": texts})
    with serve(tmp_path) as (found, _):
        asked = predict_pairs(make_model(found, {"backoff": 0.01}), pairs, tmp_path / "journal")
    assert (tmp_path / "failed_once").exists()
    assert asked.predictions["label"].to_list() == ["entailment"] * 3
    assert asked.facts["retries"] == 1


def test_a_failure_that_stays_leaves_the_pairs_unanswered(tmp_path: Path) -> None:
    texts = ["one", "crash"]
    pairs = pl.DataFrame({"id": texts, "premise": texts, "hypothesis": texts})
    with serve(tmp_path) as (found, _):
        options = {"backoff": 0.01, "batch_size": 1, "retries": 1}
        with pytest.raises(MissingPredictionsError, match="1 of 2 ") as caught:
            predict_pairs(make_model(found, options), pairs, tmp_path / "journal")
    written = "".join(path.read_text() for path in (tmp_path / "journal").rglob("*") if path.is_file())
    assert "refused" not in [
        json.loads(line).get("label") for line in written.splitlines() if line[:1] == "{"
    ]
    assert "secret words" not in f"{caught.value} {written}"


def test_what_is_cut_is_told_through_a_server(tmp_path: Path) -> None:
    long = "The judge slept and " * 20 + "woke."
    pairs = pl.DataFrame({"id": ["a", "b"], "premise": [long, "A dog ran."], "hypothesis": ["He slept."] * 2})
    with serve(tmp_path, "-o", "max_length=32", model="default") as (found, _):
        assert post(found, {"pairs": [PAIR]}).json()["cut"] == 0
        assert predict_pairs(make_model(found, {"batch_size": 1}), pairs).facts["cut"] == 1
    with serve(tmp_path, "-o", "max_length=32", "-o", "long=window-max", model="default") as (found, _):
        assert predict_pairs(make_model(found, {}), pairs).facts["windows"] == 1


def test_what_is_final_for_the_model_is_final_for_those_who_ask(tmp_path: Path) -> None:
    with (
        serving(chat_script(("True",))) as endpoint,
        serve(tmp_path, "-o", "max_requests=1", model=f"openai:tiny@{endpoint.url}/v1") as (found, _),
    ):
        assert post(found, {"pairs": [PAIR]}).status_code == 424
        with pytest.raises(MissingPredictionsError, match="status 424") as caught:
            predict_pairs(make_model(found, {}), pl.DataFrame({"id": ["a"], **PAIR}))
        assert caught.value.final


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_it_cleanly(stop: signal.Signals, tmp_path: Path) -> None:
    with serve(tmp_path) as (found, server):
        assert post(found, {"pairs": [PAIR]}).status_code == 200
        server.send_signal(stop)
        _, said = server.communicate(timeout=20)
        assert (server.returncode, said) == (0, "Stopped.\n")


def test_token_is_required(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    host = "0.0.0.0"  # noqa: S104 - listening everywhere is what needs a token
    with serve(tmp_path, "--host", host, RIGHTREASONS_SERVE_TOKEN=TOKEN) as (found, _):
        near = found.replace(host, "127.0.0.1")
        assert httpx.get(f"{near}/health").status_code == 200
        for headers in (
            {},
            {"Authorization": f"Bearer {TOKEN}x"},
            {"Authorization": TOKEN},
            {"Authorization": "Bearer é"},
        ):
            raw = {key: value.encode() for key, value in headers.items()}
            assert httpx.get(f"{near}/model", headers=raw).status_code == 401
            assert httpx.post(f"{near}/predict", headers=raw, content=b"{}").status_code == 401
        monkeypatch.delenv("RIGHTREASONS_API_KEY", raising=False)
        pairs = pl.DataFrame({"id": ["a"], **{key: [value] for key, value in PAIR.items()}})
        with pytest.raises(rr.RightReasonsError, match=r"status 401.*RIGHTREASONS_API_KEY"):
            rr.predict(near, pairs)
        monkeypatch.setenv("RIGHTREASONS_API_KEY", TOKEN)
        assert rr.predict(near, pairs)["label"].to_list() == ["entailment"]


def test_models_and_ports_that_cannot_be_served_are_refused(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RIGHTREASONS_SERVE_TOKEN", raising=False)
    port = address.rpartition(":")[2]
    assert f"Port {port} on 127.0.0.1 " in refused(child, "serve", "constant", "--port", port)
    words = ("serve", "constant", "--port", 0)
    assert "RIGHTREASONS_SERVE_TOKEN" in refused(inside, *words, "--host", "0.0.0.0")  # noqa: S104
    assert "premise_parse" in refused(inside, "serve", "rules:constituent", "--port", 0)
    Path("answers.csv").write_text("id,label\na,neutral\n")
    assert "'file:answers.csv'" in refused(inside, "serve", "file:answers.csv", "--port", 0)
    monkeypatch.setenv("RIGHTREASONS_SERVE_TOKEN", "short")
    said = refused(inside, *words)
    assert "16 characters" in said
    assert "'short'" not in said
