"""CH: words with their letters, three bi-LSTMs, and pooling by the LSTM's own input gates (Chen and others, 2017).

`literal=True` includes padding in the maximum, as the released code did. Predictions then depend on the longest
sentence of the batch.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import torch
from torch.nn import functional

from rightreasons.nets.declaration import LiteralOptions, Network, Preset
from rightreasons.nets.layers import BiLstmEncoder, masked_max, masked_mean
from rightreasons.nets.recipe import PLAIN_RECIPE, SMALL_RECIPE
from rightreasons.nets.text.text_config import TextConfig

if TYPE_CHECKING:
    from rightreasons.nets.batches import Sentences


FILTER_WIDTHS = (1, 3, 5)  # letters that a filter sees at once
NO_LETTERS_MESSAGE = "CH reads the spelling of words, but these sentences have no letters"


class LetterEncoder(torch.nn.Module):
    """Convolutions over the letters of each word, with max pooling: `3 * filters` features. Letter 0 is padding."""

    def __init__(self, *, letters: int, size: int = 15, filters: int = 100) -> None:
        """Initialise as torch does; `letters` counts the padding."""
        super().__init__()
        self.table = torch.nn.Embedding(letters, size, padding_idx=0)
        self.filters = torch.nn.ModuleList(
            torch.nn.Conv1d(size, filters, width, bias=False) for width in FILTER_WIDTHS
        )

    def forward(self, letters: torch.Tensor) -> torch.Tensor:
        """Compute the features of each word: (B, T, L) to (B, T, 3 * filters)."""
        # Frequent words occur many times in a batch: each spelling is read once.
        spellings, places = torch.unique(
            letters.flatten(0, 1), dim=0, return_inverse=True
        )  # (N, L), (B * T,)
        return self._encode_spellings(spellings)[places].reshape(*letters.shape[:2], -1)

    def _encode_spellings(self, spellings: torch.Tensor) -> torch.Tensor:
        spellings = functional.pad(spellings, (0, max(0, max(FILTER_WIDTHS) - spellings.shape[1])))
        real = spellings > 0  # (N, L)
        vectors = (self.table(spellings) * real[:, :, None]).transpose(1, 2)  # (N, size, L)
        strongest = [
            _pool_strongest_activations(part(vectors), real.sum(dim=1) - width + 1)
            for width, part in zip(FILTER_WIDTHS, self.filters, strict=True)
        ]
        return torch.cat(strongest, dim=1)  # (N, 3 * filters)


def _pool_strongest_activations(windows: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    """Take the largest positive activation of each filter over a word's own windows: (N, F, W) to (N, F)."""
    # A word shorter than the filter has one window, which ends in padding; the number of windows of a word does not
    # depend on the longest word of the batch.
    places = torch.arange(windows.shape[2], device=windows.device)
    own = places[None, :] < counts.clamp(min=1)[:, None]  # (N, W)
    return (windows.relu() * own[:, None, :]).amax(dim=2)


class GatedAttention(torch.nn.Module):
    """Encodes each sentence separately; states are weighted by how open their input gates are."""

    def __init__(
        self,
        *,
        width: int = 300,
        letters: int = 98,
        letter_size: int = 15,
        filters: int = 100,
        hidden: int = 600,
        layers: int = 3,
        classifier: int = 600,
        dropout: float = 0.5,
        labels: int = 3,
        literal: bool = False,
    ) -> None:
        """Initialise the weights; `letters` counts the padding, `filters` those of one width."""
        super().__init__()
        self.literal = literal
        self.dropout = torch.nn.Dropout(dropout)
        self.letters = LetterEncoder(letters=letters, size=letter_size, filters=filters)
        word = width + 3 * filters
        self.layers = torch.nn.ModuleList(
            BiLstmEncoder(word + 2 * hidden * (at > 0), hidden) for at in range(layers)
        )
        # Both sentences, their difference and product; three poolings of two directions.
        features = 4 * 6 * hidden
        self.first = torch.nn.Linear(features, classifier)
        self.second = torch.nn.Linear(features + classifier, classifier)
        self.output = torch.nn.Linear(classifier, labels)
        self.apply(_initialize_gated_attention)

    def forward(self, premise: Sentences, hypothesis: Sentences) -> torch.Tensor:
        """Compute the logits: (B, labels)."""
        u, v = self.encode_sentences(premise), self.encode_sentences(hypothesis)  # (B, 6H) each
        features = torch.cat([u, v, (u - v).abs(), u * v], dim=1)  # (B, 24H)
        first = self.dropout(self.first(features).relu())
        second = self.dropout(self.second(torch.cat([features, first], dim=1)).relu())
        logits: torch.Tensor = self.output(second)
        return logits

    def encode_sentences(self, sentences: Sentences) -> torch.Tensor:
        """Encode each sentence as one vector, pooled by mean, maximum and gates: (B, 6H)."""
        if sentences.letters is None:
            raise ValueError(NO_LETTERS_MESSAGE)
        words = torch.cat([sentences.vectors, self.letters(sentences.letters)], dim=2)
        words = self.dropout(words)  # (B, T, E + 3F)
        read = words
        for layer in self.layers[:-1]:
            read = torch.cat([layer(read, sentences.lengths), words], dim=2)  # (B, T, 2H + E + 3F)
        last, mask = self.layers[-1], sentences.mask
        states = last(read, sentences.lengths)  # (B, T, 2H)
        gates = compute_input_gates(last, read, states).norm(dim=2) * mask  # (B, T)
        gated = torch.einsum("bt,btd->bd", gates / gates.sum(dim=1, keepdim=True), states)
        return torch.cat([masked_mean(states, mask), self._pool_maximum(states, mask), gated], dim=1)

    def _pool_maximum(self, states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        if self.literal:
            return (states * mask[:, :, None]).amax(dim=1)
        return masked_max(states, mask)


def compute_input_gates(lstm: torch.nn.Module, read: torch.Tensor, states: torch.Tensor) -> torch.Tensor:
    """Compute the input gates of both directions from the input and output of the LSTM: (B, T, 2H)."""
    # A gate needs the state before it, which is the output one step earlier; backward it is the one to the right,
    # and zero after the last word, since outputs past the end are zero.
    forward, backward = states.chunk(2, dim=2)  # (B, T, H) each
    before = functional.pad(forward, (0, 0, 1, 0))[:, :-1]
    after = functional.pad(backward, (0, 0, 0, 1))[:, 1:]
    gates = [_compute_input_gate(lstm, "", read, before), _compute_input_gate(lstm, "_reverse", read, after)]
    return torch.cat(gates, dim=2)


def _compute_input_gate(
    lstm: torch.nn.Module, direction: str, read: torch.Tensor, earlier: torch.Tensor
) -> torch.Tensor:
    """Compute i = sigmoid(W x + U h + b) for all steps at once; the input gate comes first of the four."""
    part = {
        name: getattr(lstm, f"{name}_l0{direction}")[: earlier.shape[2]]
        for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    }
    gates = functional.linear(read, part["weight_ih"], part["bias_ih"])
    return (gates + functional.linear(earlier, part["weight_hh"], part["bias_hh"])).sigmoid()


def _initialize_gated_attention(part: torch.nn.Module) -> None:
    """Initialise: biases zero, square matrices orthogonal, others normal and small."""
    for name, weight in part.named_parameters(recurse=False):
        if "bias" in name:
            torch.nn.init.zeros_(weight)
            continue
        # An LSTM stacks the matrices of its four gates.
        for block in weight.chunk(4) if isinstance(part, torch.nn.LSTM) else [weight]:
            square = block.shape == (len(block), len(block))
            torch.nn.init.orthogonal_(block) if square else torch.nn.init.normal_(block, std=0.01)
    if isinstance(part, torch.nn.Embedding):
        torch.nn.init.zeros_(part.weight[0])


# The schedule ends training after seven halvings, so any number of epochs that is never reached will do.
GATED_ATTENTION = Network(
    name="ch",
    about="the gated attention of Chen et al. (2017)",
    parameters=(46_486_773, 2_027_323),
    module=GatedAttention,
    paper=Preset(
        replace(PLAIN_RECIPE, learning_rate=4e-4, batch_size=32, clip=10.0, schedule="reload", epochs=100)
    ),
    small=Preset(
        SMALL_RECIPE, {"width": 100, "filters": 30, "hidden": 100, "classifier": 200, "dropout": 0.2}
    ),
    text=TextConfig("random", markers=True, letters=24, longest=450, longest_in_training=450),
    literal_text={"spells_unknown": False},
    options=LiteralOptions,
)
