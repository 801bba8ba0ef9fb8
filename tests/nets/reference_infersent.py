"""InferSent in numpy, from its equations, without and with the zeros of padding under the maximum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from equations import bi_lstm, linear, match

if TYPE_CHECKING:
    from batches import Sentence

Array = np.ndarray[Any, Any]


def logits(
    weights: dict[str, Array], premise: list[Sentence], hypothesis: list[Sentence], *, literal: bool = False
) -> Array:
    """Compute the logits of each pair: (B, labels)."""
    us, vs = _encode(weights, premise, literal=literal), _encode(weights, hypothesis, literal=literal)
    return np.stack([_classify(weights, match(u, v)) for u, v in zip(us, vs, strict=True)])


def _encode(weights: dict[str, Array], sentences: list[Sentence], *, literal: bool) -> list[Array]:
    longest = max(len(sentence.vectors) for sentence in sentences)
    pooled = []
    for sentence in sentences:
        largest = bi_lstm(weights, "lstm", sentence.vectors).max(axis=0)
        padded = literal and len(sentence.vectors) < longest
        pooled.append(np.maximum(largest, 0) if padded else largest)
    return pooled


def _classify(weights: dict[str, Array], features: Array) -> Array:
    hidden = linear(weights, "second", linear(weights, "first", features))
    return linear(weights, "output", hidden)
