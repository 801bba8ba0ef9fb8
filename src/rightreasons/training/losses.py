"""What training minimises: plain cross-entropy, and three losses that hold a bias model's answers against it.

`bias` are the log-probabilities of a bias model for the same pairs, `gold` the numbers of the true labels. All four
are means over the batch; at test time only the logits count, never the bias.
"""

from __future__ import annotations

import torch
from torch.nn.functional import cross_entropy, log_softmax

__all__ = ["confidence_targets", "cross_entropy", "distillation", "product_of_experts", "reweighted"]


def reweighted(
    logits: torch.Tensor,  # (B, labels)
    gold: torch.Tensor,  # (B,)
    bias: torch.Tensor,  # (B, labels)
) -> torch.Tensor:
    """Weigh each pair by how little the bias model believes its true label: 1 - p_b(gold)."""
    weights = 1 - _of_gold(bias, gold).exp()
    return (weights * cross_entropy(logits, gold, reduction="none")).mean()


def product_of_experts(logits: torch.Tensor, gold: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """Compute the cross-entropy of the product of both models' probabilities, renormalised."""
    return cross_entropy(log_softmax(logits, dim=1) + bias, gold)


def confidence_targets(teacher: torch.Tensor, gold: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """Flatten a teacher's log-probabilities where the bias model is right: its power 1 - p_b(gold), renormalised."""
    powers = 1 - _of_gold(bias, gold).exp()
    return torch.softmax(powers[:, None] * teacher, dim=1)


def distillation(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Compute the cross-entropy against whole distributions."""
    return cross_entropy(logits, targets)


def _of_gold(bias: torch.Tensor, gold: torch.Tensor) -> torch.Tensor:
    """Pick each pair's log-probability of its true label: (B,)."""
    return bias.gather(1, gold[:, None]).squeeze(1)
