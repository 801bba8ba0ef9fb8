"""SPINN in numpy, from its equations: one tree at a time, from the words up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from equations import linear, relu, sigmoid

if TYPE_CHECKING:
    from batches import Sentence, Tree

Array = np.ndarray[Any, Any]


def logits(
    weights: dict[str, Array],
    premise: list[Sentence],
    hypothesis: list[Sentence],
    *,
    literal: bool = False,
) -> Array:
    """Compute the logits of each pair: (B, labels)."""
    u, v = (
        np.stack([root(weights, one.vectors, one.tree) for one in side]) for side in (premise, hypothesis)
    )
    x = np.concatenate([u, v, u - v, u * v], axis=1)
    places = sorted(
        int(name.split(".")[1]) for name in weights if name.startswith("classifier") and "bias" in name
    )
    for norm, layer in zip(places[0::2], places[1::2], strict=False):  # a layer follows each norm
        x = _normalised(weights, f"classifier.{norm}", x, literal=literal)
        x = linear(weights, f"classifier.{layer}", x)
        x = x if layer == places[-1] else relu(x)
    return x


def _normalised(weights: dict[str, Array], name: str, x: Array, *, literal: bool) -> Array:
    if literal:
        x = (x - x.mean()) / (x.std(ddof=1) + 1e-5)
    else:
        x = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    return x * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def root(weights: dict[str, Array], vectors: Array, tree: Tree) -> Array:
    """Give the hidden vector of a tree."""
    return _state(weights, linear(weights, "leaf", vectors), tree)[1]


def _state(weights: dict[str, Array], leaves: Array, tree: Tree) -> tuple[Array, Array]:
    if isinstance(tree, int):
        c, h = np.split(leaves[tree], 2)
        return c, h
    (c_l, h_l), (c_r, h_r) = (_state(weights, leaves, part) for part in tree)
    w_l, w_r = np.split(weights["compose.weight"], 2, axis=1)
    i, f_l, f_r, o, g = np.split(w_l @ h_l + w_r @ h_r + weights["compose.bias"], 5)
    c = sigmoid(f_l + 1) * c_l + sigmoid(f_r + 1) * c_r + sigmoid(i) * np.tanh(g)
    return c, sigmoid(o) * np.tanh(c)
