"""DA in numpy, from its equations."""

from __future__ import annotations

from typing import Any

import numpy as np
from equations import linear, pair_by_pair, relu, softmax

Array = np.ndarray[Any, Any]


@pair_by_pair
def logits(weights: dict[str, Array], p: Array, h: Array) -> Array:
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
