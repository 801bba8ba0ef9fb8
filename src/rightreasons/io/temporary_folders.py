"""Temporary files and folders that never outlive their process for long.

Each is a hidden folder next to its target, locked while it is used. A normal end and an interrupt remove it. After a
kill the system releases the lock, so the next process that writes the same target knows that nobody uses the folder,
and removes it.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
import socket
import tempfile
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from rightreasons.io.interrupts import record_output
from rightreasons.io.locks import BusyError, try_lock

if TYPE_CHECKING:
    from collections.abc import Iterator

PART_ENDING = "part"  # the ending of what is being written
OLD_ENDING = "old"  # the ending of what is being replaced
_NAME_LENGTH = 40  # of the target's name, of which file systems allow no more than 255 bytes
_HASH_LENGTH = 4
_TEMPORARY_NAME, _PRIVATE_MODE = "rightreasons", 0o700
_HIDDEN_PATTERN = re.compile(
    r"\.(?P<host>[0-9a-f]{4})(?P<target>[0-9a-f]{4})[0-9a-f]{8}\.(?P<ending>part|old)"
)
_OLDER_PATTERN = re.compile(r"\.[0-9a-f]{8}\.(part|old)")  # as versions before 0.6 named them, without a lock
# Of another machine, or without a lock, nobody can tell whether it is used. No run writes nothing for that long.
_ABANDONED_SECONDS = 24 * 3600.0

_IN_USE: dict[Path, int | None] = {}  # what this process uses now, each with the handle that holds its lock
_RENAME_LOCK = threading.Lock()


@contextmanager
def create_hidden_folder(target: Path, mode: int = 0o777) -> Iterator[Path]:
    """Create a hidden folder next to a target; it is removed at the end, unless it was renamed."""
    remove_leftovers(target)
    path = _create_locked_folder(target, mode)
    try:
        yield path
    finally:
        remove_hidden_folder(path)


@contextmanager
def create_temporary_folder() -> Iterator[Path]:
    """Create a folder for temporary files, which nobody else may read."""
    with create_hidden_folder(Path(tempfile.gettempdir(), _TEMPORARY_NAME), _PRIVATE_MODE) as path:
        yield path


def remove_hidden_folder(path: Path) -> None:
    """Remove a hidden folder of this process, and release its lock."""
    _delete_path(path)
    handle = _IN_USE.pop(path, None)
    if handle is not None:
        os.close(handle)


@contextmanager
def hold_rename_lock(target: Path, part: Path, *, internal: bool = False) -> Iterator[None]:
    """Rename a part to its target in this block: no thread removes it at the same time."""
    with _RENAME_LOCK:
        if not internal:
            record_output(target, part)
        yield


@contextmanager
def move_aside(target: Path) -> Iterator[None]:
    """Rename a folder to a hidden name for the block; it comes back if the block fails, and is removed if not."""
    old, handle = make_hidden_path(target, OLD_ENDING), None
    with suppress(BusyError):
        handle = try_lock(target)
    try:
        target.rename(old)
        yield
    except BaseException:
        if old.exists() and not target.exists():
            old.rename(target)
        if handle is not None:
            os.close(handle)
        raise
    _IN_USE[old] = handle
    remove_hidden_folder(old)


def remove_all_hidden_folders(seconds: float = 0.3) -> None:
    """Remove all that this process still uses, as the last thing before it ends; a rename under way ends first."""
    # Not released: no other thread may rename anything from here on.
    _RENAME_LOCK.acquire(timeout=seconds)
    for _ in range(2):  # another thread may still be writing into a folder
        for path in list(_IN_USE):
            _delete_path(path)


def remove_leftovers(target: Path) -> None:
    """Remove what killed processes left next to a target, and restore the target if a kill hit its replacement."""
    start = f".{target.name[:_NAME_LENGTH]}"
    with suppress(OSError):
        leftovers = [path for path in target.parent.iterdir() if path.name.startswith(start)]
        for path in leftovers:
            _remove_or_restore_leftover(target, path, path.name[len(start) :])


def make_hidden_path(target: Path, ending: str) -> Path:
    """Name a hidden, unique neighbour of the target, so that the last rename stays on one disk."""
    token = _hash_name(socket.gethostname()) + _hash_name(target.name) + secrets.token_hex(4)
    return target.with_name(f".{target.name[:_NAME_LENGTH]}.{token}.{ending}")


def is_hidden_path(path: Path, target: Path) -> bool:
    """Return whether a path is a hidden neighbour of the target."""
    start = f".{target.name[:_NAME_LENGTH]}"
    return (
        path.parent == target.parent
        and path.name.startswith(start)
        and _HIDDEN_PATTERN.fullmatch(path.name[len(start) :]) is not None
    )


def _create_locked_folder(target: Path, mode: int) -> Path:
    """Make a hidden folder and lock it; where another process took it for a leftover in between, make another."""
    while True:
        path = make_hidden_path(target, PART_ENDING)
        path.mkdir(mode)
        _IN_USE[path] = None
        try:
            _IN_USE[path] = try_lock(path)
        except BusyError:
            del _IN_USE[path]
            continue
        except BaseException:
            remove_hidden_folder(path)
            raise
        return path


def _remove_or_restore_leftover(target: Path, path: Path, rest: str) -> None:
    """Remove or restore one leftover, unless a process may be using it."""
    match = _HIDDEN_PATTERN.fullmatch(rest)
    if match is None:
        if _OLDER_PATTERN.fullmatch(rest) and _is_over_a_day_old(path):
            _delete_path(path)
        return
    if match["target"] != _hash_name(target.name):
        return  # of another target, whose long name begins alike
    handle = None
    try:
        handle = try_lock(path)
    except BusyError:
        return
    try:
        known = handle is not None and match["host"] == _hash_name(socket.gethostname())
        if not known and not _is_over_a_day_old(path):
            return
        if match["ending"] == OLD_ENDING and not target.exists():
            path.rename(target)
        else:
            _delete_path(path)
    finally:
        if handle is not None:
            os.close(handle)


def _is_over_a_day_old(path: Path) -> bool:
    try:
        return time.time() - path.lstat().st_mtime > _ABANDONED_SECONDS
    except OSError:
        return False


def _delete_path(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _hash_name(text: str) -> str:
    """Shorten a name to a few hex digits."""
    return hashlib.sha256(os.fsencode(text)).hexdigest()[:_HASH_LENGTH]
