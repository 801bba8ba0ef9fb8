"""The targets of pretraining: tags of words, the words themselves, or the features of pictures."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import polars as pl
import torch
from torch.nn import functional

from rightreasons.corpora.running_text import RARE
from rightreasons.nets.pretraining import NO_TARGET, CaptionGrounding, LanguageModel, Tagging

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from rightreasons.nets.batches import Sentences
    from rightreasons.nets.jiant import Encoder
    from rightreasons.nets.text.encoder import EncodedTexts, LearnedWords
    from rightreasons.training.pretraining_data import PretrainingData

    Rows = NDArray[np.int64]
    Batches = Iterable[tuple[Sentences, Rows]]


class PretrainingTargets(Protocol):
    """What is predicted about sentences, and how well."""

    @property
    def size(self) -> int:
        """Count the tags, words or features."""

    def build_task(self, encoder: Encoder) -> torch.nn.Module:
        """Put the head of the task on an encoder."""

    def get_targets(self, rows: Rows) -> torch.Tensor:
        """Return the targets of some sentences."""

    def compute_accuracy(self, task: Any, batches: Batches) -> float:
        """Compute the accuracy."""


@dataclass(frozen=True)
class _WordTargets:
    """A number for each word of each sentence, concatenated; NO_TARGET where there is no target."""

    size: int
    numbers: Rows
    counts: Rows

    def get_targets(self, rows: Rows) -> torch.Tensor:
        """Lay out the targets of some sentences: (B, T), NO_TARGET past the end."""
        lengths = self.counts[rows]
        columns = np.arange(lengths.max(initial=1))
        there = columns < lengths[:, None]
        starts = (np.cumsum(self.counts) - self.counts)[rows]
        places = np.where(there, starts[:, None] + columns, 0)
        return torch.from_numpy(np.where(there, self.numbers[places], NO_TARGET))


class TagTargets(_WordTargets):
    """The tag of each word."""

    def build_task(self, encoder: Encoder) -> Tagging:
        """Put the head of the task on an encoder."""
        return Tagging(encoder, tags=self.size)

    def compute_accuracy(self, task: Tagging, batches: Batches) -> float:
        """Compute the fraction of words whose tag is predicted."""
        return _compute_target_accuracy(
            (task.compute_logits(sentences), self.get_targets(rows)) for sentences, rows in batches
        )


class NeighbourTargets(_WordTargets):
    """Each word, from the words before it and from those after it."""

    def build_task(self, encoder: Encoder) -> LanguageModel:
        """Put the heads of the task on an encoder."""
        return LanguageModel(encoder, words=self.size)

    def compute_accuracy(self, task: LanguageModel, batches: Batches) -> float:
        """Compute the mean probability of a frequent word given the words on one side: one over the perplexity.

        The fraction of correct predictions would hardly change while all predictions are `the`.
        """
        loss, targets = 0.0, 0
        for sentences, rows in batches:
            for logits, goals in self._predict_both_directions(task, sentences, rows):
                flat, numbers = logits.flatten(0, 1), goals.flatten().to(logits.device)
                loss += float(
                    functional.cross_entropy(flat, numbers, ignore_index=NO_TARGET, reduction="sum")
                )
                targets += int((numbers != NO_TARGET).sum())
        return math.exp(-loss / max(1, targets))

    def _predict_both_directions(
        self, task: LanguageModel, sentences: Sentences, rows: Rows
    ) -> list[tuple[torch.Tensor, torch.Tensor]]:
        words = self.get_targets(rows)
        after, before = task.compute_logits(sentences)
        return [(after[:, :-1], words[:, 1:]), (before[:, 1:], words[:, :-1])]


@dataclass(frozen=True)
class PictureTargets:
    """The features of the picture that each caption is of."""

    features: NDArray[np.float32]  # (sentences, features)

    @property
    def size(self) -> int:
        """Count the features."""
        return int(self.features.shape[1])

    def build_task(self, encoder: Encoder) -> CaptionGrounding:
        """Put the head of the task on an encoder."""
        return CaptionGrounding(encoder, features=self.size)

    def get_targets(self, rows: Rows) -> torch.Tensor:
        """Return the features of the pictures of some captions: (B, features)."""
        return torch.from_numpy(self.features[rows])

    def compute_accuracy(self, task: CaptionGrounding, batches: Batches) -> float:
        """Compute the fraction of other pictures that are farther from a caption than its own: 0.5 by chance."""
        batches_of_features = [
            (task.predict_features(sentences), self.get_targets(rows)) for sentences, rows in batches
        ]
        guesses, images = (
            functional.normalize(torch.cat(parts).float(), dim=1)
            for parts in zip(*batches_of_features, strict=True)
        )
        closeness = guesses.cpu() @ images.cpu().T  # (N, N)
        own = closeness.diagonal()[:, None]
        others = max(1, len(closeness) - 1)
        return float(((closeness < own).sum(dim=1) / others).mean())


def make_targets(
    material: PretrainingData, learned: LearnedWords, encoded: EncodedTexts, words: int
) -> PretrainingTargets:
    """Make the targets of some data; a language model predicts among at most that many words."""
    if "tags" in material.table.columns:
        return _make_tag_targets(material)
    if "picture" in material.table.columns:
        return _make_picture_targets(material, learned, encoded)
    return _make_neighbour_targets(material, words)


def _make_tag_targets(material: PretrainingData) -> TagTargets:
    flat = material.table["tags"].explode()
    known = flat.unique().sort()
    numbers = flat.cast(pl.Enum(known)).to_physical().to_numpy().astype(np.int64)
    return TagTargets(len(known), numbers, material.words.counts)


def _make_neighbour_targets(material: PretrainingData, most: int) -> NeighbourTargets:
    """Number the most frequent training words, ignoring case; other words are not targets."""
    split = material.words
    used = np.bincount(split.forms[: split.counts[material.train].sum()], minlength=len(split.words))
    table = pl.DataFrame({"word": split.words, "used": used}).with_row_index("form")
    table = table.with_columns(pl.col("word").str.to_lowercase())
    frequent = table.filter(pl.col("word") != RARE).group_by("word").agg(pl.col("used").sum())
    frequent = frequent.filter(pl.col("used") > 0).sort(["used", "word"], descending=[True, False]).head(most)
    numbered = table.join(frequent.select("word").with_row_index("number"), on="word", how="left")
    number = numbered.sort("form")["number"].cast(pl.Int64).fill_null(NO_TARGET).to_numpy()
    return NeighbourTargets(frequent.height, number[split.forms], split.counts)


def _make_picture_targets(
    material: PretrainingData, learned: LearnedWords, encoded: EncodedTexts
) -> PictureTargets:
    names = material.table["picture"]
    if material.features:
        return PictureTargets(np.stack([material.features[name] for name in names]))
    return PictureTargets(average_other_captions(names, learned.table, encoded))


def average_other_captions(
    names: pl.Series, table: NDArray[np.float32], encoded: EncodedTexts
) -> NDArray[np.float32]:
    """Describe each picture by the word vectors of its other captions, weighted by inverse frequency."""
    captions = np.repeat(np.arange(len(names)), encoded.counts)
    once = np.unique(np.stack([captions, encoded.ids]), axis=1)
    spread = np.bincount(once[1], minlength=len(table))  # captions that each word is in
    weights = np.log((1 + len(names)) / (1 + spread)).astype(np.float32)
    sums = np.zeros((len(names), table.shape[1]), dtype=np.float32)
    np.add.at(sums, captions, table[encoded.ids] * weights[encoded.ids][:, None])
    sums /= np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-6)
    picture = names.rank("dense").to_numpy().astype(np.int64) - 1
    whole = np.zeros((picture.max() + 1, table.shape[1]), dtype=np.float32)
    np.add.at(whole, picture, sums)
    others = whole[picture] - sums
    features: NDArray[np.float32] = others / np.maximum(np.linalg.norm(others, axis=1, keepdims=True), 1e-6)
    return features


def _compute_target_accuracy(predicted: Iterable[tuple[torch.Tensor, torch.Tensor]]) -> float:
    """Compute the fraction of targets that have the highest logit."""
    correct = targets = 0
    for logits, goals in predicted:
        gold = goals.to(logits.device)
        correct += int((logits.argmax(dim=-1) == gold).sum())
        targets += int((gold != NO_TARGET).sum())
    return correct / max(1, targets)
