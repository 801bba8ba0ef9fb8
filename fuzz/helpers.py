"""Parts of the tests that the suite uses too: the scripted server, and networks of a few weights."""

from __future__ import annotations

import importlib
import io
import sys
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parent.parent / "tests"


def import_from_tests(name: str) -> Any:
    """Import a module of the tests, which are no package."""
    for folder in (TESTS, TESTS / "models"):
        if str(folder) not in sys.path:
            sys.path.append(str(folder))
    return importlib.import_module(name)


def run_command(*words: str) -> None:
    """Run a command that must succeed, to make what cases share; what it says on stderr is dropped."""
    from rightreasons.cli import main

    with redirect_stderr(io.StringIO()):
        main(args=list(words), prog_name="rightreasons", standalone_mode=False)
