"""ESIM: two sentences read, aligned and read again (Chen and others, 2017; AllenNLP's form)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import torch
from torch import nn
from torch.nn import functional

from rightreasons.nets.declaration import Network, Preset
from rightreasons.nets.layers import (
    BiLstmEncoder,
    initialize_lstm_biases,
    masked_max,
    masked_mean,
    masked_softmax,
)
from rightreasons.nets.recipe import PLAIN_RECIPE, SMALL_RECIPE
from rightreasons.nets.text.text_config import LONGEST_PAIR, TextConfig

if TYPE_CHECKING:
    from rightreasons.nets.batches import Sentences


class Esim(nn.Module):
    """Reads, aligns, compares and reads again; both sentences share both bi-LSTMs."""

    def __init__(self, *, width: int = 300, hidden: int = 300, dropout: float = 0.5, labels: int = 3) -> None:
        """Initialise: Xavier uniform, orthogonal from state to state; biases zero, forget gates open."""
        super().__init__()
        self.dropout = dropout
        self.read = BiLstmEncoder(width, hidden)
        self.project = nn.Linear(8 * hidden, hidden)
        self.compose = BiLstmEncoder(hidden, hidden)
        self.classifier = nn.Sequential(
            nn.Dropout(dropout),
            nn.Linear(8 * hidden, hidden),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(hidden, labels),
        )
        self.apply(_initialize_esim)

    def forward(self, premise: Sentences, hypothesis: Sentences) -> torch.Tensor:
        """Compute the logits: (B, labels)."""
        a = self.read(self._drop_dimensions(premise.vectors), premise.lengths)  # (B, Tp, 2H)
        b = self.read(self._drop_dimensions(hypothesis.vectors), hypothesis.lengths)  # (B, Th, 2H)
        scores = a @ b.transpose(1, 2)  # (B, Tp, Th)
        a_sees = masked_softmax(scores, hypothesis.mask[:, None, :]) @ b  # (B, Tp, 2H)
        b_sees = masked_softmax(scores.transpose(1, 2), premise.mask[:, None, :]) @ a  # (B, Th, 2H)
        u = self._compose_and_pool(a, a_sees, premise)  # (B, 4H)
        v = self._compose_and_pool(b, b_sees, hypothesis)  # (B, 4H)
        logits: torch.Tensor = self.classifier(torch.cat([u, v], dim=1))
        return logits

    def _compose_and_pool(
        self, states: torch.Tensor, attended: torch.Tensor, sentences: Sentences
    ) -> torch.Tensor:
        """Compare each state with what it attends to, read the comparisons, and pool them: (B, 4H)."""
        enhanced = torch.cat([states, attended, states - attended, states * attended], dim=2)  # (B, T, 8H)
        projected = self.project(enhanced).relu()  # (B, T, H)
        composed = self.compose(self._drop_dimensions(projected), sentences.lengths)  # (B, T, 2H)
        mask = sentences.mask
        return torch.cat([masked_mean(composed, mask), masked_max(composed, mask)], dim=1)

    def _drop_dimensions(self, vectors: torch.Tensor) -> torch.Tensor:
        """Drop the same dimensions at all words of a sentence (variational dropout)."""
        kept = vectors.new_ones(vectors.shape[0], 1, vectors.shape[2])  # (B, 1, D)
        return vectors * functional.dropout(kept, self.dropout, self.training)


def _initialize_esim(part: nn.Module) -> None:
    if isinstance(part, nn.Linear):
        nn.init.xavier_uniform_(part.weight)
        nn.init.zeros_(part.bias)
    if isinstance(part, BiLstmEncoder):
        initialize_lstm_biases(part)
        for name, weight in part.named_parameters():
            if "weight_ih" in name:
                nn.init.xavier_uniform_(weight)
            if "weight_hh" in name:
                nn.init.orthogonal_(weight)


ESIM = Network(
    name="esim",
    about="ESIM, as in AllenNLP",
    parameters=(4_331_103, 483_703),
    module=Esim,
    paper=Preset(
        replace(
            PLAIN_RECIPE,
            learning_rate=4e-4,
            batch_size=64,
            clip=10.0,
            schedule="plateau",
            epochs=75,
            patience=5,
        ),
        trained_vectors=True,
    ),
    small=Preset(SMALL_RECIPE, {"width": 100, "hidden": 100, "dropout": 0.2}),
    text=TextConfig("random", lower=True, left_out_beyond=LONGEST_PAIR),
)
