"""Word vectors: read from a file, or drawn by a seed where there is none."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rightreasons.core.errors import InputError
from rightreasons.core.keyed_random import draws, further
from rightreasons.nets.text.vector_files import Wanted, read_rows

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

RANDOM = "random"
WIDTH = 100  # of random vectors, unless said otherwise
DEVIATION = 0.4  # of random vectors: about that of GloVe's frequent words
_MANTISSA = np.uint64(11)  # of 64 bits drawn, 53 make a number between 0 and 1


@dataclass(frozen=True)
class Vectors:
    """Words with their vectors, and what they were read from."""

    words: tuple[str, ...]
    table: NDArray[np.float32]  # (words, width)
    name: str  # of the file, or "random"
    digest: str  # sha256 of the file; of random vectors none
    seed: int  # of all vectors that are drawn
    held: int  # words that the file has in all

    @property
    def width(self) -> int:
        """Count the numbers of a vector."""
        return int(self.table.shape[1])

    @property
    def is_random(self) -> bool:
        """Tell whether all of them were drawn, so that any word could have one."""
        return self.name == RANDOM

    @cached_property
    def index(self) -> dict[str, int]:
        """Find the row of a word; of a word that the file has twice, the first."""
        return {word: row for row, word in reversed(list(enumerate(self.words)))}

    @property
    def facts(self) -> dict[str, Any]:
        """Say what a model's folder keeps of them."""
        return {
            "name": self.name,
            "digest": self.digest,
            "width": self.width,
            "words": self.held,
            "seed": self.seed,
        }

    def draw(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Draw vectors for words that have none: normal, with the mean and deviation of the whole table."""
        mean, deviation = self._spread
        return (mean + deviation * normal_rows(words, self.width, self.seed)).astype(np.float32)

    @cached_property
    def _spread(self) -> tuple[float, float]:
        if self.is_random or not len(self.table):
            return 0.0, DEVIATION
        return float(self.table.mean(dtype=np.float64)), float(self.table.std(dtype=np.float64))


def read_vectors(
    source: str | Path | None,
    *,
    width: int | None = None,
    seed: int = 0,
    only: Collection[str] | None = None,
    first: int = 0,
) -> Vectors:
    """Read word vectors.

    Args:
        source: a text file of GloVe or word2vec, an array NAME.npy with NAME.words.txt beside, or a compact .npz that
            scripts/convert_vectors.py made; none for random vectors.
        width: numbers that a vector must have; none for any.
        seed: of the vectors that are drawn: all random ones, and those of words that the file lacks.
        only: the words that are wanted; none for all.
        first: so many words from the beginning of the file are wanted as well; the frequent ones come first.
    """
    if source is None:
        return _random(() if only is None else only, WIDTH if width is None else width, seed)
    path = Path(source)
    rows = read_rows(path, Wanted(only if only is None else frozenset(only), first))
    found = rows.table.shape[1]
    if width is not None and found != width:
        raise InputError(
            f"The vectors in {path} have {found} numbers each, but {width} are asked for. "
            f"Name a file of {width}-wide vectors, or set the width: -o width={found}."
        )
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Vectors(tuple(rows.words), rows.table, path.name, digest, seed, rows.held)


def normal_rows(words: Sequence[str], width: int, seed: int) -> NDArray[np.float64]:
    """Draw a standard normal row for each word, which depends on the word and the seed alone."""
    from scipy.special import ndtri

    drawn = further(draws(words, "word vector", seed)[:, None], np.arange(width))
    rows: NDArray[np.float64] = ndtri(((drawn >> _MANTISSA) + 0.5) * 2.0**-53)
    return rows


def _random(words: Collection[str], width: int, seed: int) -> Vectors:
    if width < 1:
        raise InputError(f"Word vectors can't be {width} wide. Give 1 or more.")
    chosen = tuple(sorted(words))
    empty = Vectors((), np.empty((0, width), dtype=np.float32), RANDOM, "", seed, 0)
    return Vectors(chosen, empty.draw(chosen), RANDOM, "", seed, 0)
