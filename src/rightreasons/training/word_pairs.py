"""Pairs as words: what networks over word vectors are trained and checked on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rightreasons.core.errors import InputError
from rightreasons.core.pairs import TEXTS
from rightreasons.models.network_runners import on_device
from rightreasons.nets.text.splitting import split
from rightreasons.training.data import gold_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    import torch
    from numpy.typing import NDArray

    from rightreasons.nets.text.encoder import EncodedTexts, TextEncoder
    from rightreasons.nets.text.splitting import Split
    from rightreasons.nets.text.text_config import Reading

    Rows = NDArray[np.int64]


@dataclass(frozen=True)
class WordPairs:
    """Pairs as rows of the table of words, with the numbers of their labels."""

    reader: TextEncoder
    premise: EncodedTexts
    hypothesis: EncodedTexts
    gold: Rows

    @property
    def lengths(self) -> Rows:
        """Count the words of both texts of each pair, which are padded each by itself: (pairs, 2)."""
        return np.stack((self.premise.lengths, self.hypothesis.lengths), axis=1)

    def logits(self, module: torch.nn.Module, rows: Rows) -> torch.Tensor:
        """Ask the network about some pairs: (B, labels)."""
        device = next(module.parameters()).device
        sides = (
            on_device(self.reader.tokens(side, rows), device) for side in (self.premise, self.hypothesis)
        )
        logits: torch.Tensor = module(*sides)
        return logits


def split_pairs(pairs: pl.DataFrame, reading: Reading, parser: str | None) -> list[Split]:
    """Cut both texts of all pairs into words, by their parses where the network reads trees."""
    parses: Sequence[pl.Series | None] = (None, None)
    if reading.forest:
        from rightreasons.nets.text.parsing import parses_of

        parses = parses_of(pairs, parser)
    return [split(pairs[side], parse, reading) for side, parse in zip(TEXTS, parses, strict=True)]


def word_pairs(
    sides: Sequence[Split],
    pairs: pl.DataFrame,
    reader: TextEncoder,
    order: tuple[str, ...],
    *,
    training: bool,
) -> tuple[WordPairs, Rows]:
    """Read pairs that were cut into words; give them, and the rows of those that are not left out as too long."""
    premise, hypothesis = (reader.encode_split(side, training=training) for side in sides)
    there = (premise.lengths > 0) & (hypothesis.lengths > 0)
    kept = np.flatnonzero(there & reader.for_training(premise, hypothesis) if training else there)
    if not len(kept):
        raise InputError(
            "No pair is left: each has a text without words, or one that is too long. Give other pairs."
        )
    gold = gold_numbers(pairs, order).to_numpy()[kept]
    return WordPairs(reader, _only(premise, kept), _only(hypothesis, kept), gold), kept


def _only(encoded: EncodedTexts, rows: Rows) -> EncodedTexts:
    return replace(encoded, sentences=encoded.sentences[rows])
