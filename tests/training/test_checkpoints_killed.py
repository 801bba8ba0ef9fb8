"""A run that is killed, again and again, ends with the same bytes as one that was left alone."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

import rightreasons as rr
from command_line import inside

pytest.importorskip("torch")

if TYPE_CHECKING:
    from pathlib import Path

# Dropout, trained vectors, a schedule that reloads: all of a run's state counts.
OPTIONS: dict[str, Any] = {
    "preset": "small",
    "epochs": 4,
    "checks": 3,
    "seed": 5,
    "threads": 1,
    "learning_rate": 0.01,
    "schedule": "reload",
    "patience": 0,
    "trained_vectors": "true",
}
FILES = ("weights.safetensors", "words.txt", "network.json", "train_log.csv", "train_log.svg")


def command(net: str, pocket: tuple[Path, Path], out: Path, **more: Any) -> list[str]:
    words = [sys.executable, "-m", "rightreasons", "train", net, "--out", str(out)]
    words += ["--train", str(pocket[0]), "--dev", str(pocket[1])]
    return words + [word for key, value in (OPTIONS | more).items() for word in ("-o", f"{key}={value}")]


def stamp(folder: Path) -> tuple[tuple[str, int], ...]:
    """Tell which checkpoint files there are, and when each was written."""
    found = []
    for path in sorted(folder.rglob("*.pt")):
        if path.parent.name.startswith("."):
            continue  # it is being written
        try:
            found.append((path.name, path.stat().st_mtime_ns))
        except FileNotFoundError:
            continue
    return tuple(found)


def cut_off(words: list[str], checkpoints: Path) -> None:
    """Start a run and kill it as soon as it has written another checkpoint."""
    before = stamp(checkpoints)
    with subprocess.Popen(words, stderr=subprocess.PIPE) as process:
        while process.poll() is None and stamp(checkpoints) in ((), before):
            time.sleep(0.005)
        time.sleep(0.05)  # somewhere in the steps after it
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL, "the run must be cut off in its middle"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("net", "kills", "more"), [("bilstm", 3, {}), ("cbow", 2, {"debias": "confidence", "epochs": 2})]
)
def test_the_bytes_are_the_same(
    net: str, kills: int, more: dict[str, Any], pocket: tuple[Path, Path], tmp_path: Path
) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    rr.train(net, train=pocket[0], dev=pocket[1], out=whole, **(OPTIONS | more))
    again = command(net, pocket, cut, save_seconds=0, **more)
    for _ in range(kills):
        cut_off(again, tmp_path / "cut.training")
        assert not cut.exists()
    subprocess.run(again, check=True, capture_output=True)
    for name in FILES:
        assert (cut / name).read_bytes() == (whole / name).read_bytes(), name
    logs = [json.loads((out / "training.json").read_text(encoding="utf-8"))["log"] for out in (whole, cut)]
    assert logs[0] == logs[1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cut", "whole"]


@pytest.mark.slow
def test_an_interrupted_run_names_its_checkpoint_and_resumes(
    pocket: tuple[Path, Path], tmp_path: Path
) -> None:
    words = command("bilstm", pocket, tmp_path / "cut", save_seconds=0)
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None and not stamp(tmp_path / "cut.training"):
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        errors = process.communicate()[1]
    assert process.returncode == 130
    assert re.search(r"Interrupted.*cut\.training", errors)
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    assert re.search(r"Resumed .* step \d", done.stdout + done.stderr)


def interrupt_after_checkpoint(
    monkeypatch: pytest.MonkeyPatch, net: str, pocket: tuple[Path, Path], out: Path, **more: Any
) -> None:
    """Interrupt a run in this process once it has written a checkpoint."""
    from rightreasons.training import checkpoints

    save = checkpoints.save_checkpoint

    def save_and_stop(*given: Any) -> None:
        save(*given)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(checkpoints, "save_checkpoint", save_and_stop)
        with pytest.raises(KeyboardInterrupt):
            rr.train(net, train=pocket[0], dev=pocket[1], out=out, save_seconds=0, **(OPTIONS | more))
    assert not out.exists()


def test_an_interrupted_run_resumes_and_ends_with_the_same_bytes(
    pocket: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = {"epochs": 1, "checks": 2}
    for name in ("whole", "cut"):
        if name == "cut":
            interrupt_after_checkpoint(monkeypatch, "cbow", pocket, tmp_path / name, **few)
            assert stamp(tmp_path / "cut.training")
        rr.train("cbow", train=pocket[0], dev=pocket[1], out=tmp_path / name, **(OPTIONS | few))
    for name in FILES:
        assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cut", "whole"]


def test_a_checkpoint_of_another_network_is_refused(
    pocket: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "model"
    interrupt_after_checkpoint(monkeypatch, "cbow", pocket, out)
    there = stamp(tmp_path)
    code, _, errors = inside(*command("bilstm", pocket, out)[3:])
    assert code == 2
    assert re.search(r"checkpoint\.pt .*cbow .*bilstm", " ".join(errors.split()))
    assert "Traceback" not in errors
    assert (stamp(tmp_path), out.exists()) == (there, False)
