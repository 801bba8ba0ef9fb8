"""Layers that networks share: pooling over words alone, and a bi-LSTM that never sees padding.

Padding is on the right, so the forward direction of an LSTM meets it last and may run over it. The backward direction
reads each sentence reversed within its own length, so it meets the padding last as well. Both are whole calls of
torch's fused LSTM. Packing gives the same states but is slower where the lengths of a batch are alike, as bucketing
makes them.
"""

from __future__ import annotations

import torch


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """Apply softmax where the mask is true; all other places get zero, also in a row of padding."""
    weights = _fill_padding_with_minimum(scores, mask).softmax(
        dim
    )  # a row of padding is uniform here, where -inf would make it NaN
    return weights * mask


def masked_max(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Take the maximum of the states (B, T, D) over the words: (B, D)."""
    return _fill_padding_with_minimum(states, mask[:, :, None]).amax(dim=1)


def masked_mean(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Average the states (B, T, D) over the words: (B, D)."""
    return masked_sum(states, mask) / mask.sum(dim=1, keepdim=True).clamp(min=1)


def masked_sum(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Sum the states (B, T, D) over the words: (B, D)."""
    return (states * mask[:, :, None]).sum(dim=1)


def _fill_padding_with_minimum(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return scores.masked_fill(~mask, torch.finfo(scores.dtype).min)


class BiLstmEncoder(torch.nn.LSTM):
    """A bidirectional LSTM layer; its weights have torch's names."""

    def __init__(self, size: int, hidden: int) -> None:
        """Initialise as torch does, with `hidden` units in each direction."""
        super().__init__(size, hidden, batch_first=True, bidirectional=True)

    def forward(self, vectors: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:  # type: ignore[override]
        """Encode sentences (B, T, size): (B, T, 2 * hidden), zeros past the end."""
        forward = self._run_direction(vectors, "")  # (B, T, H)
        backward = reverse_sentences(
            self._run_direction(reverse_sentences(vectors, lengths), "_reverse"), lengths
        )
        places = torch.arange(vectors.shape[1], device=vectors.device)
        words = places[None, :] < lengths.to(vectors.device)[:, None]  # (B, T)
        return torch.cat([forward, backward], dim=2) * words[:, :, None]

    def _run_direction(self, vectors: torch.Tensor, direction: str) -> torch.Tensor:
        weights = [
            getattr(self, f"{name}_l0{direction}")
            for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        ]
        start = vectors.new_zeros(1, vectors.shape[0], self.hidden_size)
        states, _, _ = torch.lstm(
            vectors,
            (start, start),
            weights,
            has_biases=True,
            num_layers=1,
            dropout=0.0,
            train=self.training,
            bidirectional=False,
            batch_first=True,
        )
        return states


def reverse_sentences(vectors: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """Reverse each sentence of (B, T, D) within its own length; padding stays in place."""
    places = torch.arange(vectors.shape[1], device=vectors.device)[None, :]  # (1, T)
    ends = lengths.to(vectors.device)[:, None]  # (B, 1)
    source = torch.where(places < ends, ends - 1 - places, places)  # (B, T)
    return vectors.gather(1, source[:, :, None].expand_as(vectors))


def initialize_lstm_biases(lstm: torch.nn.LSTM) -> None:
    """Set the biases to zero, and to one at the forget gates, so that the LSTM remembers at first."""
    hidden = lstm.hidden_size
    with torch.no_grad():
        for name, weight in lstm.named_parameters():
            if "bias" in name:
                weight.zero_()
            if "bias_hh" in name:  # the order of the gates is input, forget, candidate, output
                weight[hidden : 2 * hidden] = 1.0
