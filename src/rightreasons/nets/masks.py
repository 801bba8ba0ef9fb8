"""Softmax, maximum and mean over words alone: padding counts for nothing."""

from __future__ import annotations

import torch


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """Normalise scores over the places where the mask is true; all others get zero, in a row of padding too."""
    weights = _filled(scores, mask).softmax(
        dim
    )  # a row of padding is uniform here, where -inf would make it NaN
    return weights * mask


def masked_max(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Take the greatest of the states (B, T, D) at words in each dimension: (B, D)."""
    return _filled(states, mask[:, :, None]).amax(dim=1)


def masked_mean(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Average the states (B, T, D) over the words: (B, D)."""
    return masked_sum(states, mask) / mask.sum(dim=1, keepdim=True).clamp(min=1)


def masked_sum(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Add the states (B, T, D) of the words up: (B, D)."""
    return (states * mask[:, :, None]).sum(dim=1)


def _filled(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
