"""Where a corpus comes from: the pocket corpus, the Hugging Face hub, a file, or an archive fetched into the cache."""

from __future__ import annotations

import hashlib
import re
import zipfile
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.column_checks import cast_to_plain_types, check_column_names
from rightreasons.core.errors import InputError
from rightreasons.core.pairs import compute_digest
from rightreasons.core.resources import DATA_FOLDER
from rightreasons.io.archives import ARCHIVES, find_archive, list_archive_corpora
from rightreasons.io.downloads import download_file
from rightreasons.io.environment import find_cache_folder
from rightreasons.io.inputs import (
    UNPACK_ERRORS,
    copy_limited,
    get_spooled_path,
    get_unpack_limit,
    rename_in_errors,
    spool_pipe,
    strip_extensions,
    unpack_file,
)
from rightreasons.io.outputs import write_atomically
from rightreasons.io.tables import format_row_location, scan_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Names = str | PathLike[str] | Sequence[str | PathLike[str]]
POCKET = "pocket"
HUB = "hf:"
FOLDER = DATA_FOLDER / "pocket"
_NAMED = re.compile(r"([\w.-]+)=(.+)")


def fetch_archive(name: str) -> dict[str, Path]:
    """Download an archive into the cache, and return where each of its corpora is."""
    wanted = find_archive(name)
    folder = find_cache_folder("corpora", name)
    folder.mkdir(parents=True, exist_ok=True)
    for file in wanted.downloads:
        download_file(file, folder / file.name)
    return {
        f"{name}/{part}": _find_or_unpack_member(folder, *place) for part, place in wanted.corpora.items()
    }


def find_cached_corpus(name: str) -> Path | None:
    """Find the file of a fetched corpus such as multinli/dev_matched; None if there is no such corpus."""
    if name not in list_archive_corpora():
        return None
    owner, _, part = name.partition("/")
    folder = find_cache_folder("corpora", owner)
    file, member = ARCHIVES[owner].corpora[part]
    if not (folder / file).is_file():
        raise InputError(f"The corpus {name} has not been fetched. Run: rightreasons fetch {owner}")
    return _find_or_unpack_member(folder, file, member)


def _find_or_unpack_member(folder: Path, file: str, member: str | None) -> Path:
    """Return the path of a corpus; a member of a zip archive is unpacked next to it, once."""
    if member is None:
        return folder / file
    target = folder / member.rpartition("/")[2]
    if not target.exists():
        try:
            with (
                zipfile.ZipFile(folder / file) as opened,
                opened.open(member) as source,
                write_atomically(
                    target, force=True, internal=True
                ) as part,  # another process may have been faster
                part.open("wb") as sink,
            ):
                copy_limited(source, sink, get_unpack_limit(), folder / file)
        except (*UNPACK_ERRORS, KeyError) as error:
            raise InputError(
                f"{folder / file} does not contain {member}. Remove it and fetch it again."
            ) from error
    return target


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
    def is_on_hub(self) -> bool:
        """Return whether there is a table and no file."""
        return self.given is not None

    def table(self) -> pl.LazyFrame:
        """Return the table, lazily."""
        if self.given is None:
            return scan_table(self.path)
        check_column_names(str(self.path), self.given.columns)
        return cast_to_plain_types(self.given.lazy())

    def describe_place(self, row: int) -> str:
        """Return the place of a row for an error message; a negative row means the whole source."""
        if row < 0:
            return str(self.path)
        return format_row_location(self.path, row) if self.given is None else f"{self.path}, row {row + 1}"


def list_corpus_names(names: Names) -> list[str]:
    """List the names of corpora that were given, none of them twice."""
    several = [str(names)] if isinstance(names, str | PathLike) else [str(name) for name in names]
    if not several:
        raise InputError("No corpus was given. Pass a file, hf:NAME or pocket.")
    twice = [name for number, name in enumerate(several) if name in several[:number]]
    if twice:
        raise InputError(f"The corpus {twice[0]} is given twice. Pass it once.")
    return several


def split_name_and_source(text: str) -> tuple[str | None, str]:
    """Split what the user calls a corpus from where it lies, as in mnli=FILE; a file of that very name comes first."""
    match = None if Path(text).exists() else _NAMED.fullmatch(text)
    return (match[1], match[2]) if match else (None, text)


@contextmanager
def open_source(text: str, pocket: str) -> Iterator[CorpusSource]:
    """Find a corpus by its name; `pocket` is the file that the name pocket stands for here."""
    called, name = split_name_and_source(text)
    with _locate_source(name, pocket) as source:
        yield replace(source, name=called) if called else source


@contextmanager
def _locate_source(name: str, pocket: str) -> Iterator[CorpusSource]:
    if name.startswith(HUB):
        yield _load_from_hub(name)
        return
    path = FOLDER / pocket if name == POCKET else _find_corpus_file(name)
    copy = _copy_pipe(path)
    seal = hash_file(copy)
    with unpack_file(copy) as plain, rename_in_errors(path, plain):
        short = POCKET if name == POCKET else strip_extensions(path)
        yield CorpusSource(short, path.resolve().parent.name, path.name, seal, plain)


def hash_file(path: Path) -> str:
    """Hash the content of a file."""
    try:
        with get_spooled_path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise _make_unreadable_error(path, error) from error


def _find_corpus_file(name: str) -> Path:
    """Find the file that a name stands for."""
    path = next((file for find in FINDERS if (file := find(name))), None)
    if path is None:
        known = f"{POCKET}, {HUB}NAME, or a fetched corpus such as multinli/dev_matched"
        raise InputError(f"Unknown corpus {name}. Pass the path of a file, {known}.")
    if path.is_dir():
        raise InputError(
            f"{path} is a folder. Pass a file in it, or use {HUB}{path} for a dataset in a folder."
        )
    return path


def _find_existing_path(name: str) -> Path | None:
    """Interpret the name as a path."""
    return Path(name) if Path(name).exists() else None


def _find_fetched(name: str) -> Path | None:
    """Interpret the name as a corpus of a fetched archive, such as multinli/dev_matched."""
    return find_cached_corpus(name)


# Each finds the file of a name, or nothing; the first that finds one decides.
FINDERS: tuple[Callable[[str], Path | None], ...] = (_find_existing_path, _find_fetched)


def _copy_pipe(path: Path) -> Path:
    """Copy a pipe, which can be read but once; any other file stays where it is."""
    try:
        return spool_pipe(path)
    except OSError as error:
        raise _make_unreadable_error(path, error) from error


def _make_unreadable_error(path: Path, error: OSError) -> InputError:
    return InputError(f"{path} can't be read: {error.strerror}. Check the path.")


def _load_from_hub(name: str) -> CorpusSource:
    from rightreasons.corpora.hub import load_dataset

    folder, _, short = name.removeprefix(HUB).rstrip("/").rpartition("/")
    table = load_dataset(name.removeprefix(HUB))
    nested = [column for column, kind in table.schema.items() if kind.is_nested()]
    flat = table.with_columns(pl.struct(column).struct.json_encode().alias(column) for column in nested)
    return CorpusSource(short, Path(folder).name, name, compute_digest([flat]), Path(name), table)
