"""Stopping: exit codes, messages and clean-up, in a process of its own and with every kind of obstacle."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from stop_harness import LIMIT, stop_all

import rightreasons
from command_line import COMMAND, inside
from rightreasons.reports import build as reporting

CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
PATIENCE = 120
# Models that never answer, for reasons that Python can and can't do anything about.
STUCK = {
    "sleeping": "import time; time.sleep(600)",
    "native": (
        # A lock that is taken twice: no signal wakes the thread that waits for it.
        "import ctypes; lock = ctypes.create_string_buffer(128); libc = ctypes.CDLL(None)\n"
        "    libc.pthread_mutex_lock(lock); libc.pthread_mutex_lock(lock)"
    ),
    "deaf": (
        "import time\n    while True:\n        try:\n            time.sleep(600)\n"
        "        except BaseException:\n            pass"
    ),
    # As an import does, or a library whose callback is cut off.
    "converting": (
        "import time\n    try:\n        time.sleep(600)\n"
        "    except BaseException as error:\n        raise RuntimeError('the library failed') from error"
    ),
}
MODULE = """
from pathlib import Path

def predict(premises, hypotheses):
    if len(premises) > 1 and "Premise 4." in premises:
        Path("stuck.txt").touch()
        stay()
    return ["neutral"] * len(premises)

def stay():
    {body}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write_pairs(count: int = 8) -> None:
    rows = [f"p{number},Premise {number}.,Hypothesis {number}.\n" for number in range(count)]
    Path("pairs.csv").write_text("".join(["id,premise,hypothesis\n", *rows]), encoding="utf-8")


def wait_for(path: str, process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + PATIENCE
    while not Path(path).exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.01)


def start(*words: str, **more: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more
    )  # type: ignore[call-overload,no-any-return]


@pytest.mark.parametrize(
    ("why", "kind", "times"),
    [
        ("sleeping", signal.SIGINT, 1),
        ("sleeping", signal.SIGTERM, 1),
        ("converting", signal.SIGTERM, 1),
        ("deaf", signal.SIGINT, 2),
        pytest.param("sleeping", signal.SIGHUP, 1, marks=pytest.mark.slow),
        pytest.param("native", signal.SIGINT, 2, marks=pytest.mark.slow),
        pytest.param("deaf", signal.SIGTERM, 1, marks=pytest.mark.slow),
    ],
)
def test_a_signal_ends_it_whatever_it_does(why: str, kind: signal.Signals, times: int) -> None:
    write_pairs()
    Path("stuck.py").write_text(MODULE.format(body=STUCK[why]), encoding="utf-8")
    words = ("predict", "python:stuck:predict", "pairs.csv", "--batch-size", "2", "--out", "out.csv")
    # Under nohup it would be ignored, and stay so.
    with start(*words, preexec_fn=lambda: signal.signal(kind, signal.SIG_DFL) and None) as process:
        wait_for("stuck.txt", process)
        time.sleep(0.1)
        begin = time.monotonic()
        for _ in range(times):
            process.send_signal(kind)
            time.sleep(0.2)
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == CODES[kind]
    # The harness measures it; here other tests run at the same time.
    assert time.monotonic() - begin < LIMIT * 3
    (line,) = [line for line in said.splitlines() if not line.startswith("Note: ")]
    assert line.startswith("Interrupted: " if kind == signal.SIGINT else "Terminated: ")
    assert "out.csv.unfinished" in line
    assert sorted(path.name for path in Path().glob("*out.csv*")) == ["out.csv.unfinished"]


def test_an_ignored_signal_stays_ignored() -> None:
    """As under nohup, or in a background job of a script."""
    write_pairs()
    Path("stuck.py").write_text(MODULE.format(body="import time; time.sleep(1)"), encoding="utf-8")
    words = ("predict", "python:stuck:predict", "pairs.csv", "--out", "out.csv")
    with start(*words, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN) and None) as process:
        wait_for("stuck.txt", process)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said
    assert Path("out.csv").exists()


def _small_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))


def test_a_disk_that_takes_no_more_while_threads_compute_is_an_error() -> None:
    """Threads inside of ONNX Runtime aborted the process, with exit code 134."""
    rightreasons.write_pairs(rightreasons.generate("hans", limit=300), "pairs.csv")
    words = ("predict", "default", "pairs.csv", "--out", "out.csv")
    environment = {**os.environ, "OMP_NUM_THREADS": "2"}
    with start(*words, preexec_fn=_small_files, env=environment) as process:
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2, said
    assert "out.csv.unfinished" in said
    assert "terminate called" not in said


LIBRARY = """
import os, signal, sys, threading, time
import rightreasons as rr

pairs = rr.generate("hans", limit=2000)
rr.predict("default", pairs.pairs.head(4))

def interrupt():
    time.sleep(1)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt).start()
try:
    rr.predict("default", pairs)
except KeyboardInterrupt:
    print("caught", flush=True)
    if sys.argv[1] == "raise":
        raise
"""


@pytest.mark.parametrize(
    ("then", "code"), [("go on", 0), pytest.param("raise", -signal.SIGINT, marks=pytest.mark.slow)]
)
def test_an_interrupt_in_a_program_is_an_exception(then: str, code: int) -> None:
    """Even with threads inside of ONNX Runtime the program ends as it would without."""
    environment = {**os.environ, "OMP_NUM_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, "-c", LIBRARY, then], capture_output=True, text=True, env=environment, check=False
    )
    assert done.stdout == "caught\n"
    assert done.returncode == code
    assert "terminate called" not in done.stderr


def test_a_signal_during_an_import_is_told_as_well() -> None:
    """A module that is imported half can't be imported from, and the process ended without a word."""
    code = (
        "import sys, types, rightreasons.io.signals as signals\n"
        "for name in ('rightreasons.io.temporary_folders', 'rightreasons.io.interrupts'):\n"
        "    sys.modules[name] = types.ModuleType(name)\n"
        "signals._end_process_immediately()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert done.stderr.startswith("Interrupted: no output file")
    assert done.stderr.count("\n") == 1


def test_importing_the_package_takes_no_signals() -> None:
    code = (
        "import signal, rightreasons.cli, rightreasons.io.signals, rightreasons.__main__\n"
        "assert signal.getsignal(signal.SIGINT) is signal.default_int_handler\n"
        "assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_interrupt_names_what_was_written_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    rightreasons.write_pairs(rightreasons.generate("hans", limit=30), "set.csv")
    rightreasons.evaluate("random", sets="set.csv", out="run")

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    words = ("report", "run", "--out", "page.html", "--markdown", "page.md", "--csv", "tables")
    with monkeypatch.context() as patch:
        patch.setattr(reporting, "write_tables", stop)
        code, _, said = inside(*words)
    assert code == 130
    assert Path("page.html").exists()
    assert Path("page.md").exists()
    assert not Path("tables").exists()
    assert "page.html" in said
    assert "page.md" in said
    assert "tables" not in said
    monkeypatch.setattr(reporting, "write_html", stop)
    code, _, said = inside("report", "run", "--out", "other.html")
    assert (code, "page" in said, Path("other.html").exists()) == (130, False, False)
    assert said.startswith("Interrupted: no output file")
    assert said.count("\n") == 1


@pytest.mark.slow
def test_signals_at_random_moments(tmp_path: Path) -> None:
    """A small part of what `make signals` does."""
    names = ("predict default", "predict python", "predict http", "generate", "report")
    stoppers = stop_all(names, 10, 0, tmp_path)
    stops = [stop for stopper in stoppers for stop in stopper.stops]
    assert len(stops) == 10
    late = [fault for stop in stops for fault in stop.faults if fault.startswith("took ")]
    assert [fault for stop in stops for fault in stop.faults if fault not in late] == []
    assert [fault for stopper in stoppers for fault in stopper.faults] == []
    assert len(late) <= 1, "a busy machine may delay one of them"
