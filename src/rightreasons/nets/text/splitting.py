"""The words of many texts, each different one kept once; the texts themselves are rows of numbers.

Cutting a text into tokens looks beyond a space only at a full stop. So the pieces between spaces are cut once each,
however many texts they stand in; only texts with a stop before their last piece are cut as a whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rightreasons.core.errors import InputError
from rightreasons.language.tokenizer import tokenize

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from numpy.typing import NDArray

    from rightreasons.nets.forests import Trees
    from rightreasons.nets.text.text_config import TextConfig

    Numbers = NDArray[np.int64]


class Split(NamedTuple):
    """Sentences as numbers of words, each different sentence once, laid end to end."""

    words: list[str]  # the different words, as they are written
    forms: NDArray[np.int32]  # the number of each word of each sentence
    counts: Numbers  # (S,) words of each sentence
    rows: Numbers  # (N,) the sentence of each text
    trees: Trees | None = None  # of the sentences, where they come with parses

    @property
    def starts(self) -> Numbers:
        """Say where each sentence starts."""
        return np.cumsum(self.counts) - self.counts


def split(texts: pl.Series, parses: pl.Series | None, config: TextConfig) -> Split:
    """Cut texts into words; those of a network that reads trees come from the parses alone."""
    if not config.forest:
        return split_texts(texts)
    if parses is None:
        raise InputError(
            f"The column {texts.name!r} has no parses beside it, and the network reads trees. "
            "Use pairs with parses, or choose a parser."
        )
    from rightreasons.nets.text.parsing import split_parses

    return split_parses(parses)


def split_texts(texts: pl.Series) -> Split:
    """Cut texts into the tokens of the Penn Treebank."""
    different, rows = numbered(texts)
    words: dict[str, int] = {}
    pieces: dict[str, list[int]] = {}
    forms: list[int] = []
    counts: list[int] = []
    for text in different:
        before = len(forms)
        parts = text.split()
        if "." in text and any("." in part for part in parts[:-1]):
            forms += [words.setdefault(text[start:end], len(words)) for start, end in tokenize(text)]
        else:
            for part in parts:
                if (found := pieces.get(part)) is None:
                    found = [words.setdefault(part[start:end], len(words)) for start, end in tokenize(part)]
                    pieces[part] = found
                forms += found
        counts.append(len(forms) - before)
    return Split([*words], np.array(forms, dtype=np.int32), np.array(counts, dtype=np.int64), rows)


def numbered(texts: pl.Series) -> tuple[Sequence[str], Numbers]:
    """List the different texts in the order in which they come first, and say for each text which it is."""
    filled = texts.fill_null("")
    different = filled.unique(maintain_order=True)
    if len(different) == len(filled):
        return filled.to_list(), np.arange(len(filled))
    number = dict(zip(different.to_list(), range(len(different)), strict=True))
    return list(number), np.array([number[text] for text in filled.to_list()], dtype=np.int64)
