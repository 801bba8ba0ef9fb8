"""NB in numpy, from its equations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from equations import bi_lstm, linear, match, relu

if TYPE_CHECKING:
    from batches import Sentence


def logits(
    weights: dict[str, np.ndarray[Any, Any]],
    premise: list[Sentence],
    hypothesis: list[Sentence],
    *,
    literal: bool = False,  # noqa: ARG001 - NB has no literal form
) -> np.ndarray[Any, Any]:
    """Compute the logits of each pair: (B, labels)."""
    rows = []
    for p, h in zip(premise, hypothesis, strict=True):
        hidden = match(_encode(weights, p), _encode(weights, h))
        hidden = relu(linear(weights, "classifier.0", hidden))
        hidden = relu(linear(weights, "classifier.3", hidden))
        rows.append(linear(weights, "classifier.6", hidden))
    return np.stack(rows)


def _encode(weights: dict[str, np.ndarray[Any, Any]], sentence: Sentence) -> np.ndarray[Any, Any]:
    first = bi_lstm(weights, "layers.0", sentence.vectors)
    second = bi_lstm(weights, "layers.1", np.concatenate([sentence.vectors, first], axis=1))
    third = bi_lstm(weights, "layers.2", np.concatenate([sentence.vectors, first, second], axis=1))
    return third.max(axis=0)
