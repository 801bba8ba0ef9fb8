"""Inputs that can be read but once, such as a pipe: they are copied to a temporary file, and read from there."""

from __future__ import annotations

import atexit
import shutil
import stat
import tempfile
from pathlib import Path
from typing import IO

# The copies by the names they were given under; each is deleted when its file is closed.
_COPIES: dict[Path, IO[bytes]] = {}


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
    copy = tempfile.NamedTemporaryFile(prefix="rightreasons-")  # noqa: SIM115 - it stays for later readers
    with path.open("rb") as source:
        shutil.copyfileobj(source, copy)
    copy.flush()
    if path in _COPIES:
        _COPIES[path].close()
    _COPIES[path] = copy
    atexit.register(copy.close)  # the collector doesn't reach everything at the end
    return Path(copy.name)


def kept(path: Path) -> Path:
    """Give the copy that was drawn from a pipe before, any other file as it is."""
    if path in _COPIES and is_pipe(path):
        return Path(_COPIES[path].name)
    return drawn(path)
