"""NB: stacked bi-LSTMs with shortcuts from all layers below, max pooling (Nie and Bansal, 2017)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import torch

from rightreasons.nets.declaration import Network, Preset
from rightreasons.nets.layers import BiLstmEncoder, masked_max
from rightreasons.nets.recipe import PLAIN_RECIPE, SMALL_RECIPE
from rightreasons.nets.text.text_config import TextConfig

if TYPE_CHECKING:
    from rightreasons.nets.batches import Sentences


class ShortcutStacked(torch.nn.Module):
    """Encodes each sentence with three bi-LSTMs, each of which reads the words and the output of all layers below."""

    def __init__(
        self,
        *,
        width: int = 300,
        layers: tuple[int, ...] = (512, 1024, 2048),
        classifier: int = 1600,
        dropout: float = 0.1,
        labels: int = 3,
    ) -> None:
        """Initialise as torch does; `layers` are the units of each layer in one direction."""
        super().__init__()
        inputs = [width + 2 * sum(layers[:below]) for below in range(len(layers))]  # 300, 1324, 3372
        self.layers = torch.nn.ModuleList(
            BiLstmEncoder(size, units) for size, units in zip(inputs, layers, strict=True)
        )
        self.classifier = torch.nn.Sequential(
            torch.nn.Linear(8 * layers[-1], classifier),
            torch.nn.ReLU(),
            torch.nn.Dropout(dropout),
            torch.nn.Linear(classifier, classifier),
            torch.nn.ReLU(),
            torch.nn.Dropout(dropout),
            torch.nn.Linear(classifier, labels),
        )

    def forward(self, premise: Sentences, hypothesis: Sentences) -> torch.Tensor:
        """Compute the logits: (B, labels)."""
        u, v = self.encode_sentences(premise), self.encode_sentences(hypothesis)
        logits: torch.Tensor = self.classifier(torch.cat([u, v, (u - v).abs(), u * v], dim=1))
        return logits

    def encode_sentences(self, sentences: Sentences) -> torch.Tensor:
        """Encode each sentence as one vector: (B, 2 * units of the last layer)."""
        read = sentences.vectors  # (B, T, E), then concatenated with the output of each layer
        for layer in self.layers:
            states = layer(read, sentences.lengths)  # (B, T, 2 * units)
            read = torch.cat([read, states], dim=2)
        return masked_max(states, sentences.mask)


# The paper's code checked the dev set every 9,000 batches, then every 100; here it is four times an epoch.
SHORTCUT_STACKED = Network(
    name="nb",
    about="the shortcut-stacked encoder of Nie and Bansal",
    parameters=(140_201_795, 1_144_363),
    module=ShortcutStacked,
    paper=Preset(
        replace(PLAIN_RECIPE, learning_rate=2e-4, batch_size=32, schedule="two-epochs", epochs=6, checks=4),
        trained_vectors=True,
    ),
    small=Preset(SMALL_RECIPE, {"width": 100, "layers": (64, 96, 128), "classifier": 200}),
    text=TextConfig("look-up", longest=150, longest_in_training=60),
)
