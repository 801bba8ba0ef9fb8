"""From texts to the tensors that networks take: all texts are encoded at once, then laid out batch by batch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rightreasons.core.errors import InputError
from rightreasons.nets.text.text_config import BEGIN, END, NULL, UNKNOWN_TOKEN
from rightreasons.nets.text.tokenization import tokenize_column
from rightreasons.nets.text.vectors import read_or_draw_vectors
from rightreasons.nets.text.vocabulary import (
    MAX_FURTHER_WORDS,
    UNKNOWN_ROW,
    list_lookup_words,
    make_vocabulary_and_table,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import polars as pl
    from numpy.typing import NDArray

    from rightreasons.nets.batches import Forest, TokenBatch
    from rightreasons.nets.forests import Trees
    from rightreasons.nets.text.text_config import TextConfig
    from rightreasons.nets.text.tokenization import TokenizedTexts
    from rightreasons.nets.text.vocabulary import Vocabulary

    Numbers = NDArray[np.int64]

_SPACE, _LAST = 32, 126
# 96: padding, the space, which stands for all other characters, and 94 printable characters.
NUM_LETTERS = _LAST - _SPACE + 2


@dataclass(frozen=True)
class EncodedTexts:
    """Texts as rows of the word table; identical texts share their words."""

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
    """Encodes texts with a vocabulary, in the way that a network is configured for."""

    def __init__(self, vocabulary: Vocabulary, config: TextConfig) -> None:
        """Choose the vocabulary and how words are read."""
        self.vocabulary, self.config = vocabulary, config

    def encode_texts(
        self, texts: pl.Series, parses: pl.Series | None = None, *, training: bool = False
    ) -> EncodedTexts:
        """Encode texts, or the words of their parses where the network reads trees; empty texts are an error."""
        encoded = self.encode_tokenized(tokenize_column(texts, parses, self.config), training=training)
        empty = np.flatnonzero(encoded.lengths == 0)
        if len(empty):
            raise InputError(
                f"The {texts.name or 'text'} of row {empty[0] + 1} has no words. Remove the row."
            )
        return encoded

    def encode_tokenized(self, texts: TokenizedTexts, *, training: bool = False) -> EncodedTexts:
        """Encode tokenized texts; an empty text stays empty."""
        config = self.config
        words = config.normalize_words(texts.words)
        marks = [BEGIN] * config.markers, [END] * config.markers + [NULL] * config.null
        names = [*words, *marks[0], *marks[1], UNKNOWN_TOKEN]
        rows = self.vocabulary.look_up_rows(names, config)
        longest = config.longest_in_training if training else config.longest
        kept = mark_kept_words(rows[texts.forms], texts.counts, longest, delete=config.unknown == "delete")
        forms, counts = add_special_tokens(
            texts.forms[kept],
            count_kept_words(kept, texts.counts),
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
        return self._add_letters(encoded, forms, names, rows) if config.letters else encoded

    def make_token_batch(self, encoded: EncodedTexts, rows: Numbers) -> TokenBatch:
        """Lay out some texts as tensors, padded to the longest of them."""
        import torch

        from rightreasons.nets.batches import TokenBatch

        sentences = encoded.sentences[rows]
        lengths = encoded.counts[sentences]
        columns = np.arange(lengths.max(initial=1))
        is_word = columns < lengths[:, None]  # (B, T)
        places = np.where(is_word, encoded.starts[sentences][:, None] + columns, 0)
        words = np.where(is_word, encoded.ids[places], 0).astype(np.int64)
        letters = _lay_out_letters(encoded, places, is_word)
        return TokenBatch(
            torch.from_numpy(words),
            torch.from_numpy(lengths),
            None if letters is None else torch.from_numpy(letters),
            _lay_out_forest(encoded, sentences, len(columns)),
        )

    def mark_trainable_pairs(self, premises: EncodedTexts, hypotheses: EncodedTexts) -> NDArray[np.bool_]:
        """Mark the training pairs that are short enough to be kept."""
        longest = np.maximum(premises.lengths, hypotheses.lengths)
        limit = self.config.left_out_beyond
        return longest <= limit if limit else np.ones(len(longest), dtype=np.bool_)

    def _add_letters(
        self, encoded: EncodedTexts, forms: Numbers, names: list[str], rows: Numbers
    ) -> EncodedTexts:
        """Add the letters of each word; unknown words may be spelled as the unknown mark."""
        spellings = encode_letters(names, self.config.letters)
        if not self.config.spells_unknown:
            spellings[rows == UNKNOWN_ROW] = spellings[-1]
        return replace(encoded, forms=forms.astype(np.int32), spellings=spellings)


def _lay_out_letters(encoded: EncodedTexts, places: Numbers, is_word: NDArray[np.bool_]) -> Numbers | None:
    """Lay out the letters of a batch, padded to its longest word: (B, T, L)."""
    if encoded.forms is None or encoded.spellings is None:
        return None
    letters = np.where(is_word[:, :, None], encoded.spellings[encoded.forms[places]], 0)
    deepest = max(1, int((letters > 0).any(axis=(0, 1)).sum()))
    return letters[:, :, :deepest].astype(np.int64)


def _lay_out_forest(encoded: EncodedTexts, sentences: Numbers, width: int) -> Forest | None:
    if encoded.trees is None:
        return None
    from rightreasons.nets.forests import make_forest

    return make_forest(encoded.trees, sentences, width)


def mark_kept_words(
    rows: Numbers, counts: Numbers, longest: int | None, *, delete: bool
) -> NDArray[np.bool_]:
    """Mark the words that are read: with `delete` only known ones, and at most `longest` of a sentence."""
    kept = rows != UNKNOWN_ROW if delete else np.ones(len(rows), dtype=np.bool_)
    if longest is None:
        return kept
    before = np.cumsum(kept) - kept
    first = np.append(before, kept.sum())[np.cumsum(counts) - counts]
    fits: NDArray[np.bool_] = before - np.repeat(first, counts) < longest
    return kept & fits


def count_kept_words(kept: NDArray[np.bool_], counts: Numbers) -> Numbers:
    """Count the kept words of each sentence."""
    total = np.concatenate(([0], np.cumsum(kept)))
    ends = np.cumsum(counts)
    return np.asarray(total[ends] - total[ends - counts], dtype=np.int64)


def add_special_tokens(
    forms: NDArray[np.int32],
    counts: Numbers,
    *,
    has_words: NDArray[np.bool_],
    words: int,
    before: int,
    after: int,
) -> tuple[Numbers, Numbers]:
    """Put marks around each sentence; return the numbers of all words and marks, and their count per sentence.

    Args:
        forms: the words of all sentences, by number.
        counts: words of each sentence.
        has_words: sentences that had words at first; the others get no marks.
        words: number of words. The next numbers are the marks before, those after, then the unknown word, which
            replaces a sentence that has lost all its words.
        before: marks before each sentence.
        after: marks after each sentence.
    """
    lost = counts + before + after == 0
    whole = np.where(has_words, counts + before + after + lost, 0)
    forms_and_marks = np.full(int(whole.sum()), words + before + after, dtype=np.int64)
    stops = np.cumsum(whole)[has_words]
    starts = stops - whole[has_words]
    for place in range(before):
        forms_and_marks[starts + place] = words + place
    for place in range(after):
        forms_and_marks[stops - after + place] = words + before + place
    # Sentences without words have none to move, so those that have some lie end to end.
    some = counts[has_words]
    forms_and_marks[np.arange(len(forms)) + np.repeat(starts + before - (np.cumsum(some) - some), some)] = (
        forms
    )
    return forms_and_marks, whole


def encode_letters(words: Sequence[str], longest: int) -> NDArray[np.uint8]:
    """Return the first letters of each word as numbers, 0 past its end: (words, longest)."""
    # The character 0 would look like padding, so it counts as one of all other characters.
    whole = [word.replace("\0", " ") for word in words]
    characters = np.array([*whole, ""], dtype=f"U{longest}").view(np.uint32).reshape(-1, longest)[:-1]
    letters = np.where((characters >= _SPACE) & (characters <= _LAST), characters, _SPACE) - (_SPACE - 1)
    return np.where(characters == 0, 0, letters).astype(np.uint8)


class LearnedWords(NamedTuple):
    """The words of training texts."""

    encoder: TextEncoder
    table: NDArray[np.float32]  # (rows of the vocabulary, width)
    vectors: dict[str, Any]  # where the vectors come from, for the model folder


def learn_vocabulary(
    texts: Sequence[TokenizedTexts],
    config: TextConfig,
    *,
    vectors: str | Path | None = None,
    width: int | None = None,
    seed: int = 0,
    further: int = MAX_FURTHER_WORDS,
) -> LearnedWords:
    """Build the vocabulary, the table of vectors and the encoder from training texts.

    Args:
        texts: premises and hypotheses of the training pairs, as `tokenize_column` returns them.
        config: how the network reads words.
        vectors: file of word vectors; None for random ones.
        width: width of the vectors that the network takes.
        seed: seed of random vectors.
        further: number of frequent words outside the training pairs that keep their vectors, where `config` says so.
    """
    words = {word for part in texts for word in config.normalize_words(part.words)}
    first = further + len(words) if config.keeps_further_vectors else 0
    read = read_or_draw_vectors(
        vectors, width=width, seed=seed, only=list_lookup_words(words, config), first=first
    )
    vocabulary, table = make_vocabulary_and_table(words, read, config, further=further)
    facts = {
        **read.facts,
        "own": vocabulary.num_training_words,
        "further": len(vocabulary.words) - vocabulary.num_training_words,
    }
    return LearnedWords(TextEncoder(vocabulary, config), table, facts)
