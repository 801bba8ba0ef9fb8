"""Inputs that can't be read as they are: pipes are copied to a temporary file, .gz and .zip files are unpacked."""

from __future__ import annotations

import atexit
import gzip
import io
import os
import re
import shutil
import stat
import sys
import zipfile
import zlib
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from rightreasons.core.errors import InputError
from rightreasons.io.temporary_folders import create_temporary_folder, remove_hidden_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"
COMPRESSED_EXTENSIONS = (".gz", ".zip")
UNPACK_LIMIT_VARIABLE = "RIGHTREASONS_MAX_UNPACKED"
DEFAULT_UNPACK_LIMIT = 1 << 30  # SNLI, the largest of the known corpora, has half of that
# NotImplementedError comes from a kind of compression that the zipfile module doesn't know.
UNPACK_ERRORS = (OSError, EOFError, zlib.error, zipfile.BadZipFile, ValueError, NotImplementedError)
_NUMBER_PATTERN = re.compile(r"(?=.{1,24}$)[0-9]+(?:_[0-9]+)*")
_CHUNK_BYTES = 1 << 20
_ENCRYPTED_FLAG = 1  # the bit among the flags of a member
# The copies of pipes by their paths, each in a folder of its own.
_SPOOLED_COPIES: dict[Path, Path] = {}


def is_pipe(path: Path) -> bool:
    """Return whether a path is a pipe or a device, whose content is gone once it is read."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)


def spool_pipe(path: Path) -> Path:
    """Return a path that can be read repeatedly: a new copy of a pipe, any other file as it is."""
    if not is_pipe(path):
        return path
    folder = ExitStack()
    copy = folder.enter_context(create_temporary_folder()) / "copy"
    atexit.register(folder.close)  # it stays for later readers
    with path.open("rb") as source, copy.open("wb") as sink:
        shutil.copyfileobj(source, sink)
    if path in _SPOOLED_COPIES:
        remove_hidden_folder(_SPOOLED_COPIES[path].parent)
    _SPOOLED_COPIES[path] = copy
    return copy


def get_spooled_path(path: Path) -> Path:
    """Return the copy of a pipe that was made before, any other file as it is."""
    if path in _SPOOLED_COPIES and is_pipe(path):
        return _SPOOLED_COPIES[path]
    return spool_pipe(path)


class _NoInput(io.StringIO):
    """An empty standard input."""


@contextmanager
def provide_empty_stdin() -> Iterator[None]:
    """Give a library an empty standard input, so that a prompt of its own never reads piped data."""
    before = sys.stdin
    sys.stdin = _NoInput()
    try:
        yield
    finally:
        if not isinstance(before, _NoInput):
            sys.stdin = before


def strip_extensions(path: Path) -> str:
    """Return the name of a file without its extensions."""
    return Path(path.stem).stem if path.suffix.lower() in COMPRESSED_EXTENSIONS else path.stem


@contextmanager
def unpack_file(path: Path) -> Iterator[Path]:
    """Yield an unpacked copy of a compressed file, any other file as it is."""
    kind = _detect_compression(path)
    if kind is None:
        yield path
        return
    with create_temporary_folder() as folder:
        plain = Path(folder, (strip_extensions(path) + Path(path.stem).suffix) or "plain")
        try:
            _unzip(path, plain) if kind == ZIP else _gunzip(path, plain)
        except UNPACK_ERRORS as error:
            raise InputError(
                f"{path} is truncated or damaged ({error}). Download or compress it again."
            ) from error
        yield plain


@contextmanager
def rename_in_errors(path: Path, plain: Path) -> Iterator[None]:
    """Have errors name the file that the user gave, not its unpacked copy."""
    try:
        yield
    except InputError as error:
        if path == plain:
            raise
        raise InputError(str(error).replace(str(plain), str(path))) from error


def get_unpack_limit() -> int:
    """Return how many bytes a compressed file may unpack to."""
    limit = os.environ.get(UNPACK_LIMIT_VARIABLE)
    if not limit:
        return DEFAULT_UNPACK_LIMIT
    # What int() refuses must not pass: its ValueError would be taken for a damaged file.
    if not _NUMBER_PATTERN.fullmatch(limit):
        raise InputError(
            f"{UNPACK_LIMIT_VARIABLE} is {limit!r:.60}, not a whole number. "
            "Set it to a number of bytes, such as 4_000_000_000."
        )
    return int(limit)


def copy_limited(source: IO[bytes] | gzip.GzipFile, target: IO[bytes], limit: int, path: Path) -> None:
    """Copy piece by piece; raise InputError as soon as there are more bytes than the limit."""
    copied = 0
    while piece := source.read(_CHUNK_BYTES):
        copied += len(piece)
        if copied > limit:
            raise _build_unpack_limit_error(path, limit)
        target.write(piece)


def _build_unpack_limit_error(path: Path, limit: int) -> InputError:
    return InputError(
        f"{path} unpacks to more than {limit:,} bytes. "
        f"Unpack it yourself, or set {UNPACK_LIMIT_VARIABLE} to a larger number of bytes."
    )


def check_unpacked_array_size(path: Path) -> None:
    """Refuse compressed arrays (.npz) that unpack to more than the limit; uncompressed ones may be large."""
    limit = get_unpack_limit()
    with zipfile.ZipFile(path) as archive:
        held = sum(member.file_size for member in archive.infolist())
    if held > limit and held > 2 * path.stat().st_size:
        raise _build_unpack_limit_error(path, limit)


def _detect_compression(path: Path) -> bytes | None:
    if not path.is_file():
        return None  # a pipe is read once, and later
    with path.open("rb") as file:
        head = file.read(4)
    return next((kind for kind in (GZIP, ZIP) if head.startswith(kind)), None)


def _gunzip(path: Path, plain: Path) -> None:
    with gzip.open(path, "rb") as source, plain.open("wb") as target:
        copy_limited(source, target, get_unpack_limit(), path)


def _unzip(path: Path, plain: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        files = [member for member in archive.infolist() if not member.is_dir()]
        if len(files) != 1:
            raise InputError(f"{path} contains {len(files)} files. Unpack it and pass the file to read.")
        if files[0].flag_bits & _ENCRYPTED_FLAG:
            raise InputError(f"{path} is encrypted. Unpack it with its password and pass the unpacked file.")
        with archive.open(files[0]) as source, plain.open("wb") as target:
            copy_limited(source, target, get_unpack_limit(), path)
