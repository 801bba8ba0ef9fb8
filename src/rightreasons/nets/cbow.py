"""CBOW: each sentence is the sum of its words (Williams and others, 2018).

The order of the words never enters: permuting them changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import torch
from torch import nn

from rightreasons.nets.masks import masked_sum

if TYPE_CHECKING:
    from rightreasons.nets.sentences import Sentences


class Cbow(nn.Module):
    """Adds the words of each sentence up, then compares the two sums."""

    SMALL: ClassVar[dict[str, Any]] = {"width": 100, "hidden": 200, "dropout": 0.1}
    NEEDS: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, *, width: int = 300, hidden: int = 300, dropout: float = 0.5, labels: int = 3) -> None:
        """Draw the weights: normal with deviation 0.1, biases too."""
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
