"""The vocabulary of a network: words with their rows of the table of vectors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from rightreasons.core.errors import InputError
from rightreasons.nets.text.text_config import UNKNOWN_TOKEN

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from rightreasons.nets.text.text_config import TextConfig
    from rightreasons.nets.text.vectors import Vectors

PADDING_ROW, UNKNOWN_ROW, FIRST_WORD_ROW = (
    0,
    1,
    2,
)  # the first rows: nothing, any unknown word, the first word
MAX_FURTHER_WORDS = (
    100_000  # words outside the training pairs that keep their vectors; files have frequent ones first
)


@dataclass(frozen=True)
class Vocabulary:
    """Words from row 2 on: first those of the training pairs, then further ones that keep their vectors."""

    words: tuple[str, ...]
    num_training_words: int  # how many of them are of the training pairs

    def __post_init__(self) -> None:
        """Refuse words that can't be stored one per line."""
        if any("\n" in word for word in self.words):
            raise InputError("A word contains a line break. Remove the word from the training pairs.")

    def __len__(self) -> int:
        """Count the rows of the table."""
        return FIRST_WORD_ROW + len(self.words)

    @property
    def num_training_rows(self) -> int:
        """Count the rows that training knows; those after them are further words."""
        return FIRST_WORD_ROW + self.num_training_words

    @cached_property
    def row_by_word(self) -> dict[str, int]:
        """Find the row of a word."""
        return {word: row for row, word in enumerate(self.words, FIRST_WORD_ROW)}

    def look_up_rows(self, words: Sequence[str], config: TextConfig) -> NDArray[np.int64]:
        """Look up the rows of words, in another case where `config` says so; 1 for unknown words."""
        index = self.row_by_word
        rows = [index.get(word, UNKNOWN_ROW) for word in words]
        if config.other_case and not config.lower:
            for place, row in enumerate(rows):
                if row == UNKNOWN_ROW:
                    rows[place] = next(
                        (index[form] for form in config.list_lookup_forms(words[place]) if form in index),
                        UNKNOWN_ROW,
                    )
        if not config.numerals:
            rows = [
                UNKNOWN_ROW if config.is_always_unknown(word) else row
                for word, row in zip(words, rows, strict=True)
            ]
        return np.array(rows, dtype=np.int64)


def list_lookup_words(words: Iterable[str], config: TextConfig) -> set[str]:
    """List the words to look for in a file of vectors: training words in all cases in which they are looked up."""
    return {form for word in (*words, *config.special_tokens) for form in config.list_lookup_forms(word)}


def make_vocabulary_and_table(
    words: Collection[str], vectors: Vectors, config: TextConfig, *, further: int = MAX_FURTHER_WORDS
) -> tuple[Vocabulary, NDArray[np.float32]]:
    """Assign a row to each training word, and make the table of vectors.

    Args:
        words: of the training pairs, as the network spells them.
        vectors: those of the words, and where words outside the training pairs keep theirs, those as well.
        config: how the network reads words.
        further: number of words outside the training pairs that keep their vectors, where `config` says so.
    """
    own = [word for word in sorted(set(words)) if not config.is_always_unknown(word)]
    if not config.draws:
        own = [
            word
            for word in own
            if any(form in vectors.row_by_word for form in config.list_lookup_forms(word))
        ]
    own = [*config.special_tokens, *own]
    others = list(islice(_iterate_further_words(own, vectors, config), further))
    table = np.zeros((FIRST_WORD_ROW + len(own) + len(others), vectors.width), dtype=np.float32)
    if config.unknown != "zero":
        table[UNKNOWN_ROW] = vectors.draw_vectors([UNKNOWN_TOKEN])[0]
    table[FIRST_WORD_ROW : FIRST_WORD_ROW + len(own)] = _collect_vectors(own, vectors, config)
    rows = [vectors.row_by_word[word] for word in others]
    # Rounded as the model folder stores them, so that predictions are the same after loading.
    table[FIRST_WORD_ROW + len(own) :] = vectors.table[rows].astype(np.float16)
    return Vocabulary((*own, *others), len(own)), table


def _iterate_further_words(own: Sequence[str], vectors: Vectors, config: TextConfig) -> Iterator[str]:
    """Iterate over words with vectors that are outside the training pairs and that the network can meet."""
    if vectors.is_random or not config.keeps_further_vectors:
        return
    known = set(own)
    for row, word in enumerate(vectors.words):
        if (
            word in known
            or vectors.row_by_word[word] != row
            or config.is_always_unknown(word)
            or " " in word
            or not word
        ):
            continue
        if not config.lower or word == word.lower():
            yield word


def _collect_vectors(words: Sequence[str], vectors: Vectors, config: TextConfig) -> NDArray[np.float32]:
    """Collect the vector of each word, or of one of its forms; words without one get a random vector."""
    indices = [
        next(
            (
                vectors.row_by_word[form]
                for form in config.list_lookup_forms(word)
                if form in vectors.row_by_word
            ),
            -1,
        )
        for word in words
    ]
    rows = np.array(indices, dtype=np.int64)
    table = np.empty((len(words), vectors.width), dtype=np.float32)
    table[rows >= 0] = vectors.table[rows[rows >= 0]]
    missing = [word for word, row in zip(words, indices, strict=True) if row < 0]
    table[rows < 0] = vectors.draw_vectors(missing)
    return table
