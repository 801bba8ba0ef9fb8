"""What the matrix products of a network cost, and how fast this machine does them, for benchmarks/predict.py."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

CLOCK = [time.perf_counter]  # or the time of the processor, on a machine that has other work


def operations(config: Any, lengths: NDArray[np.int64], *, narrow: bool) -> float:
    """Count the operations of matrix products on real tokens; narrow graphs end their last layer on the first."""
    wide, middle = config.hidden_size, config.intermediate_size
    tokens, squares = float(lengths.sum()), float((lengths.astype(float) ** 2).sum())
    layer = 2 * tokens * (4 * wide * wide + 2 * wide * middle) + 4 * squares * wide
    spared = 2 * (tokens - len(lengths)) * (wide * wide + 2 * wide * middle) if narrow else 0.0
    return float(config.num_hidden_layers * layer - spared + 2 * len(lengths) * wide * wide)


def matrix_rate(config: Any, rows: int = 1024) -> float:
    """Measure operations a second of one layer's products, by the faster of numpy and torch."""
    wide, middle = config.hidden_size, config.intermediate_size
    shapes = [(wide, wide)] * 4 + [(wide, middle), (middle, wide)]
    chance = np.random.default_rng(0)
    tables = [
        (chance.random((rows, a), dtype=np.float32), chance.random((a, b), dtype=np.float32))
        for a, b in shapes
    ]
    tensors = [(torch.from_numpy(a), torch.from_numpy(b)) for a, b in tables]
    work = sum(2.0 * rows * a * b for a, b in shapes)
    ways = (lambda: [a @ b for a, b in tables], lambda: [torch.mm(a, b) for a, b in tensors])
    return max(work / best_of(way, 5) for way in ways)


def best_of(way: Callable[[], object], times: int) -> float:
    """Measure the shortest of some runs, in seconds."""
    seconds = []
    for _ in range(times):
        start = CLOCK[0]()
        way()
        seconds.append(CLOCK[0]() - start)
    return min(seconds)
