"""CBOW in numpy, from its equations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from equations import linear, relu

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
    u, v = p.sum(axis=0), h.sum(axis=0)
    hidden = np.concatenate([u, v, u - v, u * v])
    for layer in ("classifier.0", "classifier.2", "classifier.4"):
        hidden = relu(linear(weights, layer, hidden))
    return linear(weights, "classifier.7", hidden)
