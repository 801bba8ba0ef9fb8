"""Run one case in this process as a child process would run, and judge what came of it."""

from __future__ import annotations

import fnmatch
import io
import os
import re
import shlex
import shutil
import sys
import tempfile
import time
import traceback
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fuzz import cases
from fuzz.cases import Case, Outcome, Result, WrongResultError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

SECONDS = 20.0
GATE_MISSED, BAD_INPUT = 1, 2
_LONGEST = 20_000  # characters of what a case printed that are kept
# Variables of the person's own environment that would change what a case does.
_UNSET = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "OPENAI_API_KEY", "OPENAI_BASE_URL")

Stock = dict[str, bytes | None]


def run_case(area: str, number: int, case: Case, folder: Path, most: float = SECONDS) -> Result:
    """Run a case in a new folder and judge it; the folder stays, for whoever wants to look."""
    work = folder / "work"
    work.mkdir(parents=True)
    with working_in(work, {**case.environment, "TMPDIR": str(_made(folder / "tmp"))}):
        _lay_out(case)
        before = take_stock(work)
        started = time.perf_counter()
        outcome = run_captured(_runner(case), folder)
        seconds = time.perf_counter() - started
        kind, detail, compared = judge(case, outcome, before, work)
    if seconds > most and kind not in cases.FAILURES:
        kind, detail = cases.HANG, f"took {seconds:.1f} s"
    command = shlex.join(("rightreasons", *case.words)) if case.words else "(called directly)"
    return Result(area, number, kind, case.about, command, detail, seconds, compared)


def judge(case: Case, outcome: Outcome, before: Stock, work: Path) -> tuple[str, str, bool]:
    """Name the kind of an outcome, with what is the matter and whether an oracle has spoken."""
    if outcome.trace or outcome.code not in _allowed(case):
        said = "\n".join((outcome.trace, outcome.err, _crash_file(outcome.err)))[-_LONGEST:]
        kind = cases.MEMORY if "MemoryError" in said else cases.TRACEBACK
        return kind, f"exit code {outcome.code}\n{said}", False
    if outcome.code == BAD_INPUT:
        return _judge_refusal(case, outcome, before, work)
    return _judge_success(case, outcome, before, work)


def _crash_file(said: str) -> str:
    """Read the file with the details of an unexpected error, where the message names one."""
    found = re.search(r"Attach (.+) to a bug report\.$", said.strip())
    path = Path(found[1]) if found else None
    return path.read_text(encoding="utf-8") if path is not None and path.is_file() else ""


def _allowed(case: Case) -> tuple[int, ...]:
    return (0, GATE_MISSED, BAD_INPUT) if case.gated else (0, BAD_INPUT)


def _judge_refusal(case: Case, outcome: Outcome, before: Stock, work: Path) -> tuple[str, str, bool]:
    """Hold a refusal to its promises: one line that says why, nothing on stdout, nothing written."""
    lines = outcome.err.splitlines()
    errors = [line for line in lines if line.startswith("Error:")]
    if len(errors) != 1 or lines[-1] != errors[0]:
        return cases.TRACEBACK, f"a refusal must end in one line 'Error: ...'\n{outcome.err}", False
    changed = [name for name in _changes(before, take_stock(work)) if not _is_kept(name, case)]
    if changed:
        return cases.LEFTOVER, f"after {errors[0]}\nchanged: {', '.join(changed)}", False
    if case.must_accept:
        return cases.WRONG, f"a good input was refused: {errors[0]}", True
    return cases.REFUSED, errors[0], False


def _judge_success(case: Case, outcome: Outcome, before: Stock, work: Path) -> tuple[str, str, bool]:
    """Hold a success to the oracle, and to leaving no hidden files."""
    if case.must_refuse:
        return cases.WRONG, f"accepted although {case.must_refuse}\n{outcome.err}", True
    try:
        compared = case.check is not None and case.check(outcome)
    except WrongResultError as error:
        return cases.WRONG, f"{error}\n{outcome.err}", True
    after = take_stock(work)
    hidden = [name for name in _changes(before, after) if _is_hidden(name) and not _is_kept(name, case)]
    if hidden:
        return cases.LEFTOVER, f"left behind: {', '.join(hidden)}", compared
    return cases.ACCEPTED, "", compared


def _is_hidden(name: str) -> bool:
    last = name.rsplit("/", 1)[-1]
    return last.startswith(".") or last.endswith((".part", ".unfinished", ".lock", ".old"))


def _is_kept(name: str, case: Case) -> bool:
    return name in case.words or any(fnmatch.fnmatch(name, pattern) for pattern in case.keeps)


def _changes(before: Stock, after: Stock) -> list[str]:
    return sorted(
        name for name in before.keys() | after.keys() if before.get(name, b"-") != after.get(name, b"-")
    )


def take_stock(folder: Path) -> Stock:
    """List every path below a folder, hidden ones too, with what the files hold."""
    found: Stock = {}
    for parent, folders, files in os.walk(os.fsencode(folder)):
        place = os.fsdecode(parent)
        shown = "" if place == str(folder) else f"{os.path.relpath(place, folder)}/"
        found |= {f"{shown}{os.fsdecode(name)}/": None for name in folders}
        found |= {f"{shown}{os.fsdecode(name)}": _content(os.path.join(parent, name)) for name in files}  # noqa: PTH118 - names may be no UTF-8
    return found


def _content(path: bytes) -> bytes:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - as above
            return file.read()
    except OSError as error:
        return str(error).encode()


def _lay_out(case: Case) -> None:
    for name, origin in case.copies.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if origin.is_dir() else shutil.copyfile)(origin, name)
    for name, content in case.files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(content)
    if case.prepare is not None:
        case.prepare()


def _runner(case: Case) -> Callable[[], Any]:
    if case.call is not None:
        return case.call

    from rightreasons.cli import main

    return lambda: main(args=list(case.words), prog_name="rightreasons")


def run_captured(action: Callable[[], Any], folder: Path) -> Outcome:
    """Run an action with standard output and error in files, what compiled libraries print there too."""
    code: int | None = 0
    trace = ""
    with _captured(folder / "stdout", folder / "stderr"):
        try:
            action()
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else None
        except BaseException:  # noqa: BLE001 - whatever comes through is what is looked for
            code, trace = None, traceback.format_exc()
    out, err = ((folder / name).read_bytes().decode(errors="replace") for name in ("stdout", "stderr"))
    return Outcome(code, out, err, trace)


@contextmanager
def _captured(out: Path, err: Path) -> Iterator[None]:
    """Point the three standard streams at files; whoever asks for a yes finds thousands of them."""
    answers = out.with_name("stdin")
    answers.write_bytes(b"y\n" * 2000)
    kept = [os.dup(number) for number in range(3)]
    before = sys.stdin, sys.stdout, sys.stderr
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    opened = [os.open(answers, os.O_RDONLY), os.open(out, flags), os.open(err, flags)]
    try:
        for number, file in enumerate(opened):
            os.dup2(file, number)
            os.close(file)
        sys.stdin = io.TextIOWrapper(io.FileIO(0, closefd=False), encoding="utf-8")
        sys.stdout = io.TextIOWrapper(io.FileIO(1, "w", closefd=False), encoding="utf-8", write_through=True)
        sys.stderr = io.TextIOWrapper(
            io.FileIO(2, "w", closefd=False), encoding="utf-8", errors="backslashreplace", write_through=True
        )
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        sys.stdin, sys.stdout, sys.stderr = before
        for number, file in enumerate(kept):
            os.dup2(file, number)
            os.close(file)


@contextmanager
def working_in(folder: Path, environment: Mapping[str, str]) -> Iterator[None]:
    """Work in a folder with an environment of its own, and put back both."""
    before, place = dict(os.environ), Path.cwd()
    for name in _UNSET:
        os.environ.pop(name, None)
        os.environ.pop(name.lower(), None)
    os.environ.update(environment)
    tempfile.tempdir = None  # found anew from TMPDIR
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(place)
        os.environ.clear()
        os.environ.update(before)
        tempfile.tempdir = None


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder
