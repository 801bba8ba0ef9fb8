"""ESIM in numpy, from its equations."""

from __future__ import annotations

from typing import Any

import numpy as np
from equations import bi_lstm, linear, pair_by_pair, relu, softmax

Array = np.ndarray[Any, Any]


@pair_by_pair
def logits(weights: dict[str, Array], p: Array, h: Array) -> Array:
    a, b = bi_lstm(weights, "read", p), bi_lstm(weights, "read", h)  # (m, 2H), (n, 2H)
    a_sees = np.stack([softmax(b @ state) @ b for state in a])
    b_sees = np.stack([softmax(a @ state) @ a for state in b])
    v = np.concatenate([_composed(weights, a, a_sees), _composed(weights, b, b_sees)])
    return linear(weights, "classifier.4", relu(linear(weights, "classifier.1", v)))


def _composed(weights: dict[str, Array], states: Array, seen: Array) -> Array:
    enhanced = np.concatenate([states, seen, states - seen, states * seen], axis=1)
    composed = bi_lstm(weights, "compose", relu(linear(weights, "project", enhanced)))
    return np.concatenate([composed.mean(axis=0), composed.max(axis=0)])
