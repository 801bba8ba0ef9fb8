"""What a task asks of each sentence: tags of its words, its words themselves, or the features of its picture."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import polars as pl
import torch
from torch.nn import functional

from rightreasons.corpora.language_modelling import RARE
from rightreasons.nets.pretraining import NOTHING, CaptionGrounding, LanguageModel, Tagging

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from rightreasons.nets.encoder import Encoder
    from rightreasons.nets.sentences import Sentences
    from rightreasons.nets.text.build_vocab import Learnt
    from rightreasons.nets.text.encoder import EncodedTexts
    from rightreasons.training.pretrained_material import PretrainingData

    Rows = NDArray[np.int64]
    Batches = Iterable[tuple[Sentences, Rows]]


class Goals(Protocol):
    """What is asked about sentences, and how well it is answered."""

    @property
    def size(self) -> int:
        """Count the tags, words or features."""

    def task(self, encoder: Encoder) -> torch.nn.Module:
        """Put the head of the task on an encoder."""

    def of(self, rows: Rows) -> torch.Tensor:
        """Give the goals of some sentences."""

    def accuracy(self, task: Any, batches: Batches) -> float:
        """Measure how much of what is asked is answered right."""


@dataclass(frozen=True)
class _OfWords:
    """A number for each word of each sentence, laid end to end; NOTHING where nothing is asked."""

    size: int
    numbers: Rows
    counts: Rows

    def of(self, rows: Rows) -> torch.Tensor:
        """Lay the goals of some sentences out: (B, T), NOTHING past the end."""
        lengths = self.counts[rows]
        columns = np.arange(lengths.max(initial=1))
        there = columns < lengths[:, None]
        starts = (np.cumsum(self.counts) - self.counts)[rows]
        places = np.where(there, starts[:, None] + columns, 0)
        return torch.from_numpy(np.where(there, self.numbers[places], NOTHING))


class Tags(_OfWords):
    """The tag of each word."""

    def task(self, encoder: Encoder) -> Tagging:
        """Put the head of the task on an encoder."""
        return Tagging(encoder, tags=self.size)

    def accuracy(self, task: Tagging, batches: Batches) -> float:
        """Give the share of words whose tag is right."""
        return _share((task.logits(sentences), self.of(rows)) for sentences, rows in batches)


class Neighbours(_OfWords):
    """Each word, from those before it and from those after it."""

    def task(self, encoder: Encoder) -> LanguageModel:
        """Put the heads of the task on an encoder."""
        return LanguageModel(encoder, words=self.size)

    def accuracy(self, task: LanguageModel, batches: Batches) -> float:
        """Give the probability of a frequent word by the words on one side of it: one over the perplexity.

        A share of right guesses would hardly tell weights apart: it stays where it is while all guess `the`.
        """
        loss, asked = 0.0, 0
        for sentences, rows in batches:
            for logits, goals in self._directions(task, sentences, rows):
                flat, numbers = logits.flatten(0, 1), goals.flatten().to(logits.device)
                loss += float(functional.cross_entropy(flat, numbers, ignore_index=NOTHING, reduction="sum"))
                asked += int((numbers != NOTHING).sum())
        return math.exp(-loss / max(1, asked))

    def _directions(
        self, task: LanguageModel, sentences: Sentences, rows: Rows
    ) -> list[tuple[torch.Tensor, torch.Tensor]]:
        words = self.of(rows)
        after, before = task.logits(sentences)
        return [(after[:, :-1], words[:, 1:]), (before[:, 1:], words[:, :-1])]


@dataclass(frozen=True)
class Pictures:
    """The features of the picture that each caption is of."""

    features: NDArray[np.float32]  # (sentences, features)

    @property
    def size(self) -> int:
        """Count the features."""
        return int(self.features.shape[1])

    def task(self, encoder: Encoder) -> CaptionGrounding:
        """Put the head of the task on an encoder."""
        return CaptionGrounding(encoder, features=self.size)

    def of(self, rows: Rows) -> torch.Tensor:
        """Give the features of some captions' pictures: (B, features)."""
        return torch.from_numpy(self.features[rows])

    def accuracy(self, task: CaptionGrounding, batches: Batches) -> float:
        """Give the share of other pictures that are farther from a caption than its own: a half by chance."""
        found = [(task.features(sentences), self.of(rows)) for sentences, rows in batches]
        guesses, images = (
            functional.normalize(torch.cat(parts).float(), dim=1) for parts in zip(*found, strict=True)
        )
        closeness = guesses.cpu() @ images.cpu().T  # (N, N)
        own = closeness.diagonal()[:, None]
        others = max(1, len(closeness) - 1)
        return float(((closeness < own).sum(dim=1) / others).mean())


def goals_of(material: PretrainingData, learnt: Learnt, encoded: EncodedTexts, words: int) -> Goals:
    """Make the goals of some material; `words` are the most that a language model guesses among."""
    if "tags" in material.table.columns:
        return _tags(material)
    if "picture" in material.table.columns:
        return _pictures(material, learnt, encoded)
    return _neighbours(material, words)


def _tags(material: PretrainingData) -> Tags:
    flat = material.table["tags"].explode()
    known = flat.unique().sort()
    numbers = flat.cast(pl.Enum(known)).to_physical().to_numpy().astype(np.int64)
    return Tags(len(known), numbers, material.words.counts)


def _neighbours(material: PretrainingData, most: int) -> Neighbours:
    """Number the most frequent words of training, whatever their case; nothing is asked about others."""
    split = material.words
    used = np.bincount(split.forms[: split.counts[material.train].sum()], minlength=len(split.words))
    table = pl.DataFrame({"word": split.words, "used": used}).with_row_index("form")
    table = table.with_columns(pl.col("word").str.to_lowercase())
    frequent = table.filter(pl.col("word") != RARE).group_by("word").agg(pl.col("used").sum())
    frequent = frequent.filter(pl.col("used") > 0).sort(["used", "word"], descending=[True, False]).head(most)
    numbered = table.join(frequent.select("word").with_row_index("number"), on="word", how="left")
    number = numbered.sort("form")["number"].cast(pl.Int64).fill_null(NOTHING).to_numpy()
    return Neighbours(frequent.height, number[split.forms], split.counts)


def _pictures(material: PretrainingData, learnt: Learnt, encoded: EncodedTexts) -> Pictures:
    names = material.table["picture"]
    if material.features:
        return Pictures(np.stack([material.features[name] for name in names]))
    return Pictures(others_said(names, learnt.table, encoded))


def others_said(names: pl.Series, table: NDArray[np.float32], encoded: EncodedTexts) -> NDArray[np.float32]:
    """Describe each caption's picture by the word vectors of the other captions of it; rare words weigh more."""
    captions = np.repeat(np.arange(len(names)), encoded.counts)
    once = np.unique(np.stack([captions, encoded.ids]), axis=1)
    spread = np.bincount(once[1], minlength=len(table))  # captions that each word is in
    weights = np.log((1 + len(names)) / (1 + spread)).astype(np.float32)
    said = np.zeros((len(names), table.shape[1]), dtype=np.float32)
    np.add.at(said, captions, table[encoded.ids] * weights[encoded.ids][:, None])
    said /= np.maximum(np.linalg.norm(said, axis=1, keepdims=True), 1e-6)
    picture = names.rank("dense").to_numpy().astype(np.int64) - 1
    whole = np.zeros((picture.max() + 1, table.shape[1]), dtype=np.float32)
    np.add.at(whole, picture, said)
    others = whole[picture] - said
    features: NDArray[np.float32] = others / np.maximum(np.linalg.norm(others, axis=1, keepdims=True), 1e-6)
    return features


def _share(answered: Iterable[tuple[torch.Tensor, torch.Tensor]]) -> float:
    """Give the share of goals that have the highest logit, of all that are asked."""
    right = asked = 0
    for logits, goals in answered:
        there = goals.to(logits.device)
        right += int((logits.argmax(dim=-1) == there).sum())
        asked += int((there != NOTHING).sum())
    return right / max(1, asked)
