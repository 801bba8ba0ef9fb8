"""What the tests of the command line share: running it, and holding it to its promises on bad input."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from click.testing import CliRunner

from rightreasons.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable

COMMAND = [sys.executable, "-m", "rightreasons"]
Outcome = tuple[int, str, str]


def inside(*words: object) -> Outcome:
    """Run a command in this process: exit code, stdout, stderr."""
    done = CliRunner().invoke(main, [str(word) for word in words])
    return done.exit_code, done.stdout, done.stderr


def child(*words: object) -> Outcome:
    """Run a command in a process of its own."""
    done = subprocess.run([*COMMAND, *map(str, words)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def everything_in(folder: Path) -> dict[str, bytes | None]:
    """Take stock of a folder: every path below it, hidden ones too, and what the files hold."""
    found: dict[str, bytes | None] = {}
    for parent, folders, files in os.walk(folder):
        found |= {str(Path(parent, name)): None for name in folders}
        found |= {str(Path(parent, name)): Path(parent, name).read_bytes() for name in files}
    return found


def refused(run: Callable[..., Outcome], *words: object) -> str:
    """Run a command that must fail as promised, and return the one line that it says.

    That is: exit code 2, one line of error, no traceback, nothing on stdout, nothing written.
    """
    assert not Path("pyproject.toml").exists(), (
        "change to a folder of the test first: others write to this one"
    )
    before = everything_in(Path.cwd())
    code, out, said = run(*words)
    assert code == 2, (words, code, out[:200], said)
    assert out == ""
    *usage, line = said.splitlines()
    assert line.startswith("Error: "), said
    assert not usage or usage[0].startswith("Usage: "), said
    assert "Traceback" not in said
    assert everything_in(Path.cwd()) == before
    return line
