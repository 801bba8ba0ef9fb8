"""What the loop trains: a network with its training pairs and its dev set, whatever the network."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from rightreasons.core.errors import InputError
from rightreasons.core.pairs import TEXTS
from rightreasons.models.network_job import move_batch_to_device
from rightreasons.models.pair_encoding import BatchLimit, make_batches_by_both_lengths, make_batches_by_length
from rightreasons.nets.text.tokenization import tokenize_column
from rightreasons.training.data import convert_labels_to_indices
from rightreasons.training.loop import fit_learner

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import polars as pl
    from numpy.typing import NDArray

    from rightreasons.nets.recipe import DebiasOptions, Recipe
    from rightreasons.nets.text.encoder import EncodedTexts, TextEncoder
    from rightreasons.nets.text.text_config import TextConfig
    from rightreasons.nets.text.tokenization import TokenizedTexts
    from rightreasons.training.loop import TrainingResult

Rows: TypeAlias = "NDArray[np.int64]"
Loss: TypeAlias = "Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]"
_CHECK = BatchLimit(tokens=4096)  # of a batch without gradients


class TensorPairs(Protocol):
    """Pairs as tensors, with the indices of their gold labels."""

    @property
    def gold(self) -> Rows:
        """Return the indices of the gold labels."""

    @property
    def lengths(self) -> Rows:
        """Count the tokens of each pair: (pairs,), or (pairs, 2) where its texts are padded separately."""

    def compute_logits(self, module: torch.nn.Module, rows: Rows) -> torch.Tensor:
        """Run the network on some pairs: (B, labels)."""


def plain_loss(logits: torch.Tensor, gold: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """Compute the mean cross-entropy; which rows they are doesn't matter."""
    del rows
    return cross_entropy(logits, gold)


class NetworkLearner:
    """A module, its training pairs, its dev set and its loss, which is cross-entropy until another is set."""

    def __init__(
        self,
        module: torch.nn.Module,
        train: TensorPairs,
        dev: TensorPairs,
        *,
        together: int | None = None,
    ) -> None:
        """With `together`, that many pairs are predicted at a time, in order.

        A literal network needs that: the pairs of a batch change each other's predictions.
        """
        self.module, self.train, self.dev, self.together = module, train, dev, together
        self.loss_of: Loss = plain_loss

    @property
    def lengths(self) -> Rows:
        """Count the tokens of each training pair."""
        return self.train.lengths

    def compute_loss(self, rows: Rows) -> torch.Tensor:
        """Compute the mean loss on some training rows."""
        logits = self.train.compute_logits(self.module, rows)
        gold = torch.from_numpy(self.train.gold[rows]).to(logits.device)
        return self.loss_of(logits, gold, torch.from_numpy(rows))

    def compute_dev_accuracy(self) -> float:
        """Compute the accuracy on the dev set."""
        return float((self.predict_logits(self.dev).argmax(axis=1) == self.dev.gold).mean())

    def predict_logits(self, pairs: TensorPairs) -> NDArray[np.float32]:
        """Compute the logits of all pairs: (pairs, labels)."""
        batches = self._make_prediction_batches(pairs.lengths)
        parts = [pairs.compute_logits(self.module, rows).float().cpu().numpy() for rows in batches]
        logits: NDArray[np.float32] = np.concatenate(parts)[np.argsort(np.concatenate(batches))]
        return logits

    def _make_prediction_batches(self, lengths: Rows) -> list[Rows]:
        if self.together:
            rows = np.arange(len(lengths))
            return [rows[start : start + self.together] for start in range(0, len(rows), self.together)]
        if lengths.ndim > 1:
            return make_batches_by_both_lengths(lengths, _CHECK)
        return make_batches_by_length(lengths, np.ones_like(lengths), _CHECK)


def make_and_fit_learner(
    make: Callable[[], NetworkLearner],
    *,
    pairs: pl.DataFrame,
    labels: int,
    debias: DebiasOptions,
    recipe: Recipe,
    folder: Path,
    run: dict[str, Any],
) -> tuple[NetworkLearner, TrainingResult]:
    """Train a learner, plainly or against a bias model; `pairs` are its training rows, in their order.

    `make` seeds torch and makes a fresh learner, always the same one.
    """
    if debias.debias is None:
        learner = make()
        return learner, fit_learner(learner, recipe, folder, run)
    from rightreasons.training.debiasing import fit_debiased_learner

    return fit_debiased_learner(
        make, pairs=pairs, labels=labels, debias=debias, recipe=recipe, folder=folder, run=run
    )


@dataclass(frozen=True)
class WordPairs:
    """Pairs as rows of the word table, with the indices of their labels."""

    encoder: TextEncoder
    premise: EncodedTexts
    hypothesis: EncodedTexts
    gold: Rows

    @property
    def lengths(self) -> Rows:
        """Count the words of both texts of each pair, which are padded separately: (pairs, 2)."""
        return np.stack((self.premise.lengths, self.hypothesis.lengths), axis=1)

    def compute_logits(self, module: torch.nn.Module, rows: Rows) -> torch.Tensor:
        """Run the network on some pairs: (B, labels)."""
        device = next(module.parameters()).device
        sides = (
            move_batch_to_device(self.encoder.make_token_batch(side, rows), device)
            for side in (self.premise, self.hypothesis)
        )
        logits: torch.Tensor = module(*sides)
        return logits


def tokenize_both_texts(pairs: pl.DataFrame, config: TextConfig, parser: str | None) -> list[TokenizedTexts]:
    """Tokenize both texts of all pairs; by their parses where the network reads trees."""
    parses: Sequence[pl.Series | None] = (None, None)
    if config.forest:
        from rightreasons.nets.text.binary_parses import collect_binary_parses

        parses = collect_binary_parses(pairs, parser)
    return [tokenize_column(pairs[side], parse, config) for side, parse in zip(TEXTS, parses, strict=True)]


def encode_pairs(
    sides: Sequence[TokenizedTexts],
    pairs: pl.DataFrame,
    encoder: TextEncoder,
    order: tuple[str, ...],
    *,
    training: bool,
) -> tuple[WordPairs, Rows]:
    """Encode tokenized pairs; return them with the rows that are kept, since some are too long."""
    premise, hypothesis = (encoder.encode_tokenized(side, training=training) for side in sides)
    nonempty = (premise.lengths > 0) & (hypothesis.lengths > 0)
    kept = np.flatnonzero(
        nonempty & encoder.mark_trainable_pairs(premise, hypothesis) if training else nonempty
    )
    if not len(kept):
        raise InputError(
            "No pair can be used: each has an empty text, or a text that is too long. Give other pairs."
        )
    gold = convert_labels_to_indices(pairs, order).to_numpy()[kept]
    return WordPairs(encoder, _select_rows(premise, kept), _select_rows(hypothesis, kept), gold), kept


def _select_rows(encoded: EncodedTexts, rows: Rows) -> EncodedTexts:
    return replace(encoded, sentences=encoded.sentences[rows])
