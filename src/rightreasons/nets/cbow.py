"""CBOW: each sentence is the sum of its words (Williams and others, 2018).

Word order has no effect.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import torch
from torch import nn

from rightreasons.nets.declaration import LiteralOptions, Network, Preset
from rightreasons.nets.layers import masked_sum
from rightreasons.nets.recipe import PLAIN_RECIPE, SMALL_RECIPE
from rightreasons.nets.text.text_config import LONGEST_PAIR, TextConfig

if TYPE_CHECKING:
    from rightreasons.nets.batches import Sentences


class Cbow(nn.Module):
    """Sums the words of each sentence, then compares the two sums."""

    def __init__(self, *, width: int = 300, hidden: int = 300, dropout: float = 0.5, labels: int = 3) -> None:
        """Initialise weights and biases: normal with standard deviation 0.1."""
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.classifier = nn.Sequential(
            nn.Linear(4 * width, hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(hidden, labels),
        )
        for weight in self.parameters():
            nn.init.normal_(weight, std=0.1)

    def forward(self, premise: Sentences, hypothesis: Sentences) -> torch.Tensor:
        """Compute the logits: (B, labels)."""
        u = masked_sum(self.dropout(premise.vectors), premise.mask)  # (B, E)
        v = masked_sum(self.dropout(hypothesis.vectors), hypothesis.mask)  # (B, E)
        logits: torch.Tensor = self.classifier(torch.cat([u, v, u - v, u * v], dim=1))
        return logits


# The code asked for a gain of 0.04% before weights counted as better; here any gain counts. The paper leaves the number
# of epochs open. Sums of words grow with the sentence: the small preset learns nothing from vectors as long as GloVe's.
CBOW = Network(
    name="cbow",
    about="the bag-of-words baseline of MultiNLI",
    parameters=(541_803, 161_203),
    module=Cbow,
    paper=Preset(
        replace(PLAIN_RECIPE, learning_rate=4e-4, batch_size=32, epochs=30, checks=25, patience=60),
        trained_vectors=True,
    ),
    small=Preset(
        replace(SMALL_RECIPE, epochs=16.0),
        {"width": 100, "hidden": 200, "dropout": 0.1},
        unit_vectors=True,
    ),
    text=TextConfig("zero", left_out_beyond=LONGEST_PAIR),
    literal_text={"longest": 50, "longest_in_training": 50},
    options=LiteralOptions,
)
