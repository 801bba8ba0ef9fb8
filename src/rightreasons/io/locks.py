"""Advisory file locks: one process at a time. The system releases a lock even when its holder is killed."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rightreasons.core.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Never follow a symbolic link or wait for the writer of a pipe: in a shared folder, others may have put them there.
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class BusyError(OutputError):
    """Another process, or another part of this one, holds the lock."""


@contextmanager
def hold_lock(path: Path, *, remove: bool = False) -> Iterator[None]:
    """Hold the lock on a file, which is created if necessary; raise BusyError at once if it is held elsewhere.

    With `remove` the file is deleted at the end. That is safe: whoever opened it in the meantime tries again.
    """
    handle = _acquire_lock(path)
    try:
        yield
    finally:
        if remove:
            path.unlink(missing_ok=True)
        os.close(handle)  # which releases the lock


def try_lock(path: Path) -> int | None:
    """Lock an existing file or folder and return its handle, or None where the file system has no locks for it.

    Raise BusyError if the lock is held elsewhere or the path no longer exists.
    """
    try:
        handle = os.open(path, _OPEN_FLAGS)
    except FileNotFoundError as error:
        raise BusyError(f"{path} no longer exists. Run the same command again.") from error
    except OSError:  # Windows can't open folders
        return None
    try:
        locked = _try_lock_handle(handle)
    except OSError:
        os.close(handle)
        return None
    if not locked:
        os.close(handle)
        raise BusyError(f"{path} is in use by another process. Wait for it to finish, or stop it.")
    if not _is_same_file(path, handle):
        os.close(handle)
        raise BusyError(f"{path} no longer exists. Run the same command again.")
    return handle


def _acquire_lock(path: Path) -> int:
    """Open the file and lock it; if it was removed in between, try again with a new one."""
    while True:
        handle = _open_lock_file(path)
        try:
            locked = _try_lock_handle(handle)
        except OSError as error:
            os.close(handle)
            raise OutputError(
                f"Can't lock {path}: {error.strerror}. Choose an output on another disk."
            ) from error
        if not locked:
            os.close(handle)
            raise BusyError(
                f"{path} is in use: another process is running the same work. Wait for it to finish, or stop it."
            )
        if _is_same_file(path, handle):
            return handle
        os.close(handle)


def _open_lock_file(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except FileNotFoundError:
        raise  # the folder is gone, which callers handle
    except OSError as error:
        raise OutputError(
            f"Can't create the lock file {path}: {error.strerror}. "
            "Choose another output, or make its folder writable."
        ) from error


def _try_lock_handle(handle: int) -> bool:
    """Try once to lock an open file or folder; False if the lock is held elsewhere."""
    from filelock import lock_descriptor  # on first use, since most commands lock nothing

    return lock_descriptor(handle, blocking=False)


def _is_same_file(path: Path, handle: int) -> bool:
    """Return whether the path still names the file that was opened."""
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False
