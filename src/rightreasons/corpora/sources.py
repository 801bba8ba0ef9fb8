"""Where a corpus comes from: the pocket corpus, the Hugging Face hub, a file, or a file that was fetched."""

from __future__ import annotations

import hashlib
import re
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.column_checks import check_names, with_plain_types
from rightreasons.core.errors import InputError
from rightreasons.core.pairs import digest
from rightreasons.core.resources import DATA
from rightreasons.io import compression as packed
from rightreasons.io.spooling import drawn, kept
from rightreasons.io.tables import place, scan_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Names = str | PathLike[str] | Sequence[str | PathLike[str]]

POCKET = "pocket"
HUB = "hf:"
FOLDER = DATA / "pocket"
_NAMED = re.compile(r"([\w.-]+)=(.+)")


@dataclass(frozen=True)
class CorpusSource:
    """One corpus, ready to be read: its names, the digest of its content, and its file or its table."""

    name: str
    folder: str
    file: str
    digest: str
    path: Path
    given: pl.DataFrame | None = None

    @property
    def on_hub(self) -> bool:
        """Tell whether there is a table and no file."""
        return self.given is not None

    def table(self) -> pl.LazyFrame:
        """Give the table, as far as it must be read."""
        if self.given is None:
            return scan_table(self.path)
        check_names(str(self.path), self.given.columns)
        return with_plain_types(self.given.lazy())

    def where(self, row: int) -> str:
        """Name the place of a row, for an error message; below 0 it is the whole."""
        if row < 0:
            return str(self.path)
        return place(self.path, row) if self.given is None else f"{self.path}, row {row + 1}"


def listed(names: Names) -> list[str]:
    """List the names of corpora that were given, none of them twice."""
    several = [str(names)] if isinstance(names, str | PathLike) else [str(name) for name in names]
    if not several:
        raise InputError("No corpus was named. Give a file, hf:NAME or pocket.")
    twice = [name for number, name in enumerate(several) if name in several[:number]]
    if twice:
        raise InputError(f"The corpus {twice[0]} is named twice. Name it once.")
    return several


def own_name(text: str) -> tuple[str | None, str]:
    """Split what the user calls a corpus from where it lies, as in mnli=FILE; a file of that very name comes first."""
    found = None if Path(text).exists() else _NAMED.fullmatch(text)
    return (found[1], found[2]) if found else (None, text)


@contextmanager
def opened(text: str, pocket: str) -> Iterator[CorpusSource]:
    """Find a corpus by its name; `pocket` is the file that the name pocket stands for here."""
    called, name = own_name(text)
    with _found(name, pocket) as source:
        yield replace(source, name=called) if called else source


@contextmanager
def _found(name: str, pocket: str) -> Iterator[CorpusSource]:
    if name.startswith(HUB):
        yield _from_hub(name)
        return
    path = FOLDER / pocket if name == POCKET else _file(name)
    copy = _copy(path)
    seal = file_digest(copy)
    with packed.unpacked(copy) as plain, packed.named_after(path, plain):
        short = POCKET if name == POCKET else packed.stem(path)
        yield CorpusSource(short, path.resolve().parent.name, path.name, seal, plain)


def file_digest(path: Path) -> str:
    """Hash the content of a file."""
    try:
        with kept(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise _unreadable(path, error) from error


def _file(name: str) -> Path:
    """Find the file that a name stands for."""
    path = next((found for find in FINDERS if (found := find(name))), None)
    if path is None:
        known = f"{POCKET}, {HUB}NAME, or one that fetch brought, such as multinli/dev_matched"
        raise InputError(f"There is no corpus {name}. Give the path of a file, {known}.")
    if path.is_dir():
        raise InputError(
            f"{path} is a folder. Name a file in it, or write {HUB}{path} for a dataset in a folder."
        )
    return path


def _given(name: str) -> Path | None:
    """Take the name for a path."""
    return Path(name) if Path(name).exists() else None


def _fetched(name: str) -> Path | None:
    """Take the name for a corpus of a fetched archive, such as multinli/dev_matched."""
    from rightreasons.corpora.fetching import cached

    return cached(name)


# Each finds the file of a name, or nothing; the first that finds one decides.
FINDERS: tuple[Callable[[str], Path | None], ...] = (_given, _fetched)


def _copy(path: Path) -> Path:
    """Copy a pipe, which can be read but once; any other file stays where it is."""
    try:
        return drawn(path)
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> InputError:
    return InputError(f"{path} can't be read: {error.strerror}. Check the path.")


def _from_hub(name: str) -> CorpusSource:
    from rightreasons.corpora.hub import load

    folder, _, short = name.removeprefix(HUB).rstrip("/").rpartition("/")
    table = load(name.removeprefix(HUB))
    nested = [column for column, kind in table.schema.items() if kind.is_nested()]
    flat = table.with_columns(pl.struct(column).struct.json_encode().alias(column) for column in nested)
    return CorpusSource(short, Path(folder).name, name, digest([flat]), Path(name), table)
