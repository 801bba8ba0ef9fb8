"""Inputs that can be read but once, such as a pipe: they are copied to a temporary file, and read from there."""

from __future__ import annotations

import atexit
import io
import shutil
import stat
import sys
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from rightreasons.io.leftovers import discard, temporary_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# The copies by the names they were given under, each in a folder of its own.
_COPIES: dict[Path, Path] = {}


def is_pipe(path: Path) -> bool:
    """Tell whether a path is a pipe or a device, whose content is gone once it is read."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)


def drawn(path: Path) -> Path:
    """Give a path that can be read again and again: a new copy of a pipe, any other file as it is."""
    if not is_pipe(path):
        return path
    folder = ExitStack()
    copy = folder.enter_context(temporary_folder()) / "copy"
    atexit.register(folder.close)  # it stays for later readers
    with path.open("rb") as source, copy.open("wb") as sink:
        shutil.copyfileobj(source, sink)
    if path in _COPIES:
        discard(_COPIES[path].parent)
    _COPIES[path] = copy
    return copy


def kept(path: Path) -> Path:
    """Give the copy that was drawn from a pipe before, any other file as it is."""
    if path in _COPIES and is_pipe(path):
        return _COPIES[path]
    return drawn(path)


class _NoInput(io.StringIO):
    """A standard input that has nothing to say."""


@contextmanager
def empty_stdin() -> Iterator[None]:
    """Give a library an empty standard input: a question that it asks there is never answered by piped data."""
    before = sys.stdin
    sys.stdin = _NoInput()
    try:
        yield
    finally:
        if not isinstance(before, _NoInput):
            sys.stdin = before
