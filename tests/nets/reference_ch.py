"""CH in numpy, from its equations: step by step, so that the input gates are those of the cell itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from equations import bi_lstm, linear, match, relu

if TYPE_CHECKING:
    from batches import Sentence

Array = np.ndarray[Any, Any]


def logits(
    weights: dict[str, Array], premise: list[Sentence], hypothesis: list[Sentence], *, literal: bool = False
) -> Array:
    """Compute the logits of each pair: (B, labels)."""
    rows = []
    us, vs = _encode(weights, premise, literal=literal), _encode(weights, hypothesis, literal=literal)
    for u, v in zip(us, vs, strict=True):
        features = match(u, v)
        first = relu(linear(weights, "first", features))
        second = relu(linear(weights, "second", np.concatenate([features, first])))
        rows.append(linear(weights, "output", second))
    return np.stack(rows)


def _encode(weights: dict[str, Array], sentences: list[Sentence], *, literal: bool) -> list[Array]:
    longest = max(len(sentence.vectors) for sentence in sentences)
    return [
        _pool(weights, _words(weights, one), zero=literal and len(one.vectors) < longest) for one in sentences
    ]


def _words(weights: dict[str, Array], sentence: Sentence) -> Array:
    spelled = np.stack([_spelling(weights, word) for word in sentence.letters])
    return np.concatenate([sentence.vectors, spelled], axis=1)


def _spelling(weights: dict[str, Array], word: list[int]) -> Array:
    table, parts = weights["letters.table.weight"], []
    for at in range(3):
        filters = weights[f"letters.filters.{at}.weight"]  # (F, size, width)
        width = filters.shape[2]
        letters = np.zeros((max(len(word), width), table.shape[1]))
        letters[: len(word)] = table[word]
        windows = [
            np.tensordot(filters, letters[start : start + width].T)
            for start in range(len(letters) - width + 1)
        ]
        parts.append(relu(np.max(windows, axis=0)))
    return np.concatenate(parts)


def _pool(weights: dict[str, Array], words: Array, *, zero: bool) -> Array:
    first = bi_lstm(weights, "layers.0", words)
    second = bi_lstm(weights, "layers.1", np.concatenate([first, words], axis=1))
    read = np.concatenate([second, words], axis=1)
    states, gates = bi_lstm(weights, "layers.2", read), _gates(weights, "layers.2", read)
    share = np.sqrt((gates**2).sum(axis=1))
    largest = np.maximum(states.max(axis=0), 0) if zero else states.max(axis=0)
    return np.concatenate([states.mean(axis=0), largest, (share / share.sum()) @ states])


def _gates(weights: dict[str, Array], name: str, read: Array) -> Array:
    """Run both directions of an LSTM step by step and keep what its input gates said: (n, 2H)."""
    onward = _direction(weights, f"{name}.{{}}_l0", read)
    backward = _direction(weights, f"{name}.{{}}_l0_reverse", read[::-1])[::-1]
    return np.concatenate([onward, backward], axis=1)


def _direction(weights: dict[str, Array], name: str, read: Array) -> Array:
    inner = weights[name.format("weight_hh")]
    state = cell = np.zeros(inner.shape[1])
    gates = []
    for row in read:
        given = weights[name.format("weight_ih")] @ row + weights[name.format("bias_ih")]
        i, f, g, o = np.split(given + inner @ state + weights[name.format("bias_hh")], 4)
        gates.append(1 / (1 + np.exp(-i)))
        cell = cell / (1 + np.exp(-f)) + gates[-1] * np.tanh(g)
        state = np.tanh(cell) / (1 + np.exp(-o))
    return np.stack(gates)
