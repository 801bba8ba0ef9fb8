"""The NYU BiLSTM in numpy, from its equations."""

from __future__ import annotations

from typing import Any

import numpy as np
from equations import bi_lstm, linear, pair_by_pair, relu

Array = np.ndarray[Any, Any]


@pair_by_pair
def logits(weights: dict[str, Array], p: Array, h: Array) -> Array:
    u = bi_lstm(weights, "premise", p).mean(axis=0)
    v = bi_lstm(weights, "hypothesis", h).mean(axis=0)
    hidden = relu(linear(weights, "classifier.0", np.concatenate([u, v, u - v, u * v])))
    return linear(weights, "classifier.3", hidden)
