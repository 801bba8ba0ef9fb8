"""DA in numpy, from its equations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from equations import linear, relu, softmax

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
    p, h = linear(weights, "project", p), linear(weights, "project", h)
    e = _two_layers(weights, "attend", p) @ _two_layers(weights, "attend", h).T  # (m, n)
    beta = np.stack([softmax(row) @ h for row in e])  # what each word of the premise sees
    alpha = np.stack([softmax(column) @ p for column in e.T])
    v1 = _two_layers(weights, "compare", np.concatenate([p, beta], axis=1)).sum(axis=0)
    v2 = _two_layers(weights, "compare", np.concatenate([h, alpha], axis=1)).sum(axis=0)
    hidden = relu(linear(weights, "classifier.0", np.concatenate([v1, v2])))
    return linear(weights, "classifier.3", hidden)


def _two_layers(weights: dict[str, Array], name: str, x: Array) -> Array:
    return relu(linear(weights, f"{name}.3", relu(linear(weights, f"{name}.0", x))))
