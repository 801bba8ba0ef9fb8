"""Models that can't answer: exit code 2, one clear sentence with a hint, and nothing written."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from command_line import inside, refused
from scripted_server import Says, serving

FUNCTIONS = """\
import numpy as np

def short(premises, hypotheses):
    return ["entailment"] * (len(premises) - 1)

def flat(premises, hypotheses):
    return np.zeros(len(premises))

def four(premises, hypotheses):
    return np.zeros((len(premises), 4))

def nan(premises, hypotheses):
    return np.full((len(premises), 3), np.nan)

def word(premises, hypotheses):
    return ["perhaps"] * len(premises)

def nothing(premises, hypotheses):
    return None

def fails(premises, hypotheses):
    raise ValueError("no weights")
"""


@pytest.fixture(autouse=True)
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "RIGHTREASONS_API_KEY", "NO_SUCH_KEY"):
        monkeypatch.delenv(name, raising=False)


def said(model: str, *words: object) -> str:
    """Evaluate a model that must be refused, and return the sentence; it has a hint behind it."""
    line = refused(inside, "evaluate", model, "--limit", 30, "--out", "run", *words)
    assert line.count(". ") >= 1, line
    assert line.endswith((".", "?")), line
    return line


@pytest.mark.parametrize(
    ("function", "says"),
    [
        ("short", "gave 29 answers to 30 pairs. Return one answer for each pair"),
        ("flat", "as an answer. Return for each pair a label word"),
        ("four", "gave numbers in the shape (30, 4). Return two or three numbers"),
        ("nan", "gave [nan, nan, nan] for a pair, row 1 of 30. Return finite numbers."),
        ("word", "The word 'perhaps' is no label. Write one of entailment"),
        ("nothing", "gave nothing back. Return"),
        ("fails", "failed with ValueError: no weights (given.py, line "),
        ("absent", "has no 'absent'. Write python:given:FUNCTION"),
    ],
)
def test_a_function_that_answers_badly(function: str, says: str) -> None:
    Path("given.py").write_text(FUNCTIONS, encoding="utf-8")
    assert says in said(f"python:given:{function}")


def test_a_function_that_is_not_there() -> None:
    assert "There is no module 'nowhere'" in said("python:nowhere:function")
    assert "Write python:module:function" in said("python:nowhere")


@pytest.fixture(scope="module")
def nobody() -> str:
    """Find an address at which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{free.getsockname()[1]}"


def test_an_address_without_a_server(nobody: str) -> None:
    assert f"There is no server at http://{nobody}. Start it" in said(f"http://{nobody}")
    assert f"There is no server at http://{nobody}/v1. Start it" in said(f"openai:tiny@http://{nobody}/v1")


def test_what_is_no_address() -> None:
    assert "is no address of a server" in said("http:// / ")
    secret = said("openai:tiny@http://me:hunter2@127.0.0.1/v1")
    assert "RIGHTREASONS_API_KEY" in secret
    assert "hunter2" not in secret


def test_a_server_of_another_kind() -> None:
    with serving(lambda _: Says({"detail": "Not Found"}, 404)) as server:
        assert server.url in said(server.url)
    with serving(lambda _: Says({"hello": "world"})) as server:
        assert "Have it send a fingerprint, or start it with rightreasons serve." in said(server.url)


def test_no_key() -> None:
    assert "Set the environment variable RIGHTREASONS_API_KEY or OPENAI_API_KEY." in said("openai:some-model")
    found = said("openai:tiny@http://127.0.0.1:1/v1", "-o", "key_env=NO_SUCH_KEY")
    assert "Set the environment variable NO_SUCH_KEY." in found


def test_a_key_that_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    with serving(lambda _: Says({"error": {"message": "bad key sk-very-secret"}}, 401)) as server:
        line = said(f"openai:tiny@{server.url}/v1")
    assert "key" in line
    assert "very-secret" not in line


def test_a_budget_without_prices() -> None:
    assert "Give price_in and price_out" in said("openai:tiny@http://127.0.0.1:1/v1", "--max-cost", 1)


def test_a_prompt_that_is_unknown() -> None:
    model = "openai:tiny@http://127.0.0.1:1/v1"
    assert "There is no prompt called 'true-flase'. Did you mean" in said(model, "--prompts", "true-flase")
    assert "None of the models takes a prompt. Leave out --prompts." in said("majority", "--prompts", "all")
