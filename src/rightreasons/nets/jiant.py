"""jiant: a bi-LSTM encoder that may be trained on another task first, and a small network for pairs on top of it.

It has 37.3 million parameters. The LSTMs of a usual stack, whose second layer reads both directions of the first, and
the one after the attention would have 42.3 million. Here the directions stay apart, so that a language model may train
them: 8.4 million less. The projection and the classifier add 3.3 million.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import torch

from rightreasons.nets.encoder import Encoder
from rightreasons.nets.masks import masked_max, masked_softmax
from rightreasons.nets.recurrent import BiLstmEncoder

if TYPE_CHECKING:
    from rightreasons.nets.sentences import Sentences


class Jiant(torch.nn.Module):
    """Encodes both sentences, lets them look at each other where attention is asked for, and pools by maximum."""

    SMALL: ClassVar[dict[str, Any]] = {
        "width": 100,
        "hidden": 128,
        "projection": 128,
        "after": 64,
        "classifier": 128,
    }
    NEEDS: ClassVar[frozenset[str]] = frozenset()

    def __init__(
        self,
        *,
        width: int = 300,
        hidden: int = 1024,
        layers: int = 2,
        projection: int = 512,
        attention: bool = True,
        after: int = 512,
        classifier: int = 512,
        dropout: float = 0.2,
        labels: int = 3,
        frozen: bool = False,
    ) -> None:
        """Draw the weights; `after` are the units of the bi-LSTM after the attention, `frozen` keeps the encoder."""
        super().__init__()
        # The encoder is drawn first: with one seed it is the same whatever stands on top of it.
        self.encoder = Encoder(width=width, hidden=hidden, layers=layers, dropout=dropout)
        self.encoder.requires_grad_(not frozen)
        self.projection = torch.nn.Linear(self.encoder.size, projection)
        self.after = BiLstmEncoder(2 * projection, after) if attention else None
        self.dropout = torch.nn.Dropout(dropout)
        self.classifier = torch.nn.Sequential(
            torch.nn.Linear(4 * (2 * after if attention else projection), classifier),
            torch.nn.Tanh(),
            torch.nn.LayerNorm(classifier),
            torch.nn.Dropout(dropout),
            torch.nn.Linear(classifier, labels),
        )

    def forward(self, premise: Sentences, hypothesis: Sentences) -> torch.Tensor:
        """Compute the logits: (B, labels)."""
        p = self.projection(self.encoder(premise))  # (B, M, P)
        h = self.projection(self.encoder(hypothesis))  # (B, N, P)
        if self.after is not None:
            p, h = self._attend(self.after, p, h, premise, hypothesis)  # (B, M, 2A), (B, N, 2A)
        u, v = masked_max(p, premise.mask), masked_max(h, hypothesis.mask)
        logits: torch.Tensor = self.classifier(torch.cat([u, v, (u - v).abs(), u * v], dim=1))
        return logits

    def _attend(
        self,
        after: BiLstmEncoder,
        p: torch.Tensor,
        h: torch.Tensor,
        premise: Sentences,
        hypothesis: Sentences,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Read each sentence again with what its words see of the other beside them."""
        scores = p @ h.transpose(1, 2)  # (B, M, N)
        p_sees = masked_softmax(scores, hypothesis.mask[:, None, :]) @ h  # (B, M, P)
        h_sees = masked_softmax(scores.transpose(1, 2), premise.mask[:, None, :]) @ p  # (B, N, P)
        p = after(torch.cat([p, p_sees], dim=2), premise.lengths)
        h = after(torch.cat([h, h_sees], dim=2), hypothesis.lengths)
        return self.dropout(p), self.dropout(h)
