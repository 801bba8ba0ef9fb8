"""Word vectors: read from a file, or random."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rightreasons.core.errors import InputError
from rightreasons.core.keyed_random import derive_numbers, draw_numbers
from rightreasons.core.options import require_at_least
from rightreasons.nets.text.vector_files import WantedWords, read_vector_rows

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

RANDOM = "random"
DEFAULT_WIDTH = 100  # of random vectors by default
DEFAULT_DEVIATION = 0.4  # standard deviation of random vectors: about that of GloVe's frequent words
_UNUSED_BITS = np.uint64(11)  # of 64 bits drawn, 53 make a number between 0 and 1


@dataclass(frozen=True)
class Vectors:
    """Words with their vectors, and where they come from."""

    words: tuple[str, ...]
    table: NDArray[np.float32]  # (words, width)
    name: str  # of the file, or "random"
    digest: str  # sha256 of the file; empty for random vectors
    seed: int  # of random vectors
    num_in_file: int  # number of words in the file

    @property
    def width(self) -> int:
        """Return the width of a vector."""
        return int(self.table.shape[1])

    @property
    def is_random(self) -> bool:
        """Return whether all vectors are random, so that any word can have one."""
        return self.name == RANDOM

    @cached_property
    def row_by_word(self) -> dict[str, int]:
        """Map words to rows; of a repeated word, the first row counts."""
        return {word: row for row, word in reversed(list(enumerate(self.words)))}

    @property
    def facts(self) -> dict[str, Any]:
        """Return what a model folder records of the vectors."""
        return {
            "name": self.name,
            "digest": self.digest,
            "width": self.width,
            "words": self.num_in_file,
            "seed": self.seed,
        }

    def draw_vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Draw vectors for words that have none: normal, with mean and standard deviation of the whole table."""
        mean, deviation = self._mean_and_deviation
        return (mean + deviation * draw_normal_rows(words, self.width, self.seed)).astype(np.float32)

    @cached_property
    def _mean_and_deviation(self) -> tuple[float, float]:
        if self.is_random or not len(self.table):
            return 0.0, DEFAULT_DEVIATION
        return float(self.table.mean(dtype=np.float64)), float(self.table.std(dtype=np.float64))


def read_or_draw_vectors(
    source: str | Path | None,
    *,
    width: int | None = None,
    seed: int = 0,
    only: Collection[str] | None = None,
    first: int = 0,
) -> Vectors:
    """Read word vectors.

    Args:
        source: text file of GloVe or word2vec, array NAME.npy with words in NAME.words.txt, or compact .npz of
            scripts/convert_vectors.py; None for random vectors.
        width: required width; None for any.
        seed: seed of random vectors: all of them, or those of words that the file lacks.
        only: words to read; None for all.
        first: number of words at the beginning of the file to read as well; files have frequent words first.
    """
    if source is None:
        return _make_random_vectors(
            () if only is None else only, DEFAULT_WIDTH if width is None else width, seed
        )
    path = Path(source)
    rows = read_vector_rows(path, WantedWords(only if only is None else frozenset(only), first))
    actual = rows.table.shape[1]
    if width is not None and actual != width:
        raise InputError(
            f"The vectors in {path} have the width {actual}, but the network expects {width}. "
            f"Use a file of vectors of width {width}, or set -o width={actual}."
        )
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Vectors(tuple(rows.words), rows.table, path.name, digest, seed, rows.num_in_file)


def draw_normal_rows(words: Sequence[str], width: int, seed: int) -> NDArray[np.float64]:
    """Draw a standard normal row for each word; it depends only on the word and the seed."""
    from scipy.special import ndtri

    drawn = derive_numbers(draw_numbers(words, "word vector", seed)[:, None], np.arange(width))
    rows: NDArray[np.float64] = ndtri(((drawn >> _UNUSED_BITS) + 0.5) * 2.0**-53)
    return rows


def _make_random_vectors(words: Collection[str], width: int, seed: int) -> Vectors:
    require_at_least("width", width, 1)
    chosen = tuple(sorted(words))
    empty = Vectors((), np.empty((0, width), dtype=np.float32), RANDOM, "", seed, 0)
    return Vectors(chosen, empty.draw_vectors(chosen), RANDOM, "", seed, 0)
