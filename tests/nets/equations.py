"""The layers that several references share, in numpy, for one sentence of shape (n, E) at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from batches import Sentence

Array = np.ndarray[Any, Any]


def relu(x: Array) -> Array:
    return np.maximum(x, 0)


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def softmax(x: Array) -> Array:
    """Normalise one row of scores."""
    powers = np.exp(x - x.max())
    return powers / powers.sum()


def linear(weights: dict[str, Array], name: str, x: Array) -> Array:
    """Apply W x + b to a vector, or to each row."""
    return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def match(u: Array, v: Array) -> Array:
    """Compare two sentence vectors without regard to the sign of their difference."""
    return np.concatenate([u, v, np.abs(u - v), u * v])


def lstm(weights: dict[str, Array], name: str, x: Array, suffix: str = "_l0") -> Array:
    """Read the rows of (n, E) in their order: the states (n, H); the suffix names layer and direction."""
    w, u = weights[f"{name}.weight_ih{suffix}"], weights[f"{name}.weight_hh{suffix}"]
    bias = weights[f"{name}.bias_ih{suffix}"] + weights[f"{name}.bias_hh{suffix}"]
    h = c = np.zeros(u.shape[1])
    states = []
    for row in x:
        i, f, g, o = np.split(w @ row + u @ h + bias, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        states.append(h)
    return np.stack(states)


def bi_lstm(weights: dict[str, Array], name: str, x: Array) -> Array:
    """Read the rows in both directions: (n, 2H)."""
    backward = lstm(weights, name, x[::-1], "_l0_reverse")[::-1]
    return np.concatenate([lstm(weights, name, x), backward], axis=1)


def pair_by_pair(one: Callable[[dict[str, Array], Array, Array], Array]) -> Callable[..., Array]:
    """Make a reference of the equations for one pair of sentences; it has no literal form."""

    def logits(
        weights: dict[str, Array],
        premise: list[Sentence],
        hypothesis: list[Sentence],
        *,
        literal: bool = False,
    ) -> Array:
        assert not literal
        return np.stack(
            [one(weights, p.vectors, h.vectors) for p, h in zip(premise, hypothesis, strict=True)]
        )

    return logits
