"""The NYU BiLSTM in numpy, from its equations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from equations import bi_lstm, linear, relu

if TYPE_CHECKING:
    from batches import Sentence

Array = np.ndarray[Any, Any]


def logits(
    weights: dict[str, Array],
    premise: list[Sentence],
    hypothesis: list[Sentence],
    *,
    literal: bool = False,  # noqa: ARG001 - there is no literal form
) -> Array:
    """Compute the logits of each pair: (B, labels)."""
    return np.stack([_pair(weights, p.vectors, h.vectors) for p, h in zip(premise, hypothesis, strict=True)])


def _pair(weights: dict[str, Array], p: Array, h: Array) -> Array:
    u = bi_lstm(weights, "premise", p).mean(axis=0)
    v = bi_lstm(weights, "hypothesis", h).mean(axis=0)
    hidden = relu(linear(weights, "classifier.0", np.concatenate([u, v, u - v, u * v])))
    return linear(weights, "classifier.3", hidden)
