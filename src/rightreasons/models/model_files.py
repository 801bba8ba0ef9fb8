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

# No library reads these for a prediction: notes, what version control and downloads keep, what training wrote besides.
IGNORED_FILES = (
    "README.md",
    "LICENSE",
    ".gitattributes",
    ".gitignore",
    "training.json",
    "train_log.csv",
    "train_log.svg",
)
_ANY = "*"  # stands for a file of a folder
IGNORED_FOLDERS = re.compile(r"\.git|\.cache|__pycache__|checkpoint-\d+")


def digest_of(path: Path) -> str:
    """Compute the sha256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_folder(folder: Path, *, graph: Path | None = None, everything: bool = False) -> dict[str, str]:
    """Compute the digests of all files of a folder and below it, apart from those that can't matter.

    Args:
        folder: the model folder.
        graph: an ONNX graph in it. What the graph mentions by name counts, whatever it is called: it may be weights.
        everything: leave nothing out, since code of the folder may read any of it.
    """
    try:
        with _Mentions(graph) as mentions:
            found = _walk(folder, lambda path: everything or not _is_ignored(path, folder, mentions))
        return {
            name: entry if isinstance(entry, str) else digest_of(entry)
            for name, entry in sorted(found.items())
        }
    except OSError as error:
        raise InputError(
            f"A file of the model folder {folder} can't be read: {error}. Make all of them readable."
        ) from error


def _walk(folder: Path, counts: Callable[[Path], bool]) -> dict[str, Path | str]:
    """List the regular files that count, each by its path below the folder; links are followed.

    A folder that is reached by several paths, through links, is walked once. Its other paths are listed with the
    first one: a graph may name its weights by any of them, and a link may be set to another folder. An ignored folder
    is not walked, so that its files count where a link leads to it under another name.
    """
    found: dict[str, Path | str] = {}
    entered: dict[str, str] = {}  # by real path, the first path that led there
    for place, folders, names in os.walk(folder, onerror=_fail, followlinks=True):
        here = Path(place).relative_to(folder).as_posix()
        first = entered.setdefault(os.path.realpath(place), here)
        if first != here:
            folders.clear()
            found[f"{here}/"] = f"the folder {first}"
            continue
        folders[:] = sorted(name for name in folders if counts(Path(place, name, _ANY)))
        paths = (Path(place, name) for name in names)
        found |= {
            path.relative_to(folder).as_posix(): path for path in paths if path.is_file() and counts(path)
        }
    return found


def _fail(error: OSError) -> None:
    raise error


def _is_ignored(path: Path, folder: Path, mentions: _Mentions) -> bool:
    *folders, name = path.relative_to(folder).parts
    ignored = [*filter(IGNORED_FOLDERS.fullmatch, folders), *([name] if name in IGNORED_FILES else [])]
    return bool(ignored) and not any(map(mentions.__contains__, ignored))


class _Mentions:
    """Tells whether a graph mentions a name: its own path does, or its bytes, which name files of weights."""

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
