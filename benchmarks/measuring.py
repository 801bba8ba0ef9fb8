"""Shared by predict.py and train.py: the clock, the best of several runs, the matrix-multiply rate of the machine."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

CLOCK = [time.perf_counter]  # or time.process_time on a busy machine


def count_operations(config: Any, lengths: NDArray[np.int64], *, narrow: bool) -> float:
    """Count the operations of matrix products on real tokens; narrow graphs keep one token in the last layer."""
    wide, middle = config.hidden_size, config.intermediate_size
    tokens, squares = float(lengths.sum()), float((lengths.astype(float) ** 2).sum())
    layer = 2 * tokens * (4 * wide * wide + 2 * wide * middle) + 4 * squares * wide
    spared = 2 * (tokens - len(lengths)) * (wide * wide + 2 * wide * middle) if narrow else 0.0
    return float(config.num_hidden_layers * layer - spared + 2 * len(lengths) * wide * wide)


def measure_matrix_rate(config: Any, rows: int = 1024) -> float:
    """Measure the operations per second of one layer's matrix products, with numpy or torch, whichever is faster."""
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
    return max(work / time_best(way, 5) for way in ways)


def time_best(way: Callable[[], object], times: int) -> float:
    """Time the shortest of several runs, in seconds."""
    seconds = []
    for _ in range(times):
        start = CLOCK[0]()
        way()
        seconds.append(CLOCK[0]() - start)
    return min(seconds)
