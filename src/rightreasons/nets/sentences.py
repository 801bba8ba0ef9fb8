"""Sentences as tensors: what every network takes, one batch for the premises and one for the hypotheses."""

from __future__ import annotations

from typing import NamedTuple

import torch


class Forest(NamedTuple):
    """The binary trees of a batch, level by level.

    Rows are numbered: first all leaves, sentence by sentence, then the nodes of the first level, then the next.
    """

    leaves: torch.Tensor  # (N,) places of the leaves among the B * T words of the batch
    levels: tuple[tuple[torch.Tensor, torch.Tensor], ...]  # a level: rows of left and of right children
    roots: torch.Tensor  # (B,) the row of each tree's root


class TokenBatch(NamedTuple):
    """A batch of sentences as row numbers of the table of words."""

    words: torch.Tensor  # (B, T) int64; 0 past the end
    lengths: torch.Tensor  # (B,) int64, on the CPU, each at least 1
    letters: torch.Tensor | None = None  # (B, T, L) int64, the spelling of each word; 0 past its end
    forest: Forest | None = None


class Sentences(NamedTuple):
    """A batch of sentences as word vectors."""

    vectors: torch.Tensor  # (B, T, E) zeros past the end
    lengths: torch.Tensor  # (B,) int64, on the CPU, each at least 1
    letters: torch.Tensor | None = None  # (B, T, L)
    forest: Forest | None = None

    @property
    def mask(self) -> torch.Tensor:
        """Tell words from padding: (B, T), true at words."""
        places = torch.arange(self.vectors.shape[1], device=self.vectors.device)
        return places[None, :] < self.lengths.to(self.vectors.device)[:, None]
