"""RC: a shared bi-LSTM whose states are weighted by inner attention (Balazs and others, 2017).

The released code differs from the paper; `literal=True` reproduces it: attention is normalised over the pairs of the
batch instead of the words of the sentence and includes padding, and the LSTM runs over padding. Predictions then depend
on the other pairs of the batch.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import torch

from rightreasons.nets.declaration import LiteralOptions, Network, Preset
from rightreasons.nets.layers import BiLstmEncoder, masked_mean, masked_softmax
from rightreasons.nets.recipe import PLAIN_RECIPE, SMALL_RECIPE
from rightreasons.nets.text.text_config import TextConfig

if TYPE_CHECKING:
    from rightreasons.nets.batches import Sentences


class StateAttention(torch.nn.Module):
    """Weights the states of a sentence by their agreement with the mean state."""

    def __init__(self, size: int, *, literal: bool) -> None:
        """Initialise for states of this size."""
        super().__init__()
        self.literal = literal
        self.states = torch.nn.Linear(size, size, bias=False)
        self.mean = torch.nn.Linear(size, size, bias=False)
        self.score = torch.nn.Linear(size, 1, bias=False)
        for part in (self.states, self.mean, self.score):
            torch.nn.init.uniform_(part.weight, -(size**-0.5), size**-0.5)

    def forward(self, states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Compute the weighted mean of the states (B, T, D): (B, D)."""
        mean = masked_mean(states, mask)  # (B, D)
        mixed = torch.tanh(self.states(states) + self.mean(mean)[:, None, :])  # (B, T, D)
        scores = self.score(mixed).squeeze(2)  # (B, T)
        weights = scores.softmax(dim=0) if self.literal else masked_softmax(scores, mask)
        return torch.einsum("bt,btd->bd", weights, states)


class InnerAttention(torch.nn.Module):
    """Encodes both sentences with one bi-LSTM, and weights its states by inner attention."""

    def __init__(
        self,
        *,
        width: int = 300,
        hidden: int = 300,
        classifier: int = 2000,
        dropout: float = 0.25,
        labels: int = 3,
        literal: bool = False,
    ) -> None:
        """Initialise as torch does; attention uniformly within one over the square root of its size."""
        super().__init__()
        self.literal = literal
        self.lstm = BiLstmEncoder(width, hidden)
        self.premise = StateAttention(2 * hidden, literal=literal)
        self.hypothesis = StateAttention(2 * hidden, literal=literal)
        self.classifier = torch.nn.Sequential(
            torch.nn.Linear(8 * hidden, classifier),
            torch.nn.ReLU(),
            torch.nn.Dropout(dropout),
            torch.nn.Linear(classifier, classifier),
            torch.nn.ReLU(),
            torch.nn.Dropout(dropout),
            torch.nn.Linear(classifier, labels),
        )

    def forward(self, premise: Sentences, hypothesis: Sentences) -> torch.Tensor:
        """Compute the logits: (B, labels)."""
        u = self.premise(self._encode_states(premise), premise.mask)  # (B, 2H)
        v = self.hypothesis(self._encode_states(hypothesis), hypothesis.mask)
        logits: torch.Tensor = self.classifier(torch.cat([u, v, u * v, (u - v).abs()], dim=1))
        return logits

    def _encode_states(self, sentences: Sentences) -> torch.Tensor:
        lengths = sentences.lengths
        if self.literal:  # all sentences are as long as the longest: the backward LSTM starts in the padding
            lengths = torch.full_like(lengths, sentences.vectors.shape[1])
        states: torch.Tensor = self.lstm(sentences.vectors, lengths)  # (B, T, 2H)
        return states


INNER_ATTENTION = Network(
    name="rc",
    about="the inner attention of Balazs et al. (2017)",
    parameters=(11_696_003, 523_003),
    module=InnerAttention,
    paper=Preset(replace(PLAIN_RECIPE, learning_rate=1e-3, batch_size=128, clip=5.0, epochs=10)),
    small=Preset(SMALL_RECIPE, {"width": 100, "hidden": 100, "classifier": 200}),
    text=TextConfig("random", lower=True, left_out_beyond=200),
    literal_text={"numerals": False},
    options=LiteralOptions,
)
