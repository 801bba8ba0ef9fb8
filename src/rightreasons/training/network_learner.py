"""A network with its training pairs and its dev set: what the loop trains, whatever the network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
import torch

from rightreasons.models.batching import Limit, deal, deal_both
from rightreasons.training.losses import cross_entropy

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

Rows: TypeAlias = "NDArray[np.int64]"
Loss: TypeAlias = "Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]"
_CHECK = Limit(tokens=4096)  # of a batch that is only answered


class TensorPairs(Protocol):
    """Pairs as a network takes them, with the numbers of their true labels."""

    @property
    def gold(self) -> Rows:
        """Give the numbers of the true labels."""

    @property
    def lengths(self) -> Rows:
        """Count the tokens of each pair: (pairs,), or (pairs, 2) where its texts are padded each by itself."""

    def logits(self, module: torch.nn.Module, rows: Rows) -> torch.Tensor:
        """Ask the network about some pairs: (B, labels)."""


def plain(logits: torch.Tensor, gold: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """Compute the mean cross-entropy; which rows they are doesn't matter."""
    del rows
    return cross_entropy(logits, gold)


class NetworkLearner:
    """A module, what it learns, what it is checked on, and the loss."""

    def __init__(
        self,
        module: torch.nn.Module,
        train: TensorPairs,
        dev: TensorPairs,
        *,
        together: int | None = None,
    ) -> None:
        """Take them together; the loss is plain cross-entropy until another is set.

        Args:
            module: the network.
            train: what it learns.
            dev: what it is checked on.
            together: so many pairs are answered at a time, in their order: for a network whose pairs change each
                other's answers, and which is asked so later on.
        """
        self.module, self.train, self.dev, self.together = module, train, dev, together
        self.loss_of: Loss = plain

    @property
    def lengths(self) -> Rows:
        """Count the tokens of each training pair."""
        return self.train.lengths

    def loss(self, rows: Rows) -> torch.Tensor:
        """Compute the mean loss on some training rows; the loss is told which they are."""
        logits = self.train.logits(self.module, rows)
        gold = torch.from_numpy(self.train.gold[rows]).to(logits.device)
        return self.loss_of(logits, gold, torch.from_numpy(rows))

    def check(self) -> float:
        """Measure the accuracy on the dev set."""
        return float((self.answers(self.dev).argmax(axis=1) == self.dev.gold).mean())

    def answers(self, pairs: TensorPairs) -> NDArray[np.float32]:
        """Give the logits of all pairs, as the module is: (pairs, labels)."""
        batches = self._batches(pairs.lengths)
        parts = [pairs.logits(self.module, rows).float().cpu().numpy() for rows in batches]
        found: NDArray[np.float32] = np.concatenate(parts)[np.argsort(np.concatenate(batches))]
        return found

    def _batches(self, lengths: Rows) -> list[Rows]:
        if self.together:
            rows = np.arange(len(lengths))
            return [rows[start : start + self.together] for start in range(0, len(rows), self.together)]
        if lengths.ndim > 1:
            return deal_both(lengths, _CHECK)
        return deal(lengths, np.ones_like(lengths), _CHECK)
