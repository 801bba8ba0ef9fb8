"""Outputs appear whole or not at all: they are built aside under a hidden name and renamed at the end."""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from rightreasons.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator

_TROUBLE = {
    errno.ENOSPC: ("there is no space left on the disk", "Free some space and run it again."),
    errno.EDQUOT: ("the disk quota is used up", "Free some space and run it again."),
    errno.EFBIG: ("the file grew larger than the system allows", "Raise the limit or write less."),
    errno.EROFS: ("the disk is read-only", "Name a place that can be written."),
    errno.EIO: ("the disk reports an error", "Name a place on another disk."),
    errno.EACCES: ("permission is denied", "Name a place that you may write to."),
    errno.EPERM: ("permission is denied", "Name a place that you may write to."),
    errno.ENAMETOOLONG: ("its name is too long", "Name a shorter one."),
    errno.ENOTEMPTY: ("it exists already", "Name another path, or use --force to replace it."),
}
# These can come from an input as well, so they count only where the output's own path is named.
_OF_ANY_FILE = (errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.ENOTEMPTY)


@contextmanager
def replacing(path: str | os.PathLike[str], *, force: bool = False) -> Iterator[Path]:
    """Give a hidden path to write to, which takes the name `path` when the block ends well."""
    target = check_free(path, force=force)
    part = _aside(target, "part")
    with _told(target, part):
        try:
            part.touch(exist_ok=False)  # a place that can't be written is found before the work is done
            yield part
            _sync(part)
            check_free(target, force=force)
            part.replace(target)
            _sync(target.parent)
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)


@contextmanager
def replacing_folder(
    path: str | os.PathLike[str], *, force: bool = False, marker: str | None = None
) -> Iterator[Path]:
    """Give a hidden folder to fill, which takes the name `path` when the block ends well.

    With `force` and a `marker`, an old folder is replaced only if it is empty or holds a file of that name.
    """
    target = check_free(path, force=force, folder=True, marker=marker)
    part = _aside(target, "part")
    with _told(target, part):
        try:
            part.mkdir()
            yield part
            _sync_all(part)
            check_free(target, force=force, folder=True, marker=marker)
            _swap(part, target)
            _sync(target.parent)
        finally:
            shutil.rmtree(part, ignore_errors=True)


def check_place(target: Path) -> None:
    """Make sure that something can be written beside an output, before work that takes long."""
    part = _aside(target, "part")
    try:
        part.mkdir()
        part.rmdir()
    except OSError as error:
        raise OutputError(
            f"Nothing can be written in {target.parent}: {error.strerror}. Name another place."
        ) from error


def check_free(
    path: str | os.PathLike[str], *, force: bool = False, folder: bool = False, marker: str | None = None
) -> Path:
    """Return where an output will really land, or raise OutputError if nothing may be written there."""
    target = Path(os.path.realpath(path))  # a link stays a link, and what it points to is replaced
    try:
        there, is_folder = target.exists(), target.is_dir()
    except OSError as error:
        raise _output_error(Path(path), error) from error
    if not target.parent.is_dir():
        raise OutputError(f"There is no folder {target.parent} to write {target.name} into. Make it first.")
    if there and is_folder != folder:
        way = "a folder" if is_folder else "a file"
        raise OutputError(f"{path} can't be written: {way} of that name is in the way. Name another path.")
    if there and not force:
        raise OutputError(f"{path} exists already. Name another path, or use --force to replace it.")
    if there and marker and any(target.iterdir()) and not (target / marker).exists():
        raise OutputError(
            f"{path} has no {marker}, so it was not made here. Remove it yourself to replace it."
        )
    return target


def _aside(target: Path, ending: str) -> Path:
    """Name a hidden, unique neighbour of the target, so that the last rename stays on one disk."""
    return target.with_name(f".{target.name[:40]}.{secrets.token_hex(4)}.{ending}")


def _swap(part: Path, target: Path) -> None:
    """Rename the new folder onto the old one's name; the old one goes only when the new one is in place."""
    if not target.exists():
        part.rename(target)
        return
    old = _aside(target, "old")
    target.rename(old)
    try:
        part.rename(target)
    except BaseException:
        old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _sync(path: Path) -> None:
    """Wait until the disk has it, so that a crash can't leave a name without its content."""
    if path.is_dir() and os.name == "nt":
        return  # Windows can't open folders
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _sync_all(folder: Path) -> None:
    """Wait until the disk has a folder and all that is in it."""
    for parent, _, files in os.walk(folder, topdown=False):
        for name in files:
            _sync(Path(parent, name))
        _sync(Path(parent))


@contextmanager
def _told(target: Path, part: Path) -> Iterator[None]:
    """Turn errors of the disk into one clear sentence, and leave all others alone."""
    try:
        yield
    except _disk_errors() as error:
        number = _number(error)
        if number not in _TROUBLE or (number in _OF_ANY_FILE and not _names(error, part)):
            raise
        raise _output_error(target, error) from error


def _disk_errors() -> tuple[type[Exception], ...]:
    """List the errors that a full disk may come as; asked for only after something went wrong."""
    from polars.exceptions import PolarsError

    return OSError, PolarsError


def _names(error: Exception, part: Path) -> bool:
    """Tell whether the error is about the output, and not about some other file."""
    name = getattr(error, "filename", None)
    return name is not None and Path(os.fsdecode(name)).is_relative_to(part)


def _number(error: Exception) -> int | None:
    """Find the system's number of an error; polars has it in the message only."""
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno
    found = re.search(r"\(os error (\d+)\)", str(error))
    return int(found[1]) if found else None


def _output_error(target: Path, error: Exception) -> OutputError:
    what, advice = _TROUBLE.get(_number(error) or 0, (str(error), "Name another path."))
    return OutputError(f"{target} can't be written: {what}. {advice}")
