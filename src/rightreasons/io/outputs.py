"""Outputs appear whole or not at all: they are built aside under a hidden name and renamed at the end."""

from __future__ import annotations

import errno
import os
import re
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from rightreasons.core.errors import OutputError
from rightreasons.io.temporary_folders import (
    PART_ENDING,
    create_hidden_folder,
    hold_rename_lock,
    is_hidden_path,
    make_hidden_path,
    move_aside,
    remove_leftovers,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_OS_ERROR = re.compile(r"\(os error (\d+)\)")
_ERROR_TEXTS = {
    errno.ENOSPC: ("there is no space left on the disk", "Free some space and run the command again."),
    errno.EDQUOT: ("the disk quota is used up", "Free some space and run the command again."),
    errno.EFBIG: (
        "the file grew larger than the system allows",
        "Raise the file size limit (see ulimit -f), or write a smaller file.",
    ),
    errno.EROFS: ("the disk is read-only", "Choose a writable location."),
    errno.EIO: ("the disk reports an error", "Choose a location on another disk."),
    errno.EACCES: ("permission is denied", "Choose a location that you can write to."),
    errno.EPERM: ("permission is denied", "Choose a location that you can write to."),
    errno.ENAMETOOLONG: ("its name is too long", "Choose a shorter name."),
    errno.ENOTEMPTY: ("it exists already", "Choose another path, or use --force to overwrite it."),
    errno.ENOENT: ("its folder doesn't accept new files", "Choose another path."),
}
# These can come from an input as well, so they count only where the output's own path is named.
_ANY_FILE_ERRORS = (errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.ENOTEMPTY, errno.ENOENT)


@contextmanager
def write_atomically(
    path: str | os.PathLike[str], *, force: bool = False, internal: bool = False
) -> Iterator[Path]:
    """Yield a hidden path to write to, which is renamed to `path` if the block succeeds.

    What is `internal`, such as a cache or a checkpoint, is not named to a person who interrupts the command.
    """
    _check_output_name(path)
    _remove_output_leftovers(path)
    target = check_output_path(path, force=force)
    with _explain_disk_errors(target), create_hidden_folder(target) as folder:
        part = folder / target.name
        part.touch(exist_ok=False)
        yield part
        _sync_path(part)
        check_output_path(target, force=force)
        with hold_rename_lock(target, part, internal=internal):
            part.replace(target)
        _sync_path(target.parent)


@contextmanager
def write_folder_atomically(
    path: str | os.PathLike[str], *, force: bool = False, marker: str | None = None, internal: bool = False
) -> Iterator[Path]:
    """Yield a hidden folder to fill, which is renamed to `path` if the block succeeds.

    With `force` and a `marker`, an old folder is replaced only if it is empty or holds a file of that name.
    """
    _check_output_name(path)
    _remove_output_leftovers(path)
    target = check_output_path(path, force=force, folder=True, marker=marker)
    with _explain_disk_errors(target), create_hidden_folder(target) as part:
        yield part
        _sync_tree(part)
        check_output_path(target, force=force, folder=True, marker=marker)
        with hold_rename_lock(target, part, internal=internal):
            _swap_folders(part, target)
        _sync_path(target.parent)


def check_writable(target: Path) -> None:
    """Check that the folder of an output is writable, before work that takes long."""
    part = make_hidden_path(target, PART_ENDING)
    try:
        part.mkdir()
        part.rmdir()
    except OSError as error:
        raise OutputError(
            f"Can't write to the folder {target.parent}: {error.strerror}. Choose another location."
        ) from error


def check_output_path(
    path: str | os.PathLike[str], *, force: bool = False, folder: bool = False, marker: str | None = None
) -> Path:
    """Return where an output will really land, or raise OutputError if nothing may be written there."""
    _check_output_name(path)
    try:
        target = Path(os.path.realpath(path))  # a link stays a link, and what it points to is replaced
        there, is_folder = target.exists(), target.is_dir()
    except OSError as error:
        raise _build_output_error(Path(path), error) from error
    if folder:
        _refuse_working_folder(path, target)
    elif there and not is_folder and not target.is_file():
        raise OutputError(
            f"{path} can't be written: it is a device or a pipe, not a file. Choose another path."
        )
    if not target.parent.is_dir():
        raise OutputError(f"There is no folder {target.parent} to write {target.name} into. Create it first.")
    if there and is_folder != folder:
        way = "a folder" if is_folder else "a file"
        raise OutputError(f"{path} can't be written: {way} of that name already exists. Choose another path.")
    if there and not force:
        raise OutputError(f"{path} exists already. Choose another path, or use --force to overwrite it.")
    if there and marker and any(target.iterdir()) and not (target / marker).exists():
        raise OutputError(
            f"{path} has no {marker}, so rightreasons did not create it. To replace it, delete it yourself."
        )
    return target


def _remove_output_leftovers(path: str | os.PathLike[str]) -> None:
    """Remove what killed commands left next to an output; the place itself is checked later."""
    with suppress(FileNotFoundError):  # the working folder may have been removed
        remove_leftovers(Path(os.path.realpath(path)))


def _check_output_name(path: str | os.PathLike[str]) -> None:
    """Refuse a name that can't be written down: tables, cards and messages are in UTF-8."""
    try:
        text = os.fspath(path)
        text.encode()
    except (TypeError, AttributeError, UnicodeEncodeError):
        raise OutputError(
            f"The output can't be called {path!r}: the name is not valid UTF-8. Choose another path."
        ) from None
    if "\0" in text:
        raise OutputError(
            f"The output can't be called {text!r}: the name contains a null character. Choose another path."
        )


def _refuse_working_folder(path: str | os.PathLike[str], target: Path) -> None:
    """Refuse to put a new folder in the place of the one that the command was started in, or one above it."""
    with suppress(FileNotFoundError):  # the working folder may have been removed
        if not Path.cwd().resolve().is_relative_to(target):
            return
        raise OutputError(
            f"{str(path)!r} can't be written: it is the working folder or a parent of it. Choose a new folder."
        )


def _swap_folders(part: Path, target: Path) -> None:
    """Rename the new folder onto the old one's name; the old one goes only when the new one is in place."""
    if not target.exists():
        part.rename(target)
        return
    with move_aside(target):
        part.rename(target)


def _sync_path(path: Path) -> None:
    """Wait until the disk has it, so that a crash can't leave a name without its content."""
    if path.is_dir() and os.name == "nt":
        return  # Windows can't open folders
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _sync_tree(folder: Path) -> None:
    """Wait until the disk has a folder and all that is in it."""
    for parent, _, files in os.walk(folder, topdown=False):
        for name in files:
            _sync_path(Path(parent, name))
        _sync_path(Path(parent))


@contextmanager
def _explain_disk_errors(target: Path) -> Iterator[None]:
    """Turn errors of the disk into an OutputError, and leave all others alone."""
    try:
        yield
    except _list_disk_errors() as error:
        number = _find_error_number(error)
        if number not in _ERROR_TEXTS or (number in _ANY_FILE_ERRORS and not _is_output_error(error, target)):
            raise
        raise _build_output_error(target, error) from error


def _list_disk_errors() -> tuple[type[Exception], ...]:
    """List the errors that a full disk may cause; polars is imported only if something failed."""
    from polars.exceptions import PolarsError

    return OSError, PolarsError


def _is_output_error(error: Exception, target: Path) -> bool:
    """Return whether the error is about the output, under its hidden name, and not about another file."""
    name = getattr(error, "filename", None)
    if name is None:
        return False
    path = Path(os.fsdecode(name))
    return any(is_hidden_path(candidate, target) for candidate in (path, *path.parents))


def _find_error_number(error: Exception) -> int | None:
    """Find the system's number of an error; polars has it in the message only."""
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno
    match = _OS_ERROR.search(str(error))
    return int(match[1]) if match else None


def _build_output_error(target: Path, error: Exception) -> OutputError:
    what, advice = _ERROR_TEXTS.get(_find_error_number(error) or 0, (str(error), "Choose another path."))
    return OutputError(f"{target} can't be written: {what}. {advice}")
