"""BiLSTM: each sentence is the mean of the states of a bi-LSTM of its own (Williams and others, 2018)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import torch
from torch import nn

from rightreasons.nets import recurrent
from rightreasons.nets.masks import masked_mean

if TYPE_CHECKING:
    from rightreasons.nets.sentences import Sentences


class BiLstm(nn.Module):
    """Encodes premise and hypothesis by two bi-LSTMs that share nothing, then compares."""

    SMALL: ClassVar[dict[str, Any]] = {"width": 100, "hidden": 100, "dropout": 0.1}
    NEEDS: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, *, width: int = 300, hidden: int = 300, dropout: float = 0.5, labels: int = 3) -> None:
        """Draw the weights: normal with deviation 0.1, biases too; the LSTMs' as TensorFlow does."""
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.premise = recurrent.BiLstmEncoder(width, hidden)
        self.hypothesis = recurrent.BiLstmEncoder(width, hidden)
        self.classifier = nn.Sequential(
            nn.Linear(8 * hidden, hidden), nn.ReLU(), nn.Dropout(dropout), nn.Linear(hidden, labels)
        )
        for weight in self.classifier.parameters():
            nn.init.normal_(weight, std=0.1)
        for lstm in (self.premise, self.hypothesis):
            _draw(lstm)

    def forward(self, premise: Sentences, hypothesis: Sentences) -> torch.Tensor:
        """Compute the logits: (B, labels)."""
        u = self._encode(self.premise, premise)  # (B, 2H)
        v = self._encode(self.hypothesis, hypothesis)  # (B, 2H)
        logits: torch.Tensor = self.classifier(torch.cat([u, v, u - v, u * v], dim=1))
        return logits

    def _encode(self, lstm: recurrent.BiLstmEncoder, sentences: Sentences) -> torch.Tensor:
        states = lstm(self.dropout(sentences.vectors), sentences.lengths)  # (B, T, 2H)
        return masked_mean(states, sentences.mask)


def _draw(lstm: recurrent.BiLstmEncoder) -> None:
    """Draw the matrices of one direction as the one kernel they are in TensorFlow: Xavier uniform."""
    recurrent.open_forget_gates(lstm)
    bound = (6 / (lstm.input_size + 5 * lstm.hidden_size)) ** 0.5  # E + H rows in, the 4H gates out
    for name, weight in lstm.named_parameters():
        if "weight" in name:
            nn.init.uniform_(weight, -bound, bound)
