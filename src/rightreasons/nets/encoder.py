"""The encoder that can be trained before its network: two stacks of LSTMs, one reading onward and one backward.

The stacks never see each other: a state of the first knows the words up to its place, a state of the second those from
its place on. So a language model can be trained on either without being shown the word it has to guess.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from rightreasons.nets.recurrent import reverse

if TYPE_CHECKING:
    from rightreasons.nets.sentences import Sentences


class Encoder(torch.nn.Module):
    """Stands each word's vector beside the states of both stacks at its place."""

    def __init__(
        self, *, width: int = 300, hidden: int = 1024, layers: int = 2, dropout: float = 0.2
    ) -> None:
        """Draw both stacks."""
        super().__init__()
        self.hidden = hidden
        self.size = width + 2 * hidden  # of what it gives for a word
        self.dropout = torch.nn.Dropout(dropout)
        between = dropout if layers > 1 else 0.0
        self.onward = torch.nn.LSTM(width, hidden, layers, batch_first=True, dropout=between)
        self.backward = torch.nn.LSTM(width, hidden, layers, batch_first=True, dropout=between)

    def forward(self, sentences: Sentences) -> torch.Tensor:
        """Encode each word: (B, T, E + 2H); what stands past the end means nothing."""
        onward, backward = self.directions(sentences)
        states: torch.Tensor = self.dropout(torch.cat([sentences.vectors, onward, backward], dim=2))
        return states

    def directions(self, sentences: Sentences) -> tuple[torch.Tensor, torch.Tensor]:
        """Read each sentence onward and backward: (B, T, H) each."""
        words = self.dropout(sentences.vectors)  # (B, T, E)
        # Padding is on the right, so the onward stack meets it last and needs no packing; the backward stack reads
        # each sentence turned round within its own length.
        onward, _ = self.onward(words)
        backward, _ = self.backward(reverse(words, sentences.lengths))
        return onward, reverse(backward, sentences.lengths)
