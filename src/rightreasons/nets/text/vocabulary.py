"""The words that a network knows, each with its row of the table of vectors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from rightreasons.core.errors import InputError
from rightreasons.nets.text.text_config import UNKNOWN_MARK

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from rightreasons.nets.text.text_config import Reading
    from rightreasons.nets.text.vectors import Vectors

PADDING, UNKNOWN, FIRST = 0, 1, 2  # the first rows: nothing, any unknown word, the first word
FURTHER = (
    100_000  # words beyond those of training that keep their vectors; the frequent ones come first in files
)


@dataclass(frozen=True)
class Vocabulary:
    """Words from row 2 on: first those of the training pairs, then further ones that keep their vectors."""

    words: tuple[str, ...]
    own: int  # how many of them are of the training pairs

    def __post_init__(self) -> None:
        """Refuse words that no file could hold, one a line."""
        if any("\n" in word for word in self.words):
            raise InputError("A word has a line break in it. Leave it out of the training pairs.")

    def __len__(self) -> int:
        """Count the rows of the table."""
        return FIRST + len(self.words)

    @property
    def own_rows(self) -> int:
        """Count the rows that training knows; those after them are further words."""
        return FIRST + self.own

    @cached_property
    def index(self) -> dict[str, int]:
        """Find the row of a word."""
        return {word: row for row, word in enumerate(self.words, FIRST)}

    def rows(self, words: Sequence[str], reading: Reading) -> NDArray[np.int64]:
        """Look words up, in other case where the reading says so; 1 where there is none."""
        index = self.index
        found = [index.get(word, UNKNOWN) for word in words]
        if reading.other_case and not reading.lower:
            for place, row in enumerate(found):
                if row == UNKNOWN:
                    found[place] = next(
                        (index[form] for form in reading.forms(words[place]) if form in index), UNKNOWN
                    )
        if not reading.numerals:
            found = [
                UNKNOWN if reading.is_unreadable(word) else row
                for word, row in zip(words, found, strict=True)
            ]
        return np.array(found, dtype=np.int64)


def wanted(words: Iterable[str], reading: Reading) -> set[str]:
    """List the words to look for in a file of vectors: those of training, in all forms that may stand for them."""
    return {form for word in (*words, *reading.marks) for form in reading.forms(word)}


def make_vocabulary(
    words: Collection[str], vectors: Vectors, reading: Reading, *, further: int = FURTHER
) -> tuple[Vocabulary, NDArray[np.float32]]:
    """Give each training word its row, and make the table of vectors.

    Args:
        words: of the training pairs, as the reading spells them.
        vectors: those of the words, and where words outside the training pairs keep theirs, those as well.
        reading: says what becomes of unknown words.
        further: so many words outside the training pairs keep their vectors, where the reading says so.
    """
    own = [word for word in sorted(set(words)) if not reading.is_unreadable(word)]
    if not reading.draws:
        own = [word for word in own if any(form in vectors.index for form in reading.forms(word))]
    own = [*reading.marks, *own]
    others = list(islice(_others(own, vectors, reading), further))
    table = np.zeros((FIRST + len(own) + len(others), vectors.width), dtype=np.float32)
    if reading.unknown != "zero":
        table[UNKNOWN] = vectors.draw([UNKNOWN_MARK])[0]
    table[FIRST : FIRST + len(own)] = _vectors_of(own, vectors, reading)
    rows = [vectors.index[word] for word in others]
    # Rounded as the model's folder keeps them, so that its answers are the same after it was saved.
    table[FIRST + len(own) :] = vectors.table[rows].astype(np.float16)
    return Vocabulary((*own, *others), len(own)), table


def _others(own: Sequence[str], vectors: Vectors, reading: Reading) -> Iterator[str]:
    """Go through the words of the vectors that are not of the training pairs, as far as the reading can meet them."""
    if vectors.is_random or not reading.keeps_vectors:
        return
    known = set(own)
    for row, word in enumerate(vectors.words):
        if (
            word in known
            or vectors.index[word] != row
            or reading.is_unreadable(word)
            or " " in word
            or not word
        ):
            continue
        if not reading.lower or word == word.lower():
            yield word


def _vectors_of(words: Sequence[str], vectors: Vectors, reading: Reading) -> NDArray[np.float32]:
    """Find the vector of each word, or of one of its forms; draw one for those that have none."""
    found = [
        next((vectors.index[form] for form in reading.forms(word) if form in vectors.index), -1)
        for word in words
    ]
    rows = np.array(found, dtype=np.int64)
    table = np.empty((len(words), vectors.width), dtype=np.float32)
    table[rows >= 0] = vectors.table[rows[rows >= 0]]
    missing = [word for word, row in zip(words, found, strict=True) if row < 0]
    table[rows < 0] = vectors.draw(missing)
    return table
