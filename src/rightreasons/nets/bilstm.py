"""BiLSTM: each sentence is the mean of the states of its own bi-LSTM (Williams and others, 2018)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import torch
from torch import nn

from rightreasons.nets.declaration import LiteralOptions, Network, Preset
from rightreasons.nets.layers import BiLstmEncoder, initialize_lstm_biases, masked_mean
from rightreasons.nets.recipe import PLAIN_RECIPE, SMALL_RECIPE
from rightreasons.nets.text.text_config import LONGEST_PAIR, TextConfig

if TYPE_CHECKING:
    from rightreasons.nets.batches import Sentences


class BiLstm(nn.Module):
    """Encodes premise and hypothesis with two separate bi-LSTMs, then compares."""

    def __init__(self, *, width: int = 300, hidden: int = 300, dropout: float = 0.5, labels: int = 3) -> None:
        """Initialise weights and biases: normal with standard deviation 0.1; the LSTMs as TensorFlow does."""
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.premise = BiLstmEncoder(width, hidden)
        self.hypothesis = BiLstmEncoder(width, hidden)
        self.classifier = nn.Sequential(
            nn.Linear(8 * hidden, hidden), nn.ReLU(), nn.Dropout(dropout), nn.Linear(hidden, labels)
        )
        for weight in self.classifier.parameters():
            nn.init.normal_(weight, std=0.1)
        for lstm in (self.premise, self.hypothesis):
            _initialize_tensorflow_lstm(lstm)

    def forward(self, premise: Sentences, hypothesis: Sentences) -> torch.Tensor:
        """Compute the logits: (B, labels)."""
        u = self._encode_mean_state(self.premise, premise)  # (B, 2H)
        v = self._encode_mean_state(self.hypothesis, hypothesis)  # (B, 2H)
        logits: torch.Tensor = self.classifier(torch.cat([u, v, u - v, u * v], dim=1))
        return logits

    def _encode_mean_state(self, lstm: BiLstmEncoder, sentences: Sentences) -> torch.Tensor:
        states = lstm(self.dropout(sentences.vectors), sentences.lengths)  # (B, T, 2H)
        return masked_mean(states, sentences.mask)


def _initialize_tensorflow_lstm(lstm: BiLstmEncoder) -> None:
    """Initialise the matrices of one direction as the single kernel they are in TensorFlow: Xavier uniform."""
    initialize_lstm_biases(lstm)
    bound = (6 / (lstm.input_size + 5 * lstm.hidden_size)) ** 0.5  # E + H rows in, the 4H gates out
    for name, weight in lstm.named_parameters():
        if "weight" in name:
            nn.init.uniform_(weight, -bound, bound)


# The code asked for a gain of 0.04% before weights counted as better; here any gain counts. The paper leaves the number
# of epochs open.
BILSTM = Network(
    name="bilstm",
    about="the bi-LSTM baseline of MultiNLI",
    parameters=(3_610_803, 403_603),
    module=BiLstm,
    paper=Preset(
        replace(PLAIN_RECIPE, learning_rate=4e-4, batch_size=32, epochs=30, checks=25, patience=60),
        trained_vectors=True,
    ),
    small=Preset(replace(SMALL_RECIPE, learning_rate=2e-3), {"width": 100, "hidden": 100, "dropout": 0.1}),
    text=TextConfig("zero", left_out_beyond=LONGEST_PAIR),
    literal_text={"longest": 50, "longest_in_training": 50},
    options=LiteralOptions,
)
