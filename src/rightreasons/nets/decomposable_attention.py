"""DA: decomposable attention, a bag of words that are aligned and compared (Parikh and others, 2016; AllenNLP's form).

Word order has no effect.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import torch
from torch import nn

from rightreasons.nets.declaration import Network, Preset
from rightreasons.nets.layers import masked_softmax, masked_sum
from rightreasons.nets.recipe import PLAIN_RECIPE, SMALL_RECIPE
from rightreasons.nets.text.text_config import LONGEST_PAIR, TextConfig

if TYPE_CHECKING:
    from rightreasons.nets.batches import Sentences


class DecomposableAttention(nn.Module):
    """Aligns each word softly with the other sentence, compares it with what it is aligned to, and sums."""

    def __init__(self, *, width: int = 300, hidden: int = 200, dropout: float = 0.2, labels: int = 3) -> None:
        """Initialise the weights: Xavier normal; biases as torch does."""
        super().__init__()
        self.project = nn.Linear(width, hidden)
        self.attend = _make_two_layer_network(hidden, hidden, dropout)
        self.compare = _make_two_layer_network(2 * hidden, hidden, dropout)
        self.classifier = nn.Sequential(
            nn.Linear(2 * hidden, hidden), nn.ReLU(), nn.Dropout(dropout), nn.Linear(hidden, labels)
        )
        for weight in self.parameters():
            if weight.dim() > 1:
                nn.init.xavier_normal_(weight)

    def forward(self, premise: Sentences, hypothesis: Sentences) -> torch.Tensor:
        """Compute the logits: (B, labels)."""
        p, h = self.project(premise.vectors), self.project(hypothesis.vectors)  # (B, Tp, D), (B, Th, D)
        p_mask, h_mask = premise.mask, hypothesis.mask  # (B, Tp), (B, Th)
        scores = self.attend(p) @ self.attend(h).transpose(1, 2)  # (B, Tp, Th)
        p_sees = masked_softmax(scores, h_mask[:, None, :]) @ h  # (B, Tp, D)
        h_sees = masked_softmax(scores.transpose(1, 2), p_mask[:, None, :]) @ p  # (B, Th, D)
        p_compared = self.compare(torch.cat([p, p_sees], dim=2))  # (B, Tp, D); not zero at padding
        h_compared = self.compare(torch.cat([h, h_sees], dim=2))  # (B, Th, D)
        u, v = masked_sum(p_compared, p_mask), masked_sum(h_compared, h_mask)  # (B, D) each
        logits: torch.Tensor = self.classifier(torch.cat([u, v], dim=1))
        return logits


def _make_two_layer_network(size: int, hidden: int, dropout: float) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(size, hidden),
        nn.ReLU(),
        nn.Dropout(dropout),
        nn.Linear(hidden, hidden),
        nn.ReLU(),
        nn.Dropout(dropout),
    )


# Sums of words grow with the sentence: the small preset learns nothing from vectors as long as GloVe's.
DECOMPOSABLE_ATTENTION = Network(
    name="da",
    about="decomposable attention, as in AllenNLP",
    parameters=(341_803, 80_903),
    module=DecomposableAttention,
    paper=Preset(
        replace(
            PLAIN_RECIPE,
            optimiser="adagrad",
            learning_rate=0.01,
            batch_size=64,
            clip=5.0,
            clip_by="value",
            epochs=140,
            patience=20,
        )
    ),
    small=Preset(replace(SMALL_RECIPE, epochs=6.0), {"width": 100, "hidden": 100}, unit_vectors=True),
    text=TextConfig("random", lower=True, null=True, left_out_beyond=LONGEST_PAIR),
)
