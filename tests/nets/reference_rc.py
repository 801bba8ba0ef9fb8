"""RC in numpy, from its equations, in the form of the paper and in that of the released code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from equations import bi_lstm, linear, relu, softmax

if TYPE_CHECKING:
    from batches import Sentence

Array = np.ndarray[Any, Any]


def logits(
    weights: dict[str, Array], premise: list[Sentence], hypothesis: list[Sentence], *, literal: bool = False
) -> Array:
    """Compute the logits of each pair: (B, labels)."""
    encode = _encode_literally if literal else _encode
    us, vs = encode(weights, "premise", premise), encode(weights, "hypothesis", hypothesis)
    rows = []
    for u, v in zip(us, vs, strict=True):
        hidden = relu(linear(weights, "classifier.0", np.concatenate([u, v, u * v, np.abs(u - v)])))
        hidden = relu(linear(weights, "classifier.3", hidden))
        rows.append(linear(weights, "classifier.6", hidden))
    return np.stack(rows)


def _encode(weights: dict[str, Array], side: str, sentences: list[Sentence]) -> list[Array]:
    pooled = []
    for sentence in sentences:
        states = bi_lstm(weights, "lstm", sentence.vectors)  # (n, 2H)
        attention = softmax(_scores(weights, side, states, states.mean(axis=0)))
        pooled.append(attention @ states)
    return pooled


def _encode_literally(weights: dict[str, Array], side: str, sentences: list[Sentence]) -> list[Array]:
    longest = max(len(sentence.vectors) for sentence in sentences)
    states, scores = [], []
    for sentence in sentences:
        padding = np.zeros((longest - len(sentence.vectors), sentence.vectors.shape[1]))
        states.append(
            bi_lstm(weights, "lstm", np.concatenate([sentence.vectors, padding]))
        )  # reads the padding too
        mean = states[-1][: len(sentence.vectors)].mean(axis=0)
        scores.append(_scores(weights, side, states[-1], mean))
    by_place = [softmax(column) for column in np.stack(scores).T]  # over the batch, place by place
    return [attention @ one for attention, one in zip(np.stack(by_place).T, states, strict=True)]


def _scores(weights: dict[str, Array], side: str, states: Array, mean: Array) -> Array:
    mixed = np.tanh(states @ weights[f"{side}.states.weight"].T + weights[f"{side}.mean.weight"] @ mean)
    return mixed @ weights[f"{side}.score.weight"][0]
