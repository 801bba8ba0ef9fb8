"""InferSent: each sentence is the maximum over the states of a bi-LSTM (Conneau and others, 2017).

The classifier is linear, as in the reference code; `tanh=True` adds a tanh after both of its layers. `literal=True`
includes the zeros of the padding in the maximum, as the first version did. The vector of a sentence shorter than the
longest of its batch is then nowhere below zero, and predictions depend on the batch.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import torch
from torch import nn

from rightreasons.nets.declaration import LiteralOptions, Network, Preset
from rightreasons.nets.layers import BiLstmEncoder, masked_max
from rightreasons.nets.recipe import PLAIN_RECIPE, SMALL_RECIPE
from rightreasons.nets.text.text_config import LONGEST_PAIR, TextConfig

if TYPE_CHECKING:
    from rightreasons.nets.batches import Sentences


class InferSent(nn.Module):
    """Encodes both sentences with one bi-LSTM, then compares."""

    def __init__(
        self,
        *,
        width: int = 300,
        hidden: int = 2048,
        classifier: int = 512,
        tanh: bool = False,
        dropout: float = 0.0,
        labels: int = 3,
        literal: bool = False,
    ) -> None:
        """Initialise as torch does; `dropout` has an effect only with `tanh`."""
        super().__init__()
        self.literal = literal
        self.lstm = BiLstmEncoder(width, hidden)
        self.first = nn.Linear(8 * hidden, classifier)
        self.second = nn.Linear(classifier, classifier)
        self.output = nn.Linear(classifier, labels)
        self.drop = nn.Dropout(dropout) if tanh else nn.Identity()
        self.activation = nn.Tanh() if tanh else nn.Identity()

    def forward(self, premise: Sentences, hypothesis: Sentences) -> torch.Tensor:
        """Compute the logits: (B, labels)."""
        u, v = self.encode_sentences(premise), self.encode_sentences(hypothesis)  # (B, 2H) each
        features = torch.cat([u, v, (u - v).abs(), u * v], dim=1)  # (B, 8H)
        first = self.activation(self.first(self.drop(features)))  # (B, classifier)
        second = self.activation(self.second(self.drop(first)))  # (B, classifier)
        logits: torch.Tensor = self.output(self.drop(second))
        return logits

    def encode_sentences(self, sentences: Sentences) -> torch.Tensor:
        """Encode each sentence as one vector: (B, 2H)."""
        states = self.lstm(sentences.vectors, sentences.lengths)  # (B, T, 2H), zeros past the end
        if self.literal:
            return torch.amax(states, dim=1)
        return masked_max(states, sentences.mask)


INFERSENT = Network(
    name="infersent",
    about="InferSent",
    parameters=(47_155_715, 844_203),
    module=InferSent,
    paper=Preset(
        replace(
            PLAIN_RECIPE,
            optimiser="sgd",
            learning_rate=0.1,
            batch_size=64,
            clip=5.0,
            schedule="infersent",
            epochs=20,
        )
    ),
    small=Preset(SMALL_RECIPE, {"width": 100, "hidden": 200, "classifier": 200}),
    text=TextConfig("delete", markers=True, left_out_beyond=LONGEST_PAIR),
    literal_text={"draws": False},
    options=LiteralOptions,
)
