"""A table of word vectors with a network on top: row numbers in, logits out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from rightreasons.nets.sentences import Sentences

if TYPE_CHECKING:
    from rightreasons.nets.sentences import TokenBatch


class Network(torch.nn.Module):
    """Looks words up and asks the network; row 0 of the table is padding and stays zero."""

    def __init__(self, table: torch.Tensor, net: torch.nn.Module, *, trained: bool = False) -> None:
        """Take the table of words, which is trained or stays as it is, and the network."""
        super().__init__()
        rows, width = table.shape
        self.words = torch.nn.Embedding(rows, width, padding_idx=0, _weight=table)
        self.words.weight.requires_grad_(trained)
        self.net = net

    def forward(self, premise: TokenBatch, hypothesis: TokenBatch) -> torch.Tensor:
        """Compute the logits of a batch: (B, labels)."""
        logits: torch.Tensor = self.net(self._sentences(premise), self._sentences(hypothesis))
        return logits

    def _sentences(self, tokens: TokenBatch) -> Sentences:
        return Sentences(self.words(tokens.words), tokens.lengths, tokens.letters, tokens.forest)
