"""The index of WordNet that the package ships: a zip file whose parts are unpacked when they are asked for.

Synsets are packed some thousands together: small enough that one is quick to reach, large enough to pack well.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, overload

from rightreasons.core.resources import DATA

if TYPE_CHECKING:
    from pathlib import Path

FILE = DATA / "language" / "wordnet.zip"
BLOCK = 8192  # synsets


class Index(NamedTuple):
    """What WordNet says, line by line: see wordnet_files."""

    synsets: Sequence[str]
    lemmas: Sequence[str]  # sorted
    irregular: Sequence[str]


class _Blocks(Sequence[str]):
    """The lines of all synsets; a block of them is unpacked once, when one of its lines is asked for."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._size = int(archive.read("size"))
        self._blocks: dict[int, list[str]] = {}

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice):
            return [self[row] for row in range(*at.indices(self._size))]
        number, row = divmod(range(self._size)[at], BLOCK)
        block = self._blocks.get(number)
        if block is None:
            block = self._blocks[number] = _lines(self._archive, _name(number))
        return block[row]


def shipped() -> Index:
    """Open the index inside the package."""
    # From memory: no file stays open, and processes that fork share no place in one.
    archive = zipfile.ZipFile(io.BytesIO(FILE.read_bytes()))
    return Index(_Blocks(archive), _lines(archive, "lemmas"), _lines(archive, "irregular"))


def pack(index: Index, path: Path) -> None:
    """Write an index to a file; the same index gives the same bytes."""
    synsets = index.synsets
    blocks = [synsets[start : start + BLOCK] for start in range(0, len(synsets), BLOCK)]
    parts = {"size": [str(len(synsets))], "lemmas": index.lemmas, "irregular": index.irregular}
    parts |= {_name(number): block for number, block in enumerate(blocks)}
    with zipfile.ZipFile(path, "w") as archive:
        for name, lines in parts.items():
            # A name alone has the time 1980-01-01, not that of writing.
            archive.writestr(zipfile.ZipInfo(name), "\n".join(lines), zipfile.ZIP_LZMA)


def _name(number: int) -> str:
    return f"synsets/{number:02}"


def _lines(archive: zipfile.ZipFile, name: str) -> list[str]:
    return archive.read(name).decode("utf-8").split("\n")
