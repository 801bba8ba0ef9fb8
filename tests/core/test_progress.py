"""A progress bar, for people at a terminal and for work of more than a second."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

import rightreasons
from rightreasons.core import progress as module
from rightreasons.core.progress import show_progress, track_progress

if TYPE_CHECKING:
    from pathlib import Path


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def watched(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Put a terminal in the place of standard error; pytest undoes that if a fixture does it."""
    fake = Terminal()
    monkeypatch.setattr(sys, "stderr", fake)
    monkeypatch.delenv("TQDM_DISABLE", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(module, "DELAY", 0.0)
    return fake


def test_items_pass_unchanged() -> None:
    assert list(track_progress(range(5), 5, "counting")) == [0, 1, 2, 3, 4]


def test_nothing_shows_within_the_first_second(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    monkeypatch.setattr(module, "DELAY", 60.0)
    list(track_progress(range(5), 5, "counting"))
    assert terminal.getvalue() == ""


def test_a_bar_shows_when_it_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    with show_progress(10, "counting") as advance:
        advance(3)
    assert "counting" in terminal.getvalue()
    assert "3/10" in terminal.getvalue()


def test_work_of_one_long_step_shows_that_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    with show_progress(label="reading [odd] names"):
        end = time.monotonic() + 30
        while "reading [odd] names" not in terminal.getvalue():
            assert time.monotonic() < end, "no bar came"
            time.sleep(0.01)
    assert terminal.getvalue().endswith("\x1b[2K")


def test_work_inside_work_has_no_second_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    with show_progress(2, "outer") as advance:
        advance(1)
        list(track_progress(range(5), 5, "inner"))
        advance(1)
    assert "2/2" in terminal.getvalue()
    assert "inner" not in terminal.getvalue()
    list(track_progress(range(5), 5, "after"))
    assert "after" in terminal.getvalue()


@pytest.mark.parametrize("value", ["1", "true"])
def test_silence_can_be_asked_for(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    terminal = watched(monkeypatch)
    monkeypatch.setenv("TQDM_DISABLE", value)
    list(track_progress(range(5), 5, "counting"))
    assert terminal.getvalue() == ""


def test_work_that_stops_early_takes_the_bar_away(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    steps = track_progress(range(3), 3, "counting")
    assert [next(steps), next(steps)] == [0, 1]
    steps.close()
    assert "counting" in terminal.getvalue()
    assert terminal.getvalue().endswith("\x1b[2K")  # the line of the bar is wiped


CHILD = """
import sys, time
from rightreasons.core.progress import track_progress
for _ in track_progress(range(4), 4, "counting"):
    time.sleep(0.4)
assert ("rich" in sys.modules) == sys.stderr.isatty()
"""


def on_a_terminal(program: str, *words: str, cwd: Path | None = None, **variables: str) -> tuple[int, bytes]:
    """Run a program whose standard error is a terminal: exit code, and what the terminal got."""
    ours, theirs = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "TQDM_DISABLE"}
    environment |= {"TERM": "xterm", **variables}
    command, shown = [sys.executable, "-c", program, *words], b""
    with subprocess.Popen(
        command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=theirs, env=environment
    ) as process:
        os.close(theirs)
        with suppress(OSError):  # that is how a terminal says that its last writer left
            while part := os.read(ours, 1 << 16):
                shown += part
    os.close(ours)
    return process.returncode, shown


def test_no_bar_and_no_rich_where_nobody_watches() -> None:
    done = subprocess.run([sys.executable, "-c", CHILD], check=True, capture_output=True)
    assert done.stderr == b""


COMMANDS = """
import sys, time
import polars as pl
from rightreasons import cli
from rightreasons.core import progress
from rightreasons.core import registry
from rightreasons.scoring import accuracy
from rightreasons.templates import recognise

def slowly(function):
    def slow(*words, **options):
        time.sleep(0.3)
        return function(*words, **options)
    return slow

class Slow:
    name = "slow"

    def predict(self, pairs):
        time.sleep(0.3)
        return pairs.select("id", label=pl.lit("entailment"))

progress.DELAY = 0.05
registry.MODELS["slow"] = "__main__:Slow"
accuracy.score_predictions = slowly(accuracy.score_predictions)
recognise.recognise_pairs = slowly(recognise.recognise_pairs)
cli.main()
"""
STEPS = [
    (("predict", "slow", "set.csv", "--out", "answers.csv"), b"running slow"),
    (("score", "set.csv", "set.csv"), b"scoring"),
    (("recognise", "set.csv"), b"recognising"),
    (("generate", "hans", "--limit", "100_000"), b"generating hans"),
    (("evaluate", "slow", "--no-baselines", "--sets", "set.csv", "--out", "run"), b"running on set"),
]


@pytest.mark.parametrize(("words", "label"), STEPS, ids=[words[0] for words, _ in STEPS])
def test_every_command_tells_a_terminal_what_takes_long(
    words: tuple[str, ...], label: bytes, tmp_path: Path
) -> None:
    rightreasons.write_pairs(rightreasons.generate("hans", limit=30), tmp_path / "set.csv")
    code, shown = on_a_terminal(COMMANDS, *words, cwd=tmp_path)
    assert code == 0, shown
    assert label in shown


def test_a_bar_without_colour_on_a_real_terminal() -> None:
    code, shown = on_a_terminal(CHILD, NO_COLOR="1")
    assert code == 0, shown
    assert b"counting" in shown
    assert b"\x1b[3" not in shown
