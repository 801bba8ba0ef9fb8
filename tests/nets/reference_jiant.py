"""The jiant network in numpy, from its equations."""

from __future__ import annotations

from typing import Any

import numpy as np
from equations import bi_lstm, linear, lstm, match, pair_by_pair, softmax

Array = np.ndarray[Any, Any]


@pair_by_pair
def logits(weights: dict[str, Array], p: Array, h: Array) -> Array:
    p, h = _encode(weights, p), _encode(weights, h)
    if any(name.startswith("after.") for name in weights):
        p_sees = np.stack([softmax(h @ state) @ h for state in p])
        h_sees = np.stack([softmax(p @ state) @ p for state in h])
        p = bi_lstm(weights, "after", np.concatenate([p, p_sees], axis=1))
        h = bi_lstm(weights, "after", np.concatenate([h, h_sees], axis=1))
    hidden = np.tanh(linear(weights, "classifier.0", match(p.max(axis=0), h.max(axis=0))))
    hidden = (hidden - hidden.mean()) / np.sqrt(hidden.var() + 1e-5)
    hidden = hidden * weights["classifier.2.weight"] + weights["classifier.2.bias"]
    return linear(weights, "classifier.4", hidden)


def _encode(weights: dict[str, Array], vectors: Array) -> Array:
    onward, backward = vectors, vectors[::-1]
    for layer in ("_l0", "_l1"):  # each direction by itself, in both layers
        onward = lstm(weights, "encoder.onward", onward, layer)
        backward = lstm(weights, "encoder.backward", backward, layer)
    return linear(weights, "projection", np.concatenate([vectors, onward, backward[::-1]], axis=1))
