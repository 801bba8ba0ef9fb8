"""Unexpected errors: one sentence, a crash file without secrets, exit code 70, and never a traceback or a 1."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import polars as pl
import pytest
from click.testing import CliRunner

from command_line import everything_in, inside
from rightreasons.cli import main
from rightreasons.commands import crashes
from rightreasons.commands.output import ExitCode
from rightreasons.core.errors import escape_controls

ROOT = Path(__file__).parents[1]
# What a command may run into, as statements that are put in place of what it does.
RAISED = {
    "TypeError": "raise TypeError('odd')",
    "RecursionError": "f = lambda n: f(n + 1)\nf(0)",
    "MemoryError": "raise MemoryError",
    "PanicException": "import polars\nraise polars.exceptions.PanicException('Rust gave up')",
    "a library's exit": "raise SystemExit(1)",
    "a library's quiet exit": "raise SystemExit(0)",
    "an error of no file": "raise FileNotFoundError(2, 'No such file or directory')",
    "a socket": "raise ConnectionResetError(104, 'Connection reset by peer')",
    "an error that can't be shown": "class Odd(Exception):\n  def __str__(self): raise ValueError\nraise Odd",
}
SCRIPT = """
import sys
from rightreasons.commands import listing
def fail(*given, **more):
    {code}
listing.listing.callback = fail
from rightreasons.cli import main
main(prog_name="rightreasons")
"""


@pytest.fixture(autouse=True)
def folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("RIGHTREASONS_CACHE", str(tmp_path / "cache"))


def child(code: str, *words: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run `rightreasons list` in a process of its own, where the command does something else."""
    script = SCRIPT.format(code=code.replace("\n", "\n    "))
    return subprocess.run(
        [sys.executable, "-c", script, "list", *words],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | settings,
    )


def crash_files(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache" / crashes.CRASH_FOLDER).iterdir())


@pytest.mark.parametrize("name", RAISED)
def test_an_unexpected_error_is_one_sentence_a_file_and_70(name: str, tmp_path: Path) -> None:
    done = child(RAISED[name])
    assert done.returncode == ExitCode.UNEXPECTED == 70, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1
    if name != "an error that can't be shown":
        (file,) = crash_files(tmp_path)
        assert str(file) in done.stderr
        assert "Traceback" in file.read_text(encoding="utf-8")
        assert file.stat().st_mode & 0o077 == 0
    assert everything_in(Path.cwd()) == {}


def test_a_panic_of_polars_is_no_exception_and_handled_all_the_same() -> None:
    assert not issubclass(pl.exceptions.PanicException, Exception)


def test_the_crash_file_says_what_a_bug_report_needs(tmp_path: Path) -> None:
    assert child("raise TypeError('odd')", "sets").returncode == 70
    (file,) = crash_files(tmp_path)
    text = file.read_text(encoding="utf-8")
    for fact in (
        "rightreasons: ",
        "python: ",
        "platform: ",
        "command: rightreasons list sets",
        "TypeError: odd",
    ):
        assert fact in text


def test_secrets_are_removed_from_the_sentence_and_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "hush-hush-1")
    words = ["http://me:pass-word-2@host/?key=sesame-3", "Authorization: Bearer open-4", "hush-hush-1"]
    said = crashes.save_crash_report(TypeError(", ".join(words)), ["list", "-o", "api_key=five-5", *words])
    (file,) = crash_files(tmp_path)
    for text in (said, file.read_text(encoding="utf-8")):
        assert "TypeError" in text
        assert not re.findall("hush-hush-1|pass-word-2|sesame-3|open-4|five-5", text), text


@pytest.mark.parametrize(
    "text", ["max_tokens=16", "sorted(names, key=len)", "tokenizer: fast", "key_env=MY_KEY", "a@b.org"]
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert crashes.remove_secrets(text) == text


def test_without_a_cache_the_file_goes_to_the_temporary_folder(tmp_path: Path) -> None:
    (tmp_path / "a-file").touch()
    (tmp_path / "temporary").mkdir()
    done = child(
        "raise TypeError", RIGHTREASONS_CACHE=str(tmp_path / "a-file"), TMPDIR=str(tmp_path / "temporary")
    )
    assert done.returncode == 70
    (file,) = (tmp_path / "temporary").iterdir()
    assert str(file) in done.stderr
    assert everything_in(Path.cwd()) == {}


def test_without_any_folder_there_is_still_the_sentence(tmp_path: Path) -> None:
    (tmp_path / "a-file").touch()
    code = "import tempfile\ntempfile.tempdir = '.'\nraise TypeError('odd')"
    done = child(code, RIGHTREASONS_CACHE=str(tmp_path / "a-file"))
    assert done.returncode == 70
    assert "odd" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert everything_in(Path.cwd()) == {}


def test_a_disk_that_is_full_is_bad_output_and_no_crash() -> None:
    for code in ("raise OSError(28, 'No space left on device')", "open('nowhere/at/all')"):
        done = child(code)
        assert (done.returncode, done.stdout) == (2, "")
        assert len(done.stderr.splitlines()) == 1
    assert "nowhere/at/all" in done.stderr
    assert "output" not in done.stderr


def test_errors_of_threads_and_of_the_shutdown_show_no_traceback(tmp_path: Path) -> None:
    code = (
        "import atexit, threading\n"
        "def fall(): raise TypeError('too late')\n"
        "atexit.register(fall)\n"
        "thread = threading.Thread(target=fall)\n"
        "thread.start()\n"
        "thread.join()"
    )
    done = child(code)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == len(crash_files(tmp_path)) == 2


def test_an_abort_of_click_is_an_interrupt_and_not_a_missed_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> None:
        raise click.Abort

    monkeypatch.setattr("rightreasons.commands.listing.listing.callback", stop)
    assert CliRunner().invoke(main, ["list"]).exit_code == ExitCode.INTERRUPTED


def test_a_shell_completion_that_does_not_exist_is_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_RIGHTREASONS_COMPLETE", "bad")
    done = CliRunner().invoke(main, [], prog_name="rightreasons")
    assert done.exit_code == ExitCode.BAD_INPUT


@pytest.mark.parametrize("sign", ["\n", "\r", "\x1b[31m", "\u2028", "\x85"])
def test_names_in_messages_neither_break_lines_nor_control_the_terminal(sign: str, tmp_path: Path) -> None:
    code, _, said = inside("report", tmp_path / f"no{sign}where")
    assert (code, len(said.splitlines())) == (2, 1)
    assert sign not in said.removesuffix("\n")
    assert escape_controls(sign) in said
    code, _, said = inside("list", f"no{sign}thing")
    assert (code, said.splitlines()[-1].startswith("Error: ")) == (2, True)


@pytest.mark.parametrize("words", [("--help",), ("list", "--help"), ("--version",), ("list", "models")])
def test_a_pipe_that_is_closed_at_once_is_141(words: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "rightreasons", *words]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (ExitCode.PIPE_CLOSED, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_the_exit_code_stands_even_if_nothing_can_be_said() -> None:
    command = [sys.executable, "-m", "rightreasons", "list", "nothing"]
    with Path("/dev/full").open("w") as full:
        assert subprocess.run(command, stderr=full, check=False).returncode == 2
    assert subprocess.run([*command[:-1], "sets"], stderr=subprocess.PIPE, check=False).returncode == 0


def test_the_documentation_has_one_table_of_exit_codes() -> None:
    text = (ROOT / "docs" / "reference" / "security.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `?(\d+)`? \|", text, re.MULTILINE)
    assert [int(code) for code in rows] == [code.value for code in ExitCode]
