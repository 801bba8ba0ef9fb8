"""A progress bar, for people at a terminal and for work of more than a second."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys

import pytest

from rightreasons import progress as module
from rightreasons.progress import progress, track


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def watched(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Put a terminal in the place of standard error; pytest undoes that if a fixture does it."""
    fake = Terminal()
    monkeypatch.setattr(sys, "stderr", fake)
    monkeypatch.delenv("TQDM_DISABLE", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    return fake


def test_items_pass_unchanged() -> None:
    assert list(track(range(5), 5, "counting")) == [0, 1, 2, 3, 4]


def test_nothing_shows_within_the_first_second(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    monkeypatch.setattr(module, "PATIENCE", 60.0)
    list(track(range(5), 5, "counting"))
    assert terminal.getvalue() == ""


def test_a_bar_shows_when_it_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    with progress(10, "counting") as advance:
        advance(3)
    assert "counting" in terminal.getvalue()
    assert "3/10" in terminal.getvalue()


@pytest.mark.parametrize("value", ["1", "true"])
def test_silence_can_be_asked_for(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    terminal = watched(monkeypatch)
    monkeypatch.setenv("TQDM_DISABLE", value)
    list(track(range(5), 5, "counting"))
    assert terminal.getvalue() == ""


def test_work_that_stops_early_takes_the_bar_away(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    steps = track(range(3), 3, "counting")
    assert [next(steps), next(steps)] == [0, 1]
    steps.close()
    assert "counting" in terminal.getvalue()
    assert terminal.getvalue().endswith("\x1b[2K")  # the line of the bar is wiped


CHILD = """
import sys, time
from rightreasons.progress import track
for _ in track(range(4), 4, "counting"):
    time.sleep(0.4)
assert ("rich" in sys.modules) == sys.stderr.isatty()
"""


def test_no_bar_and_no_rich_where_nobody_watches() -> None:
    done = subprocess.run([sys.executable, "-c", CHILD], check=True, capture_output=True)
    assert done.stderr == b""


def test_a_bar_without_colour_on_a_real_terminal() -> None:
    ours, theirs = pty.openpty()
    environment = {**os.environ, "NO_COLOR": "1", "TERM": "xterm"}
    environment.pop("TQDM_DISABLE", None)
    subprocess.run([sys.executable, "-c", CHILD], check=True, stderr=theirs, env=environment)
    os.close(theirs)
    shown = os.read(ours, 1 << 16)
    os.close(ours)
    assert b"counting" in shown
    assert b"\x1b[3" not in shown
