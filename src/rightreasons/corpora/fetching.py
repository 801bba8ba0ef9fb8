"""Fetched corpora: the archives that were downloaded into the cache, and the files in them."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

from rightreasons.core.errors import InputError
from rightreasons.io.archives import ARCHIVES, archive, corpus_names
from rightreasons.io.cache_folder import cache_folder
from rightreasons.io.compression import BROKEN, copy_at_most, most_bytes
from rightreasons.io.downloads import download
from rightreasons.io.outputs import replacing

if TYPE_CHECKING:
    from pathlib import Path


def fetch(name: str) -> dict[str, Path]:
    """Download an archive into the cache, and return where each of its corpora is."""
    wanted = archive(name)
    folder = cache_folder("corpora", name)
    folder.mkdir(parents=True, exist_ok=True)
    for one in wanted.downloads:
        download(one, folder / one.name)
    return {f"{name}/{part}": _unpacked(folder, *place) for part, place in wanted.corpora.items()}


def cached(name: str) -> Path | None:
    """Find the file of a fetched corpus such as multinli/dev_matched; None for what is no such name."""
    if name not in corpus_names():
        return None
    owner, _, part = name.partition("/")
    folder = cache_folder("corpora", owner)
    file, member = ARCHIVES[owner].corpora[part]
    if not (folder / file).is_file():
        raise InputError(f"The corpus {name} has not been fetched. Run: rightreasons fetch {owner}")
    return _unpacked(folder, file, member)


def _unpacked(folder: Path, file: str, member: str | None) -> Path:
    """Give the path of a corpus; a member of a zip is unpacked beside it, once."""
    if member is None:
        return folder / file
    target = folder / member.rpartition("/")[2]
    if not target.exists():
        try:
            with (
                zipfile.ZipFile(folder / file) as opened,
                opened.open(member) as source,
                replacing(target, force=True, internal=True) as part,  # another process may have been faster
                part.open("wb") as sink,
            ):
                copy_at_most(source, sink, most_bytes(), folder / file)
        except (*BROKEN, KeyError) as error:
            raise InputError(f"{folder / file} has no {member} in it. Remove it and fetch again.") from error
    return target
