"""jiant: a bi-LSTM encoder that may be pretrained on another task, with a small network for pairs on top.

It has 37.3 million parameters. The LSTMs of a usual stack, whose second layer reads both directions of the first, and
the one after the attention would have 42.3 million. Here the directions are separate, so that a language model can
train them: 8.4 million less. The projection and the classifier add 3.3 million.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch

from rightreasons.core.options import option
from rightreasons.nets.declaration import LiteralOptions, Network, Preset
from rightreasons.nets.layers import BiLstmEncoder, masked_max, masked_softmax, reverse_sentences
from rightreasons.nets.recipe import PLAIN_RECIPE, SMALL_RECIPE
from rightreasons.nets.text.text_config import LONGEST_PAIR, TextConfig

if TYPE_CHECKING:
    from rightreasons.nets.batches import Sentences


class Encoder(torch.nn.Module):
    """Two stacks of LSTMs, one forward and one backward; each word gets its vector and the states of both.

    The stacks are independent: a forward state knows the words up to its own, a backward state those from its own on.
    So a language model can be trained on either without seeing the word to predict.
    """

    def __init__(
        self, *, width: int = 300, hidden: int = 1024, layers: int = 2, dropout: float = 0.2
    ) -> None:
        """Initialise as torch does."""
        super().__init__()
        self.hidden = hidden
        self.size = width + 2 * hidden  # of the encoding of a word
        self.dropout = torch.nn.Dropout(dropout)
        between = dropout if layers > 1 else 0.0
        self.onward = torch.nn.LSTM(width, hidden, layers, batch_first=True, dropout=between)
        self.backward = torch.nn.LSTM(width, hidden, layers, batch_first=True, dropout=between)

    def forward(self, sentences: Sentences) -> torch.Tensor:
        """Encode each word: (B, T, E + 2H); values past the end are undefined."""
        onward, backward = self.encode_directions(sentences)
        states: torch.Tensor = self.dropout(torch.cat([sentences.vectors, onward, backward], dim=2))
        return states

    def encode_directions(self, sentences: Sentences) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the forward and backward states: (B, T, H) each."""
        words = self.dropout(sentences.vectors)  # (B, T, E)
        # Padding is on the right, so the forward stack meets it last and needs no packing; the backward stack reads
        # each sentence reversed within its own length.
        onward, _ = self.onward(words)
        backward, _ = self.backward(reverse_sentences(words, sentences.lengths))
        return onward, reverse_sentences(backward, sentences.lengths)


class Jiant(torch.nn.Module):
    """Encodes both sentences, optionally with attention between them, and pools by maximum."""

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
        """Initialise as torch does; `after` are the units of the bi-LSTM after the attention."""
        super().__init__()
        # The encoder is initialised first: with one seed it is the same whatever is on top of it.
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
            p, h = self._attend_and_reread(self.after, p, h, premise, hypothesis)  # (B, M, 2A), (B, N, 2A)
        u, v = masked_max(p, premise.mask), masked_max(h, hypothesis.mask)
        logits: torch.Tensor = self.classifier(torch.cat([u, v, (u - v).abs(), u * v], dim=1))
        return logits

    def _attend_and_reread(
        self,
        after: BiLstmEncoder,
        p: torch.Tensor,
        h: torch.Tensor,
        premise: Sentences,
        hypothesis: Sentences,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Read each sentence again, with what its words attend to."""
        scores = p @ h.transpose(1, 2)  # (B, M, N)
        p_sees = masked_softmax(scores, hypothesis.mask[:, None, :]) @ h  # (B, M, P)
        h_sees = masked_softmax(scores.transpose(1, 2), premise.mask[:, None, :]) @ p  # (B, N, P)
        p = after(torch.cat([p, p_sees], dim=2), premise.lengths)
        h = after(torch.cat([h, h_sees], dim=2), hypothesis.lengths)
        return self.dropout(p), self.dropout(h)


@dataclass(frozen=True, kw_only=True)
class JiantOptions(LiteralOptions):
    """Options of jiant."""

    encoder: str | None = option(
        None,
        help="Pretrained encoder: a folder written by `pretrain`, a trained jiant folder, or a .safetensors file.",
    )
    frozen: bool | None = option(None, help="Whether to freeze the encoder.")
    attention: bool | None = option(None, help="Whether to use attention between the two sentences.")


# jiant leaves open how many epochs there are at most, and whether the word vectors are trained.
JIANT = Network(
    name="jiant",
    about="the bi-LSTM of jiant, whose encoder may be pretrained",
    parameters=(37_258_755, 776_579),
    module=Jiant,
    paper=Preset(
        replace(
            PLAIN_RECIPE,
            optimiser="amsgrad",
            learning_rate=1e-4,
            batch_size=32,
            clip=5.0,
            schedule="two-flat-checks",
            epochs=20,
            checks=12,
            patience=5,
        )
    ),
    small=Preset(
        SMALL_RECIPE,
        {"width": 100, "hidden": 128, "projection": 128, "after": 64, "classifier": 128},
    ),
    text=TextConfig("look-up", left_out_beyond=LONGEST_PAIR),
    literal_text={"longest": 40, "longest_in_training": 40},
    options=JiantOptions,
)
