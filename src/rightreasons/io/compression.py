"""Compressed files: one text in .gz, or one in .zip, unpacked for as long as it is read, up to a limit."""

from __future__ import annotations

import gzip
import os
import re
import zipfile
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from rightreasons.core.errors import InputError
from rightreasons.io.leftovers import temporary_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"
ENDINGS = (".gz", ".zip")
VARIABLE = "RIGHTREASONS_MAX_UNPACKED"
MOST_BYTES = 1 << 30  # SNLI, the largest of the known corpora, has half of that
# NotImplementedError comes from a kind of compression that the zipfile module doesn't know.
BROKEN = (OSError, EOFError, zlib.error, zipfile.BadZipFile, ValueError, NotImplementedError)
_NUMBER = re.compile(r"(?=.{1,24}$)[0-9]+(?:_[0-9]+)*")
_PIECE = 1 << 20
_ENCRYPTED = 1  # the bit among the flags of a member


def stem(path: Path) -> str:
    """Give a file's name without its endings."""
    return Path(path.stem).stem if path.suffix.lower() in ENDINGS else path.stem


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """Give a plain copy of a compressed file, any other file as it is."""
    kind = _kind(path)
    if kind is None:
        yield path
        return
    with temporary_folder() as folder:
        plain = Path(folder, (stem(path) + Path(path.stem).suffix) or "plain")
        try:
            _unzip(path, plain) if kind == ZIP else _gunzip(path, plain)
        except BROKEN as error:
            raise InputError(f"{path} is truncated or damaged ({error}). Fetch or pack it again.") from error
        yield plain


@contextmanager
def named_after(path: Path, plain: Path) -> Iterator[None]:
    """Have errors name the file that was given, not its plain copy."""
    try:
        yield
    except InputError as error:
        if path == plain:
            raise
        raise InputError(str(error).replace(str(plain), str(path))) from error


def most_bytes() -> int:
    """Return how many bytes a compressed file may unpack to."""
    given = os.environ.get(VARIABLE)
    if not given:
        return MOST_BYTES
    # What int() refuses must not pass: its ValueError would be taken for a damaged file.
    if not _NUMBER.fullmatch(given):
        raise InputError(f"{VARIABLE} is {given!r:.60}. Set it to a number of bytes, such as 4_000_000_000.")
    return int(given)


def copy_at_most(source: IO[bytes] | gzip.GzipFile, target: IO[bytes], limit: int, path: Path) -> None:
    """Copy piece by piece, and stop as soon as there are more bytes than the limit allows."""
    copied = 0
    while piece := source.read(_PIECE):
        copied += len(piece)
        if copied > limit:
            raise too_large(path, limit)
        target.write(piece)


def too_large(path: Path, limit: int) -> InputError:
    """Say that a compressed file holds more than it may."""
    return InputError(
        f"{path} unpacks to more than {limit:,} bytes. "
        f"Unpack it yourself, or set {VARIABLE} to a larger number of bytes."
    )


def check_arrays(path: Path) -> None:
    """Refuse arrays (.npz) that compression hides the size of; those that are stored as they are may be large."""
    limit = most_bytes()
    with zipfile.ZipFile(path) as archive:
        held = sum(member.file_size for member in archive.infolist())
    if held > limit and held > 2 * path.stat().st_size:
        raise too_large(path, limit)


def _kind(path: Path) -> bytes | None:
    if not path.is_file():
        return None  # a pipe is read once, and later
    with path.open("rb") as file:
        head = file.read(4)
    return next((kind for kind in (GZIP, ZIP) if head.startswith(kind)), None)


def _gunzip(path: Path, plain: Path) -> None:
    with gzip.open(path, "rb") as source, plain.open("wb") as target:
        copy_at_most(source, target, most_bytes(), path)


def _unzip(path: Path, plain: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        files = [member for member in archive.infolist() if not member.is_dir()]
        if len(files) != 1:
            raise InputError(f"{path} holds {len(files)} files. Unpack it, and name the one to read.")
        if files[0].flag_bits & _ENCRYPTED:
            raise InputError(f"{path} is encrypted. Unpack it with its password, and name the file in it.")
        with archive.open(files[0]) as source, plain.open("wb") as target:
            copy_at_most(source, target, most_bytes(), path)
