"""One process at a time: advisory locks, which the system releases even when their holder is killed."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rightreasons.core.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class BusyError(OutputError):
    """Another process, or another part of this one, holds the lock."""


@contextmanager
def locked(path: Path, *, remove: bool = False) -> Iterator[None]:
    """Hold the lock on a file, which is made if need be; where another holds it, raise BusyError at once.

    With `remove` the file is deleted at the end. That is safe: whoever opened it in the meantime tries again.
    """
    handle = _taken(path)
    try:
        yield
    finally:
        if remove:
            path.unlink(missing_ok=True)
        os.close(handle)  # which lets go of the lock


def try_lock(path: Path) -> int | None:
    """Lock a file or folder that exists and give its handle; None where the system has no lock for it.

    Where another holds the lock, or the path is gone, raise BusyError.
    """
    try:
        handle = os.open(path, os.O_RDONLY | _ITSELF)
    except FileNotFoundError as error:
        raise BusyError(f"{path} is gone. Run the same command again.") from error
    except OSError:  # Windows can't open folders
        return None
    try:
        _lock(handle)
        gone = not _is_still(path, handle)
    except OSError as error:
        os.close(handle)
        if error.errno in _HELD:
            raise BusyError(f"{path} is in use by another process. Wait for its end, or stop it.") from error
        return None
    if gone:
        os.close(handle)
        raise BusyError(f"{path} is gone. Run the same command again.")
    return handle


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
            if error.errno not in _HELD:
                raise OutputError(
                    f"The lock {path} can't be taken: {error.strerror}. Name an output on another disk."
                ) from error
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


# Not what a link points to, and without waiting for the writer of a pipe: in a shared folder others may place these.
_ITSELF = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_HELD = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK)  # what a lock that is held says

if sys.platform == "win32":  # pragma: no cover - the other systems have fcntl
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
