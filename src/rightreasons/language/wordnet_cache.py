"""The index of WordNet in the user's cache folder: made once, checked whenever it is read."""

from __future__ import annotations

import zlib
from contextlib import suppress
from typing import TYPE_CHECKING

from rightreasons.caches import cache_folder
from rightreasons.errors import OutputError
from rightreasons.language.wordnet_files import FORMAT, compiled, fingerprint
from rightreasons.outputs import replacing

if TYPE_CHECKING:
    from pathlib import Path

_TITLE = f"rightreasons wordnet index {FORMAT}"


def index_text(folder: Path) -> str:
    """Give the index of the dict files in a folder: from the cache, or made and put there."""
    path = cache_folder("wordnet") / f"{fingerprint(folder)}.index"
    cached = _read(path)
    if cached is not None:
        return cached
    text = compiled(folder)
    # A cache that can't be written costs time at every start, and nothing else.
    with suppress(OSError, OutputError):
        _write(path, text)
    return text


def _read(path: Path) -> str | None:
    """Read a cached index; one that is missing, damaged or of another format is none."""
    try:
        head, _, body = path.read_bytes().partition(b"\n")
        return body.decode("utf-8") if head == _head(body) else None
    except (OSError, UnicodeDecodeError):
        return None


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    body = text.encode("utf-8")
    with replacing(path, force=True, internal=True) as part:
        part.write_bytes(_head(body) + b"\n" + body)


def _head(body: bytes) -> bytes:
    return f"{_TITLE} {zlib.crc32(body):08x}".encode()
