"""One process at a time: a lock on a file, which the system lets go of even when its holder is killed."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rightreasons.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class BusyError(OutputError):
    """Another process, or another part of this one, holds the lock."""


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock on a file, which is made if need be; where another holds it, raise BusyError at once."""
    handle = _taken(path)
    try:
        yield
    finally:
        os.close(handle)  # which lets go of the lock


def _taken(path: Path) -> int:
    """Open the file and lock it; where it was removed in between, try again with a new one."""
    while True:
        handle = _opened(path)
        try:
            _lock(handle)
            if _is_still(path, handle):
                return handle
        except OSError as error:
            os.close(handle)
            raise BusyError(
                f"{path} is in use: another process is at the same work. Wait for its end, or stop it."
            ) from error
        os.close(handle)


def _opened(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except FileNotFoundError:
        raise  # the folder is gone, which callers tell apart
    except OSError as error:
        raise OutputError(
            f"The lock {path} can't be made: {error.strerror}. Name another output, or make its folder writable."
        ) from error


def _is_still(path: Path, handle: int) -> bool:
    """Tell whether the path still names the file that was opened."""
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False


if sys.platform == "win32":  # pragma: no cover - the other systems have fcntl
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
