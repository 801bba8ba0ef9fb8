"""From texts to the tensors that networks take: all texts are read at once, then laid out batch by batch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rightreasons.core.errors import InputError
from rightreasons.nets.text.layout import counts_of, kept_words, with_marks
from rightreasons.nets.text.spelling import spell
from rightreasons.nets.text.splitting import split
from rightreasons.nets.text.text_config import BEGIN, END, NULL, UNKNOWN_MARK
from rightreasons.nets.text.vocabulary import UNKNOWN

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from rightreasons.nets.forests import Trees
    from rightreasons.nets.sentences import Forest, TokenBatch
    from rightreasons.nets.text.splitting import Split
    from rightreasons.nets.text.text_config import Reading
    from rightreasons.nets.text.vocabulary import Vocabulary

    Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class EncodedTexts:
    """Texts as rows of the table of words; texts that are the same share their words."""

    ids: NDArray[np.int32]  # the words of all different sentences, end to end
    starts: Numbers  # (S,) where each sentence starts
    counts: Numbers  # (S,) words of each sentence
    sentences: Numbers  # (N,) the sentence of each text
    forms: NDArray[np.int32] | None = None  # the spelling of each word, as a row of the next
    spellings: NDArray[np.uint8] | None = None  # (words, letters)
    trees: Trees | None = None  # of the sentences

    def __len__(self) -> int:
        """Count the texts."""
        return len(self.sentences)

    @property
    def lengths(self) -> Numbers:
        """Count the words of each text."""
        return self.counts[self.sentences]


class TextEncoder:
    """Reads texts with a vocabulary, as a network asks for."""

    def __init__(self, vocabulary: Vocabulary, reading: Reading) -> None:
        """Take the words and the way of reading."""
        self.vocabulary, self.reading = vocabulary, reading

    def encode(
        self, texts: pl.Series, parses: pl.Series | None = None, *, training: bool = False
    ) -> EncodedTexts:
        """Read texts, or the words of their parses where the network reads trees; a text without words is refused."""
        encoded = self.encode_split(split(texts, parses, self.reading), training=training)
        empty = np.flatnonzero(encoded.lengths == 0)
        if len(empty):
            raise InputError(f"The {texts.name or 'text'} of row {empty[0] + 1} has no words. Leave it out.")
        return encoded

    def encode_split(self, texts: Split, *, training: bool = False) -> EncodedTexts:
        """Read texts that are cut into words already; a text without words stays without."""
        reading = self.reading
        words = reading.spelled(texts.words)
        marks = [BEGIN] * reading.markers, [END] * reading.markers + [NULL] * reading.null
        names = [*words, *marks[0], *marks[1], UNKNOWN_MARK]
        rows = self.vocabulary.rows(names, reading)
        longest = reading.longest_in_training if training else reading.longest
        kept = kept_words(rows[texts.forms], texts.counts, longest, delete=reading.unknown == "delete")
        forms, counts = with_marks(
            texts.forms[kept],
            counts_of(kept, texts.counts),
            has_words=texts.counts > 0,
            words=len(words),
            before=len(marks[0]),
            after=len(marks[1]),
        )
        encoded = EncodedTexts(
            ids=rows[forms].astype(np.int32),
            starts=np.cumsum(counts) - counts,
            counts=counts,
            sentences=texts.rows,
            trees=texts.trees,
        )
        return self._spelled(encoded, forms, names, rows) if reading.letters else encoded

    def tokens(self, encoded: EncodedTexts, rows: Numbers) -> TokenBatch:
        """Lay some texts out as tensors, as wide as the longest of them."""
        import torch

        from rightreasons.nets.sentences import TokenBatch

        sentences = encoded.sentences[rows]
        lengths = encoded.counts[sentences]
        columns = np.arange(lengths.max(initial=1))
        there = columns < lengths[:, None]  # (B, T)
        places = np.where(there, encoded.starts[sentences][:, None] + columns, 0)
        words = np.where(there, encoded.ids[places], 0).astype(np.int64)
        letters = _letters(encoded, places, there)
        return TokenBatch(
            torch.from_numpy(words),
            torch.from_numpy(lengths),
            None if letters is None else torch.from_numpy(letters),
            _forest(encoded, sentences, len(columns)),
        )

    def for_training(self, premises: EncodedTexts, hypotheses: EncodedTexts) -> NDArray[np.bool_]:
        """Tell which training pairs are short enough to be kept."""
        longest = np.maximum(premises.lengths, hypotheses.lengths)
        limit = self.reading.left_out_beyond
        return longest <= limit if limit else np.ones(len(longest), dtype=np.bool_)

    def _spelled(
        self, encoded: EncodedTexts, forms: Numbers, names: list[str], rows: Numbers
    ) -> EncodedTexts:
        """Add the letters of each word; those of unknown words may be hidden behind the mark."""
        spellings = spell(names, self.reading.letters)
        if not self.reading.spells_unknown:
            spellings[rows == UNKNOWN] = spellings[-1]
        return replace(encoded, forms=forms.astype(np.int32), spellings=spellings)


def _letters(encoded: EncodedTexts, places: Numbers, there: NDArray[np.bool_]) -> Numbers | None:
    """Lay out the letters of a batch, as deep as its longest word: (B, T, L)."""
    if encoded.forms is None or encoded.spellings is None:
        return None
    letters = np.where(there[:, :, None], encoded.spellings[encoded.forms[places]], 0)
    deepest = max(1, int((letters > 0).any(axis=(0, 1)).sum()))
    return letters[:, :, :deepest].astype(np.int64)


def _forest(encoded: EncodedTexts, sentences: Numbers, width: int) -> Forest | None:
    if encoded.trees is None:
        return None
    from rightreasons.nets.forests import make_forest

    return make_forest(encoded.trees, sentences, width)
