"""CH: words with their spelling, three bi-LSTMs, and pooling by the LSTM's own input gates (Chen and others, 2017).

`literal=True` takes the maximum over padding too, as the released code did: zero for a sentence with padding. Answers
then depend on the longest sentence of the batch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import torch
from torch.nn import functional

from rightreasons.nets.letters import Letters
from rightreasons.nets.masks import masked_max, masked_mean
from rightreasons.nets.recurrent import BiLstmEncoder

if TYPE_CHECKING:
    from rightreasons.nets.sentences import Sentences


NO_LETTERS = "CH reads the spelling of words, and these sentences have none"


class GatedAttention(torch.nn.Module):
    """Encodes each sentence alone; a state counts as much as its input gates are open."""

    SMALL: ClassVar[dict[str, Any]] = {
        "width": 100,
        "filters": 30,
        "hidden": 100,
        "classifier": 200,
        "dropout": 0.2,
    }
    NEEDS: ClassVar[frozenset[str]] = frozenset({"letters"})

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
        """Draw the weights; `letters` counts the known letters and one for padding, `filters` those of one width."""
        super().__init__()
        self.literal = literal
        self.dropout = torch.nn.Dropout(dropout)
        self.letters = Letters(letters=letters, size=letter_size, filters=filters)
        word = width + 3 * filters
        self.layers = torch.nn.ModuleList(
            BiLstmEncoder(word + 2 * hidden * (at > 0), hidden) for at in range(layers)
        )
        features = (
            4 * 6 * hidden
        )  # both sentences, their difference and product; three poolings of two directions
        self.first = torch.nn.Linear(features, classifier)
        self.second = torch.nn.Linear(features + classifier, classifier)
        self.output = torch.nn.Linear(classifier, labels)
        self.apply(_draw)

    def forward(self, premise: Sentences, hypothesis: Sentences) -> torch.Tensor:
        """Compute the logits: (B, labels)."""
        u, v = self.encode(premise), self.encode(hypothesis)  # (B, 6H) each
        features = torch.cat([u, v, (u - v).abs(), u * v], dim=1)  # (B, 24H)
        first = self.dropout(self.first(features).relu())
        second = self.dropout(self.second(torch.cat([features, first], dim=1)).relu())
        logits: torch.Tensor = self.output(second)
        return logits

    def encode(self, sentences: Sentences) -> torch.Tensor:
        """Turn each sentence into one vector, pooled by mean, maximum and gates: (B, 6H)."""
        if sentences.letters is None:
            raise ValueError(NO_LETTERS)
        words = torch.cat([sentences.vectors, self.letters(sentences.letters)], dim=2)
        words = self.dropout(words)  # (B, T, E + 3F)
        read = words
        for layer in self.layers[:-1]:
            read = torch.cat([layer(read, sentences.lengths), words], dim=2)  # (B, T, 2H + E + 3F)
        last, mask = self.layers[-1], sentences.mask
        states = last(read, sentences.lengths)  # (B, T, 2H)
        gates = input_gates(last, read, states).norm(dim=2) * mask  # (B, T)
        gated = torch.einsum("bt,btd->bd", gates / gates.sum(dim=1, keepdim=True), states)
        return torch.cat([masked_mean(states, mask), self._largest(states, mask), gated], dim=1)

    def _largest(self, states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        if self.literal:
            return (states * mask[:, :, None]).amax(dim=1)
        return masked_max(states, mask)


def input_gates(lstm: torch.nn.Module, read: torch.Tensor, states: torch.Tensor) -> torch.Tensor:
    """Compute the input gates of both directions from what the LSTM read and gave: (B, T, 2H)."""
    # A gate needs the state before it, which is the output one step earlier; backward it is the one to the right,
    # and zero after the last word, since outputs past the end are zero.
    onward, backward = states.chunk(2, dim=2)  # (B, T, H) each
    before = functional.pad(onward, (0, 0, 1, 0))[:, :-1]
    after = functional.pad(backward, (0, 0, 0, 1))[:, 1:]
    gates = [_input_gate(lstm, "", read, before), _input_gate(lstm, "_reverse", read, after)]
    return torch.cat(gates, dim=2)


def _input_gate(
    lstm: torch.nn.Module, direction: str, read: torch.Tensor, earlier: torch.Tensor
) -> torch.Tensor:
    """Compute i = sigmoid(W x + U h + b) for all steps at once; the input gate comes first of the four."""
    part = {
        name: getattr(lstm, f"{name}_l0{direction}")[: earlier.shape[2]]
        for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    }
    given = functional.linear(read, part["weight_ih"], part["bias_ih"])
    return (given + functional.linear(earlier, part["weight_hh"], part["bias_hh"])).sigmoid()


def _draw(part: torch.nn.Module) -> None:
    """Draw weights anew: biases zero, square matrices orthogonal, others normal and small."""
    for name, weight in part.named_parameters(recurse=False):
        if "bias" in name:
            torch.nn.init.zeros_(weight)
            continue
        # An LSTM has the matrices of its four gates one above the other.
        for block in weight.chunk(4) if isinstance(part, torch.nn.LSTM) else [weight]:
            square = block.shape == (len(block), len(block))
            torch.nn.init.orthogonal_(block) if square else torch.nn.init.normal_(block, std=0.01)
    if isinstance(part, torch.nn.Embedding):
        torch.nn.init.zeros_(part.weight[0])
