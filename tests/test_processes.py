"""The command as a process: what it loads, and what becomes of pipes, terminals, full disks and interrupts."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

import rightreasons
from command_line import COMMAND
from rightreasons.core import registry


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(registry.SETS, "tiny", "tiny_set:Tiny")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.jsonl"
    rightreasons.write_pairs(rightreasons.generate("tiny"), path)
    return path


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    path = tmp_path / "answers.csv"
    rightreasons.predict("rules:subsequence", rightreasons.generate("tiny")).write_csv(path)
    return path


def test_help_and_version_need_nothing_heavy() -> None:
    code = (
        "import sys\nfrom click.testing import CliRunner\nfrom rightreasons.cli import main\n"
        "for words in (['--help'], ['generate', '--help'], ['--version']):\n"
        "    assert CliRunner().invoke(main, words).exit_code == 0\n"
        "print(sorted({'polars', 'numpy', 'rich', 'importlib.metadata'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_closed_pipe_is_quiet(tmp_path: Path, unbuffered: str) -> None:
    rows = pl.DataFrame({"premise": ["a b"] * 50_000, "hypothesis": ["a"] * 50_000})
    rows.write_parquet(tmp_path / "many.parquet")
    with subprocess.Popen(
        [*COMMAND, "recognise", "many.parquet"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        stderr = process.stderr.read().decode()
    assert process.returncode == 141
    assert "Traceback" not in stderr
    assert "BrokenPipe" not in stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_stdout_is_an_error(pairs: Path, answers: Path) -> None:
    with Path("/dev/full").open("w") as full:
        words = [*COMMAND, "score", str(pairs), str(answers), "--json"]
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("Error: ")
    assert "Traceback" not in done.stderr


def test_a_closed_stdout_is_an_error(pairs: Path, answers: Path) -> None:
    words = ["sh", "-c", 'exec "$@" >&-', "sh", *COMMAND, "score", str(pairs), str(answers)]
    done = subprocess.run(words, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert re.match("Error: .*/dev/null", done.stderr)


def test_an_interrupt_leaves_nothing_and_exits_with_130(tmp_path: Path) -> None:
    slow = (
        "import time, sys\nfrom rightreasons.cli import main\n"
        "from rightreasons.models.baselines import Constant\n"
        "def wait(self, pairs):\n    print('ready', flush=True)\n    time.sleep(60)\n"
        "Constant.predict = wait\nmain(sys.argv[1:])"
    )
    rightreasons.write_pairs(rightreasons.generate("tiny"), tmp_path / "tiny.jsonl")
    before = set(tmp_path.iterdir())
    words = [sys.executable, "-c", slow, "evaluate", "constant", "--sets", "tiny.jsonl", "--out", "run"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.1)
        os.kill(process.pid, signal.SIGINT)
        stderr = process.stderr.read()
    assert process.returncode == 130
    assert "Traceback" not in stderr
    assert set(tmp_path.iterdir()) == before


def on_a_terminal(*words: object, width: int = 80) -> str:
    """Run a command whose stdout and stderr are one terminal, and return what it shows."""
    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm", "COLUMNS": str(width)}
    with subprocess.Popen([*COMMAND, *map(str, words)], stdout=theirs, stderr=theirs, env=env) as process:
        os.close(theirs)
        output = b""
        while True:
            try:
                output += os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
    os.close(ours)
    assert process.returncode == 0
    return output.decode().replace("\r\n", "\n")


def test_a_warning_shows_once_on_a_terminal(pairs: Path, answers: Path) -> None:
    rightreasons.predict("constant", rightreasons.generate("tiny")).write_csv(answers)
    output = on_a_terminal("score", pairs, answers)
    assert output.count("Warning: ") == 1
    assert "\x1b[" in output


def test_words_are_not_cut_where_a_table_is_wider_than_the_terminal(pairs: Path, answers: Path) -> None:
    output = on_a_terminal("score", pairs, answers, "--by", "heuristic,subcase,template", width=60)
    assert "sn_PP_on_subject" in output
    assert "lexical_overlap" in output


def test_plain_tables_have_no_colours_and_no_blanks_at_line_ends(pairs: Path, answers: Path) -> None:
    words = [*COMMAND, "score", str(pairs), str(answers), "--by", "heuristic"]
    output = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert "\x1b" not in output
    assert [line for line in output.splitlines() if line != line.rstrip()] == []
