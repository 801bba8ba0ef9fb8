"""Killed at any moment of the asking, a command goes on where it was and ends with the very same answers.

The model is a small network whose floats depend on which pairs are asked together. It writes down each call as it
begins, so that a kill is known to fall inside the asking, and it stops by itself a few calls after the moment that was
chosen, so that a slow machine can't let a process end before its kill.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

import rightreasons
from command_line import COMMAND, child, inside, refused

NETWORK = """
import os, time
import numpy as np

rng = np.random.default_rng(0)
LETTERS, OUT = rng.normal(size=(128, 8)), rng.normal(size=(16, 3))
STOP = int(os.environ.get("STOP_AFTER", -1))
calls = 0

def encoded(texts):
    return np.array([np.tanh(LETTERS[np.frombuffer(t.encode(), np.uint8) % 128].mean(axis=0)) for t in texts])

def answer(premises, hypotheses):
    global calls
    if len(premises) == 1:  # one pair is asked beforehand, to see what kind of answers there are
        return [{"entailment": 1, "neutral": 0, "contradiction": 0}]
    with open("calls.txt", "a") as file:
        file.write(premises[0] + "\\n")
    if 0 <= STOP <= calls:
        time.sleep(0.003 if calls < STOP + 4 else 600)
    calls += 1
    both = np.hstack([encoded(premises), encoded(hypotheses)])
    logits = (both - both.mean(axis=0)) @ OUT  # normed over the batch
    shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    return [dict(zip(("entailment", "neutral", "contradiction"), map(float, row))) for row in shares]
"""
PATIENCE = 120
MODEL = ("python:network:answer", "--batch-size", "2")
EVALUATE = ("evaluate", "constant", *MODEL, "--no-baselines", "--sets", "a.csv,b.csv", "--out")
PREDICT = ("predict", *MODEL, "a.csv", "--out")
PAIRS = 240  # in each set
BATCHES = PAIRS // 2


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("network.py").write_text(NETWORK)
    for seed, name in enumerate("ab"):
        rightreasons.write_pairs(rightreasons.generate("hans", limit=PAIRS, seed=seed), f"{name}.csv")


def called() -> int:
    """Count the calls of the network so far, in all processes."""
    return Path("calls.txt").read_bytes().count(b"\n") if Path("calls.txt").exists() else 0


def kept(out: str) -> int:
    """Count the batches that the journals of an output hold."""
    return sum(
        path.read_bytes().count(b'"batch"') for path in Path(f"{out}.unfinished").rglob("answers.jsonl")
    )


def planned(out: str) -> int:
    return sum(
        len(json.loads(path.read_bytes())["plan"]["batches"])
        for path in Path(f"{out}.unfinished").rglob("plan.json")
    )


def started(command: tuple[str, ...], stop_after: int) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "STOP_AFTER": str(stop_after)}
    return subprocess.Popen(
        [*COMMAND, *command], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def wait_for_calls(process: subprocess.Popen[bytes], calls: int) -> None:
    end = time.monotonic() + PATIENCE
    while called() < calls:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end, "the network is not called"
        time.sleep(0.003)


def killed(command: tuple[str, ...], after: int, delay: float) -> None:
    """Start a command and kill it, some time after a call beyond so many has begun."""
    out = command[-1]
    before, calls = kept(out), called()
    with started(command, after) as process:
        wait_for_calls(process, calls + after + 1)
        time.sleep(delay)
        assert process.poll() is None, "it ended before it could be killed"
        os.kill(process.pid, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert not Path(out).exists()
    assert before + after <= kept(out) < planned(out), "the kill fell outside the asking"


def killed_often(command: tuple[str, ...], times: int) -> None:
    """Kill a command at so many moments, each time further on; then let it end, and count what it asks."""
    rng = np.random.default_rng(times)
    for _ in range(times):
        killed(command, after=int(rng.integers(3)), delay=rng.uniform(0, 0.02))
    out = command[-1]
    had, calls, batches = kept(out), called(), BATCHES * (2 if command[0] == "evaluate" else 1)
    assert 0 < had < batches
    code, _, said = child(*command)
    assert code == 0, said
    assert called() - calls == batches - had
    assert not Path(f"{out}.unfinished").exists()


def files_in(folder: str) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in Path(folder).rglob("*.parquet")}


@pytest.mark.slow
def test_evaluate_survives_kills() -> None:
    assert child(*EVALUATE, "whole")[0] == 0
    assert called() == 2 * BATCHES
    killed_often((*EVALUATE, "run"), 13)
    assert len(files_in("run")) == 6
    assert files_in("run") == files_in("whole")
    assert Path("run/scores.csv").read_bytes() == Path("whole/scores.csv").read_bytes()


@pytest.mark.slow
def test_a_resumed_run_audits_its_training_data() -> None:
    command = (*EVALUATE[:-1], "--trained-on", "b.csv", "--out")
    assert child(*command, "whole")[0] == 0
    killed((*command, "run"), after=5, delay=0)
    assert not list(Path("run.unfinished").rglob("training.json"))  # it is made again
    calls, had = called(), kept("run")
    code, _, said = child(*command, "run")
    assert code == 0, said
    assert called() - calls == 2 * BATCHES - had
    for name in ("training.json", "leaks.json", "scores.csv"):
        assert Path("run", name).read_bytes() == Path("whole", name).read_bytes(), name
    manifests = [json.loads(Path(run, "manifest.json").read_bytes()) for run in ("run", "whole")]
    assert manifests[0]["training.json"] == manifests[1]["training.json"]
    assert code == inside("report", "run")[0]


@pytest.mark.slow
def test_what_a_kill_leaves_is_told_by_names() -> None:
    """The set b was never begun, and constant keeps no answers; the network is on its way."""
    killed((*EVALUATE, "run"), after=3, delay=0)
    done = 2 * kept("run")
    commands = [("report", "run"), ("compare", "run"), ("leaderboard", "run", "--out", "board")]
    commands += [("export", "run", "--to", target, "--out", "x") for target in ("hf", "model-card")]
    for words in commands:
        status, command = refused(inside, *words).split(": rightreasons ")
        assert command == shlex.join((*EVALUATE, "run"))
        network, constant, other = status.split("; ")
        assert f"'run' is unfinished: python:network:answer on a has {done} of {PAIRS} " in network
        assert "of constant on a" in constant
        assert "of constant, python:network:answer on b." in other
    code, _, said = child(*EVALUATE, "run")
    assert code == 0, said
    assert not Path("run.unfinished").exists()
    assert inside("report", "run")[0] == 0


@pytest.mark.slow
def test_predict_survives_kills() -> None:
    assert child(*PREDICT, "whole.jsonl")[0] == 0
    assert called() == BATCHES
    killed_often((*PREDICT, "answers.jsonl"), 18)
    assert Path("answers.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()


def test_a_changed_network_reuses_nothing() -> None:
    killed((*PREDICT, "answers.csv"), after=3, delay=0)
    Path("network.py").write_text(NETWORK.replace("default_rng(0)", "default_rng(1)"))
    calls = called()
    code, _, said = child(*PREDICT, "answers.csv")
    assert (code, said) == (0, f"Wrote {PAIRS} predictions to answers.csv.\n")
    assert called() - calls == BATCHES
    assert not Path("answers.csv.unfinished").exists()


@pytest.mark.slow
def test_two_processes_never_write_the_same_journal_and_an_interrupt_keeps_it() -> None:
    with started((*PREDICT, "answers.csv"), 5) as process:
        wait_for_calls(process, 10)  # it has stopped there
        code, _, said = child(*PREDICT, "answers.csv")
        assert code == 2
        assert "answers.csv.unfinished" in said
        assert "another process" in said
        assert called() == 10
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert b"kept in answers.csv.unfinished" in told
    assert kept("answers.csv") == 9
    code, _, said = child(*PREDICT, "answers.csv")
    assert code == 0
    assert re.search(rf"\b{PAIRS}\b.* answers\.csv, 18\b", said)
    assert called() == 10 + BATCHES - 9
