"""Compressed files: one text in .gz, or one in .zip, unpacked for as long as it is read."""

from __future__ import annotations

import gzip
import shutil
import tempfile
import zipfile
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rightreasons.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"
ENDINGS = (".gz", ".zip")


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
    with tempfile.TemporaryDirectory(prefix="rightreasons-") as folder:
        plain = Path(folder, stem(path) + Path(path.stem).suffix)
        try:
            _unzip(path, plain) if kind == ZIP else _gunzip(path, plain)
        except (OSError, EOFError, zlib.error, zipfile.BadZipFile) as error:
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


def _kind(path: Path) -> bytes | None:
    if not path.is_file():
        return None  # a pipe is read once, and later
    with path.open("rb") as file:
        head = file.read(4)
    return next((kind for kind in (GZIP, ZIP) if head.startswith(kind)), None)


def _gunzip(path: Path, plain: Path) -> None:
    with gzip.open(path, "rb") as source, plain.open("wb") as target:
        shutil.copyfileobj(source, target)


def _unzip(path: Path, plain: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        files = [member for member in archive.infolist() if not member.is_dir()]
        if len(files) != 1:
            raise InputError(f"{path} holds {len(files)} files. Unpack it, and name the one to read.")
        with archive.open(files[0]) as source, plain.open("wb") as target:
            shutil.copyfileobj(source, target)
