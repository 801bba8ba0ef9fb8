"""A run against a server that does everything wrong: it ends complete, or says which pairs are left."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from command_line import COMMAND, inside
from rightreasons.core import registry
from scripted_server import (
    BROKEN,
    BUSY,
    DRIPS,
    GARBAGE,
    HALF,
    SILENT,
    SLOW,
    Asked,
    Says,
    chat,
    chat_script,
    pick,
    serving,
    user_text,
)

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "sk-not-to-be-seen-0123456789"
WORDS = ("True", "Neither", "False", "not true")
FAILURES = (BROKEN, BUSY, GARBAGE, HALF, SILENT, SLOW, DRIPS)
QUICK = (
    "-o",
    "backoff=0.001",
    "-o",
    "timeout=0.5",
    "-o",
    "retries=3",
    "-o",
    "concurrency=6",
    "-o",
    "logprobs=no",
)
PAIRS = 60


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIGHTREASONS_API_KEY", SECRET)


@pytest.fixture
def a_set(tmp_path: Path) -> Path:
    path = tmp_path / "set.jsonl"
    code, _, said = inside("generate", "hans", "--limit", PAIRS, "--out", path)
    assert code == 0, said
    return path


def number_of(asked: Asked) -> int:
    return hashlib.sha256(user_text(asked.body).encode()).digest()[1]


def predict(url: str, a_set: Path, out: Path, *more: str) -> tuple[int, str]:
    code, _, said = inside("predict", f"openai:tiny@{url}/v1", a_set, "--out", out, *QUICK, *more)
    return code, said


def undisturbed(a_set: Path, out: Path) -> pl.DataFrame:
    with serving(chat_script(WORDS)) as server:
        code, said = predict(server.url, a_set, out)
    assert code == 0, said
    return pl.read_ndjson(out)


def everything_below(folder: Path) -> str:
    return "\n".join(path.read_text() for path in folder.rglob("*") if path.is_file())


def test_failures_of_every_kind_at_once_change_nothing(a_set: Path, tmp_path: Path) -> None:
    def moody(asked: Asked) -> Says | str | None:
        # Some pairs fail never, some once, some twice, in all ways.
        number = number_of(asked)
        return FAILURES[number % len(FAILURES)] if asked.time <= number % 3 else None

    expected = undisturbed(a_set, tmp_path / "calm.jsonl")
    with serving(chat_script(WORDS, moody)) as server:
        code, said = predict(server.url, a_set, tmp_path / "rough.jsonl")
        assert code == 0, said
        assert len(server.posts) > PAIRS + 20
    assert (tmp_path / "rough.jsonl").read_bytes() == (tmp_path / "calm.jsonl").read_bytes()
    assert set(expected["label"]) == {"entailment", "neutral", "contradiction", "unreadable"}
    assert set(expected["text"]) == set(WORDS)
    assert not (tmp_path / "rough.jsonl.unfinished").exists()


def test_what_is_left_is_listed_and_the_same_command_asks_only_that(a_set: Path, tmp_path: Path) -> None:
    undisturbed(a_set, tmp_path / "calm.jsonl")
    healed = False

    def ill(asked: Asked) -> bool:
        return number_of(asked) % 8 == 0

    def moody(asked: Asked) -> Says | str | None:
        return FAILURES[number_of(asked) // 8 % len(FAILURES)] if ill(asked) and not healed else None

    out = tmp_path / "rough.jsonl"
    with serving(chat_script(WORDS, moody)) as server:
        code, said = predict(server.url, a_set, out)
        lost = {user_text(asked.body) for asked in server.posts if ill(asked)}
        assert code == 2
        assert f"{len(lost)} of {PAIRS} pairs" in said
        assert not out.exists()
        (listed,) = tmp_path.rglob("unanswered.tsv")
        rows = pl.read_csv(listed, separator="\t")
        # Exactly those pairs whose questions were never answered.
        prompt = registry.make_model("openai:tiny@http://localhost:1", {}).template  # type: ignore[attr-defined]
        assert {prompt.fill(*row) for row in rows.select("premise", "hypothesis").iter_rows()} == lost
        assert 0 < rows.height < PAIRS
        healed, before = True, len(server.posts)
        code, said = predict(server.url, a_set, out)
        assert code == 0, said
        assert {user_text(asked.body) for asked in server.posts[before:]} == lost
        assert len(server.posts) - before == len(lost)
    assert out.read_bytes() == (tmp_path / "calm.jsonl").read_bytes()
    assert not list(tmp_path.glob("*.unfinished"))


def test_a_budget_ends_a_run_and_more_budget_completes_it(a_set: Path, tmp_path: Path) -> None:
    undisturbed(a_set, tmp_path / "calm.jsonl")
    out = tmp_path / "poor.jsonl"
    with serving(chat_script(WORDS)) as server:
        code, said = predict(server.url, a_set, out, "--max-requests", "25")
        assert code == 2
        assert f"{PAIRS - 25} of {PAIRS} pairs" in said
        assert "max_requests" in said
        assert len(server.posts) == 25
        code, said = predict(server.url, a_set, out)
        assert code == 0, said
        assert len(server.posts) == PAIRS
    assert out.read_bytes() == (tmp_path / "calm.jsonl").read_bytes()


@pytest.mark.slow
def test_the_key_is_in_nothing_that_is_written_or_said(a_set: Path, tmp_path: Path) -> None:
    """A whole process, its journal, answers, run and errors: a server that repeats the key in all of them."""

    def script(asked: Asked) -> Says | str:
        assert asked.headers["authorization"] == f"Bearer {SECRET}"
        if asked.method == "GET":
            return Says({})
        if number_of(asked) % 8 == 0 and not healed:
            return Says({"error": {"message": f"the key {SECRET} is tired"}}, 500)
        return chat(pick(user_text(asked.body), ("True", "False")) + f" ({SECRET})")

    healed = False
    with serving(script) as server:
        command = [
            *COMMAND,
            "evaluate",
            f"openai:tiny@{server.url}/v1",
            "--sets",
            a_set,
            "--out",
            tmp_path / "run",
        ]
        command += ["-o", "backoff=0.001"]

        def run() -> Any:
            environment = {**os.environ, "PYTHONDEVMODE": "1", "HTTPX_LOG_LEVEL": "trace"}
            return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)

        first = run()
        assert first.returncode == 2, first.stderr
        written = everything_below(tmp_path / "run.unfinished")
        assert "the key [key] is tired" in written
        assert "([key])" in written
        healed = True
        second = run()
        assert second.returncode == 0, second.stderr
    texts = pl.read_parquet(next((tmp_path / "run" / "predictions").rglob("*openai*.parquet")))
    assert texts["text"].str.contains("[key]", literal=True).all()
    said = [first.stdout, first.stderr, second.stdout, second.stderr, written]
    raw = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert all(SECRET not in text for text in said)
    assert all(SECRET.encode() not in content for content in raw)


def test_importing_the_models_loads_nothing_heavy() -> None:
    heavy = "httpx", "starlette", "uvicorn", "torch", "transformers", "onnxruntime", "tokenizers"
    code = f"""
import sys
import rightreasons.models.remote.served_model, rightreasons.models.remote.openai, rightreasons.commands.serve
import rightreasons.serving.app, rightreasons.serving.server, rightreasons.models.remote.prompts
from rightreasons.core import registry
registry.make_model("openai:gpt", {{}}), registry.make_model("http://localhost:1", {{}})
print([name for name in {heavy} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
