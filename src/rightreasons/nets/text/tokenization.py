"""Tokenization of many texts: each distinct word is stored once, the texts are rows of numbers.

The tokenizer looks beyond a space only at a full stop. So the pieces between spaces are tokenized once each, however
many texts they occur in; only texts with a full stop before their last piece are tokenized as a whole.
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


class TokenizedTexts(NamedTuple):
    """Sentences as numbers of words, each distinct sentence once, concatenated."""

    words: list[str]  # the distinct words, as they are written
    forms: NDArray[np.int32]  # the number of each word of each sentence
    counts: Numbers  # (S,) words of each sentence
    rows: Numbers  # (N,) the sentence of each text
    trees: Trees | None = None  # of the sentences, where they come with parses

    @property
    def starts(self) -> Numbers:
        """Return where each sentence starts."""
        return np.cumsum(self.counts) - self.counts


def tokenize_column(texts: pl.Series, parses: pl.Series | None, config: TextConfig) -> TokenizedTexts:
    """Tokenize texts; the words of a network that reads trees come from the parses alone."""
    if not config.forest:
        return tokenize_texts(texts)
    if parses is None:
        raise InputError(
            f"The column {texts.name!r} has no parses, but the network reads trees. "
            "Use pairs with parses, or choose a parser."
        )
    from rightreasons.nets.text.binary_parses import tokenize_parses

    return tokenize_parses(parses)


def tokenize_texts(texts: pl.Series) -> TokenizedTexts:
    """Tokenize texts as the Penn Treebank does."""
    different, rows = deduplicate_texts(texts)
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
                if (tokens := pieces.get(part)) is None:
                    tokens = [words.setdefault(part[start:end], len(words)) for start, end in tokenize(part)]
                    pieces[part] = tokens
                forms += tokens
        counts.append(len(forms) - before)
    return TokenizedTexts([*words], np.array(forms, dtype=np.int32), np.array(counts, dtype=np.int64), rows)


def deduplicate_texts(texts: pl.Series) -> tuple[Sequence[str], Numbers]:
    """Return the distinct texts in order of first occurrence, and the index of each text among them."""
    filled = texts.fill_null("")
    different = filled.unique(maintain_order=True)
    if len(different) == len(filled):
        return filled.to_list(), np.arange(len(filled))
    number = dict(zip(different.to_list(), range(len(different)), strict=True))
    return list(number), np.array([number[text] for text in filled.to_list()], dtype=np.int64)
