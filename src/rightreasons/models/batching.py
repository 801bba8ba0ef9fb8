"""Which pairs are asked together: those of like length, the longest first, with hardly any padding."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from rightreasons.core.parts import Rows

WASTE = 0.03  # of a full batch, the most that may be padding
REPAID = 50  # a job must be so many times the trial of its batch sizes
BETTER = 1.03  # a batch size must be so much faster than the usual one to be preferred
_TRIES = 2  # the first time that a shape is seen, memory is laid out for it


@dataclass(frozen=True)
class Limit:
    """How much goes into a batch: tokens, padding among them, or pairs; one pair always does."""

    tokens: int | None = None
    pairs: int | None = None

    def room(self, length: int) -> int:
        """Count the tokens of a full batch whose longest row has that many."""
        return self.tokens or (self.pairs or 1) * length


def deal(lengths: NDArray[np.int64], rows: NDArray[np.int64], limit: Limit) -> list[Rows]:
    """Deal pairs into batches by the length of each pair's longest row, and by how many rows it has.

    The longest come first, so that memory that doesn't suffice is found out at once.
    """
    order = np.argsort(-lengths, kind="stable")
    sizes, widths = lengths[order], rows[order]
    batches: list[Rows] = []
    start = 0
    while start < len(order):
        stop = start + _fitting(sizes[start:], widths[start:], limit)
        batches.append(order[start:stop])
        start = stop
    return batches


def deal_both(lengths: NDArray[np.int64], limit: Limit) -> list[Rows]:
    """Deal pairs into batches in which premises are about as long, and hypotheses, too: each side is padded by itself.

    `lengths` has a column for each side (pairs, 2). About the longest come first, as in `deal`.
    """
    order = np.argsort(-interleaved(lengths), kind="stable")
    batches: list[Rows] = []
    start = premise = hypothesis = 0
    for place, (first, second) in enumerate(lengths[order].tolist()):
        premise, hypothesis = max(premise, first), max(hypothesis, second)
        pairs = place + 1 - start
        if pairs > 1 and pairs * (premise + hypothesis) > limit.room(premise + hypothesis):
            batches.append(order[start:place])
            start, premise, hypothesis = place, first, second
    return [*batches, order[start:]] if len(order) else []


def interleaved(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Make one number of two, bit by bit in turn: numbers that are near each other have both lengths alike."""
    key = np.zeros(len(lengths), dtype=np.int64)
    for bit in range(int(lengths.max(initial=1)).bit_length()):
        first, second = (lengths >> bit & 1).T
        key |= (first << 2 * bit + 1) | (second << 2 * bit)
    return key


def _fitting(sizes: NDArray[np.int64], widths: NDArray[np.int64], limit: Limit) -> int:
    """Count the pairs of the next batch, of pairs that are sorted from the longest."""
    longest = int(sizes[0])
    room = limit.room(longest)
    near = slice(0, limit.pairs or max(1, room // longest))
    area = np.cumsum(widths[near]) * longest
    padding = area - np.cumsum(widths[near] * sizes[near])
    fits = padding <= WASTE * room
    if limit.tokens:
        fits &= area <= room
    return max(1, int(fits.sum()))


def best_tokens(
    usual: int, others: Sequence[int], lengths: NDArray[np.int64], ask: Callable[[NDArray[np.int64]], object]
) -> int:
    """Find how many tokens a batch should have, by a short trial if the job is large enough to repay it.

    Args:
        usual: taken where there is no trial.
        others: to be tried beside the usual one.
        lengths: of all rows of the job.
        ask: answers some rows; the trial asks about rows of the middle length.
    """
    sizes = (usual, *others)
    if not others or int(lengths.sum()) < REPAID * _TRIES * sum(sizes):
        return usual
    order = np.argsort(lengths, kind="stable")
    middle = int(lengths[order[len(order) // 2]])
    rates = {size: _rate(order, max(1, size // middle), ask) for size in sizes}
    best = max(rates, key=lambda size: rates[size])
    return best if rates[best] > BETTER * rates[usual] else usual


def _rate(order: NDArray[np.int64], rows: int, ask: Callable[[NDArray[np.int64]], object]) -> float:
    """Measure rows a second on the rows in the middle; a batch that memory doesn't hold has none."""
    start = max(0, (len(order) - rows) // 2)
    batch = order[start : start + rows]
    seconds = []
    for _ in range(_TRIES):
        begin = time.perf_counter()
        try:
            ask(batch)
        except MemoryError:
            return 0.0
        seconds.append(time.perf_counter() - begin)
    return len(batch) / min(seconds)
