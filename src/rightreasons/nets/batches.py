"""Batches of sentences: as row numbers of the word table, and as word vectors, which is what every network takes."""

from __future__ import annotations

from typing import NamedTuple

import torch


class Forest(NamedTuple):
    """The binary trees of a batch, level by level.

    Rows are numbered: all leaves, sentence by sentence, then the nodes of each level.
    """

    leaves: torch.Tensor  # (N,) positions of the leaves among the B * T words of the batch
    levels: tuple[tuple[torch.Tensor, torch.Tensor], ...]  # of each level, rows of left and right children
    roots: torch.Tensor  # (B,) the row of each tree's root


class TokenBatch(NamedTuple):
    """A batch of sentences as row numbers of the word table."""

    words: torch.Tensor  # (B, T) int64; 0 past the end
    lengths: torch.Tensor  # (B,) int64, on the CPU, each at least 1
    letters: torch.Tensor | None = None  # (B, T, L) int64, letters of each word; 0 past its end
    forest: Forest | None = None


class Sentences(NamedTuple):
    """A batch of sentences as word vectors."""

    vectors: torch.Tensor  # (B, T, E) zeros past the end
    lengths: torch.Tensor  # (B,) int64, on the CPU, each at least 1
    letters: torch.Tensor | None = None  # (B, T, L)
    forest: Forest | None = None

    @property
    def mask(self) -> torch.Tensor:
        """Mark the words: (B, T), False at padding."""
        places = torch.arange(self.vectors.shape[1], device=self.vectors.device)
        return places[None, :] < self.lengths.to(self.vectors.device)[:, None]


class EmbeddingNetwork(torch.nn.Module):
    """A network over a table of word vectors: row numbers in, logits out. Row 0 is padding and stays zero."""

    def __init__(self, table: torch.Tensor, net: torch.nn.Module, *, trained: bool = False) -> None:
        """Wrap a network. With `trained`, the word vectors are trained as well."""
        super().__init__()
        rows, width = table.shape
        self.words = torch.nn.Embedding(rows, width, padding_idx=0, _weight=table)
        self.words.weight.requires_grad_(trained)
        self.net = net

    def forward(self, premise: TokenBatch, hypothesis: TokenBatch) -> torch.Tensor:
        """Compute the logits of a batch: (B, labels)."""
        logits: torch.Tensor = self.net(self._embed_words(premise), self._embed_words(hypothesis))
        return logits

    def _embed_words(self, tokens: TokenBatch) -> Sentences:
        return Sentences(self.words(tokens.words), tokens.lengths, tokens.letters, tokens.forest)
