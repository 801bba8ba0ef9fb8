"""CBOW in numpy, from its equations."""

from __future__ import annotations

from typing import Any

import numpy as np
from equations import linear, pair_by_pair, relu

Array = np.ndarray[Any, Any]


@pair_by_pair
def logits(weights: dict[str, Array], p: Array, h: Array) -> Array:
    u, v = p.sum(axis=0), h.sum(axis=0)
    hidden = np.concatenate([u, v, u - v, u * v])
    for layer in ("classifier.0", "classifier.2", "classifier.4"):
        hidden = relu(linear(weights, layer, hidden))
    return linear(weights, "classifier.7", hidden)
