"""The files of a model folder that decide its predictions, each with its digest."""

from __future__ import annotations

import hashlib
import mmap
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Self

from rightreasons.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

# No library reads these for predictions: notes, files of version control and downloads, logs of training.
IGNORED_FILES = (
    "README.md",
    "LICENSE",
    ".gitattributes",
    ".gitignore",
    "training.json",
    "train_log.csv",
    "train_log.svg",
)
_ANY_FILE = "*"  # stands for a file of a folder
IGNORED_FOLDERS = re.compile(r"\.git|\.cache|__pycache__|checkpoint-\d+")


def digest_file(path: Path) -> str:
    """Compute the sha256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_folder(folder: Path, *, graph: Path | None = None, everything: bool = False) -> dict[str, str]:
    """Compute the digests of all files in a folder and its subfolders, except for files that never matter.

    Args:
        folder: the model folder.
        graph: an ONNX graph in it. Files that it mentions by name count under any name: they may be weights.
        everything: ignore no file, since code in the folder may read any of them.
    """
    try:
        with _GraphMentions(graph) as mentions:
            entries = _list_folder_files(
                folder, lambda path: everything or not _is_ignored_file(path, folder, mentions)
            )
        return {
            name: entry if isinstance(entry, str) else digest_file(entry)
            for name, entry in sorted(entries.items())
        }
    except OSError as error:
        raise InputError(
            f"A file of the model folder {folder} can't be read: {error}. Make all files of the folder readable."
        ) from error


def _list_folder_files(folder: Path, counts: Callable[[Path], bool]) -> dict[str, Path | str]:
    """Return the regular files that count, by their paths relative to the folder; links are followed.

    A folder that is reached by several paths, through links, is walked once. Its other paths are listed with the
    first one: a graph may name its weights by any of them, and a link may be set to another folder. An ignored folder
    is not walked, so that its files count where a link leads to it under another name.
    """
    entries: dict[str, Path | str] = {}
    entered: dict[str, str] = {}  # by real path, the first path that led there
    for place, folders, names in os.walk(folder, onerror=_raise_walk_error, followlinks=True):
        here = Path(place).relative_to(folder).as_posix()
        first = entered.setdefault(os.path.realpath(place), here)
        if first != here:
            folders.clear()
            entries[f"{here}/"] = f"the folder {first}"
            continue
        folders[:] = sorted(name for name in folders if counts(Path(place, name, _ANY_FILE)))
        paths = (Path(place, name) for name in names)
        entries |= {
            path.relative_to(folder).as_posix(): path for path in paths if path.is_file() and counts(path)
        }
    return entries


def _raise_walk_error(error: OSError) -> None:
    raise error


def _is_ignored_file(path: Path, folder: Path, mentions: _GraphMentions) -> bool:
    *folders, name = path.relative_to(folder).parts
    ignored = [*filter(IGNORED_FOLDERS.fullmatch, folders), *([name] if name in IGNORED_FILES else [])]
    return bool(ignored) and not any(map(mentions.__contains__, ignored))


class _GraphMentions:
    """The names that a graph mentions: in its own path, or in its bytes, which name files of weights."""

    def __init__(self, graph: Path | None) -> None:
        self.graph, self.known = graph, dict.fromkeys(graph.parts if graph else (), True)
        self.content: mmap.mmap | bytes = b""

    def __enter__(self) -> Self:
        if self.graph is not None and self.graph.stat().st_size:
            with self.graph.open("rb") as file:
                self.content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return self

    def __exit__(self, *_: object) -> None:
        if isinstance(self.content, mmap.mmap):
            self.content.close()

    def __contains__(self, name: str) -> bool:
        if name not in self.known:
            self.known[name] = self.content.find(name.encode()) >= 0
        return self.known[name]
