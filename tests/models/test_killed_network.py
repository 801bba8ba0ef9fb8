"""A real network, killed in the middle, goes on by the stored plan to the very same answers."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

import rightreasons
from command_line import COMMAND, child
from rightreasons.core import registry
from tiny_networks import PAIRS, save

PATIENCE = 120
BATCHES = 1500
PREDICT = ("predict", "onnx:graph", "pairs.csv", "--out")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a folder with a graph, and pairs enough for some seconds."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RIGHTREASONS_CACHE", str(tmp_path / "cache"))
    save("bert", tmp_path / "torch")
    rightreasons.predict(registry.make_model("hf:torch", {"backend": "onnx"}), PAIRS)
    (graph,) = Path("cache").rglob("*.onnx")
    Path("graph").mkdir()
    for path in (graph, Path("torch/tokenizer.json"), Path("torch/config.json")):
        shutil.copy(path, "graph")
    rightreasons.write_pairs(rightreasons.generate("hans", limit=2 * BATCHES), "pairs.csv")


def kept() -> int:
    """Count the batches in the journal."""
    return sum(
        path.read_bytes().count(b'"batch"')
        for path in Path().glob("answers.jsonl.unfinished/*/answers.jsonl")
    )


def plan() -> list[list[int]]:
    """Read the batches of the stored plan."""
    (path,) = Path("answers.jsonl.unfinished").glob("*/plan.json")
    batches: list[list[int]] = json.loads(path.read_bytes())["plan"]["batches"]
    return batches


def killed(*more: str, batches: int) -> None:
    """Kill the command once so many more batches are answered."""
    end, before = time.monotonic() + PATIENCE, kept()
    command = [*COMMAND, *PREDICT, "answers.jsonl", *more]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        while kept() < before + batches:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < end, "it never came so far"
            time.sleep(0.002)
        os.kill(process.pid, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert not Path("answers.jsonl").exists()
    assert before + batches <= kept() < BATCHES


@pytest.mark.slow
def test_a_killed_network_goes_on_whatever_batches_it_would_choose_now() -> None:
    assert child(*PREDICT, "whole.jsonl", "--batch-size", 2)[0] == 0
    killed("--batch-size", "2", batches=1)
    at_first = plan()
    assert len(at_first) >= BATCHES
    killed("--batch-size", "64", batches=100)
    killed(batches=10)
    assert plan() == at_first
    code, _, said = child(*PREDICT, "answers.jsonl")
    assert code == 0, said
    assert "unfinished run" in said
    assert Path("answers.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()
    assert not Path("answers.jsonl.unfinished").exists()
