"""The words of training pairs: the vocabulary, the table of vectors, and a reader for all that comes later."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rightreasons.nets.text.encoder import TextEncoder
from rightreasons.nets.text.vectors import read_vectors
from rightreasons.nets.text.vocabulary import FURTHER, make_vocabulary, wanted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from rightreasons.nets.text.splitting import Split
    from rightreasons.nets.text.text_config import Reading


class Learnt(NamedTuple):
    """What is known of words once training pairs have been read."""

    reader: TextEncoder
    table: NDArray[np.float32]  # (rows of the vocabulary, width)
    vectors: dict[str, Any]  # what the vectors are, for the model's folder


def learn_words(
    texts: Sequence[Split],
    reading: Reading,
    *,
    vectors: str | Path | None = None,
    width: int | None = None,
    seed: int = 0,
    further: int = FURTHER,
) -> Learnt:
    """Make a reader and a table of vectors from the words of training texts.

    Args:
        texts: the premises and the hypotheses of the training pairs, as `split` gives them.
        reading: of the network.
        vectors: the file of word vectors; none for random ones.
        width: of the vectors that the network takes.
        seed: of vectors that are drawn.
        further: so many frequent words outside the training pairs keep their vectors, where the reading says so.
    """
    words = {word for part in texts for word in reading.spelled(part.words)}
    first = further + len(words) if reading.keeps_vectors else 0
    read = read_vectors(vectors, width=width, seed=seed, only=wanted(words, reading), first=first)
    vocabulary, table = make_vocabulary(words, read, reading, further=further)
    facts = {**read.facts, "own": vocabulary.own, "further": len(vocabulary.words) - vocabulary.own}
    return Learnt(TextEncoder(vocabulary, reading), table, facts)
