"""The table of words while it is trained: only the words of the training pairs move."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch.nn.functional import embedding

from rightreasons.nets.network import Network

if TYPE_CHECKING:
    from rightreasons.nets.text.vocabulary import Vocabulary


class TrainedWords(torch.nn.Module):
    """Two tables for one: words of training have gradients; further ones, of which there may be many, cost none."""

    further: torch.Tensor

    def __init__(self, table: torch.Tensor, own: int) -> None:
        """Part the table after so many rows."""
        super().__init__()
        self.own = own
        self.weight = torch.nn.Parameter(table[:own].clone())
        self.register_buffer("further", table[own:], persistent=False)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Look words up: (B, T) to (B, T, E); row 0 has no gradient."""
        if not len(self.further) or int(rows.max()) < self.own:
            return embedding(rows, self.weight, padding_idx=0)
        known = embedding(rows.clamp(max=self.own - 1), self.weight, padding_idx=0)
        others = embedding((rows - self.own).clamp(min=0), self.further)
        return torch.where((rows < self.own)[..., None], known, others)


def for_training(
    table: torch.Tensor, vocabulary: Vocabulary, net: torch.nn.Module, *, trained: bool
) -> Network:
    """Put a network on a table of words, which is trained or stays as it is."""
    network = Network(table, net)
    if trained:
        network.words = TrainedWords(table, vocabulary.own_rows)  # type: ignore[assignment]
    return network


def finished(network: Network) -> Network:
    """Make one table of the two again, as the model folder keeps it."""
    words: torch.nn.Module = network.words
    if not isinstance(words, TrainedWords):
        return network
    table = torch.cat([words.weight.detach(), words.further])
    return Network(table, network.net, trained=True)
