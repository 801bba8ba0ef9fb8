"""Would other label names lift the accuracy by more than chance does? A permutation test over the gold labels.

Under the null hypothesis predictions have nothing to do with gold labels. Then every pairing of the two is as likely
as the one at hand, whatever the shares of the labels: a model that always predicts one label, or a set of which most
pairs have one, lifts the accuracy under other names as much in every pairing, and is never taken for a sign. Pairs of
one cluster stay together: whole clusters of one size exchange their gold labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt
    import polars as pl

    Floats = npt.NDArray[np.float64]
    Counts = npt.NDArray[np.int64]

LEVEL = 0.01  # the share of false alarms
SHUFFLES = 999
SEED = 0


@dataclass(frozen=True)
class PermutedNames:
    """The kind of prediction and the gold label of each pair, and which kind is right on which under each order.

    The first order leaves the names as they are.
    """

    kind: Counts
    gold: Counts
    hits: npt.NDArray[np.bool_]  # orders x kinds x gold labels

    def count(self, gold: Counts) -> Counts:
        """Count the right predictions under each order, given the gold labels."""
        kinds, golds = self.hits.shape[1:]
        table = np.bincount(self.kind * golds + gold, minlength=kinds * golds)
        return np.asarray(self.hits.reshape(len(self.hits), -1) @ table)

    @cached_property
    def right(self) -> Counts:
        """The right predictions under each order."""
        return self.count(self.gold)

    @cached_property
    def expected(self) -> Floats:
        """What each order lifts on average over all pairings of predictions and gold labels."""
        kinds, golds = (np.bincount(codes, minlength=size) for codes, size in self._sides())
        means = self.hits.astype(np.float64) @ golds @ kinds / len(self.kind)
        return np.asarray(means - means[0])

    def _sides(self) -> Iterator[tuple[Counts, int]]:
        yield self.kind, self.hits.shape[1]
        yield self.gold, self.hits.shape[2]

    def lifted(self, right: Counts) -> Floats:
        """Say how many more predictions are right under each order than the shares of the labels explain."""
        return np.asarray(right - right[0] - self.expected)

    @property
    def excess(self) -> Floats:
        """The same for the gold labels at hand."""
        return self.lifted(self.right)


def exceeds_chance(found: PermutedNames, clusters: pl.Series | None = None, *, level: float = LEVEL) -> bool:
    """Tell whether some order lifts the accuracy by more than the best order does in all but 1% of the pairings."""
    rng = np.random.default_rng(SEED)
    blocks = list(_group_by_size(len(found.kind), clusters))
    observed = float(found.excess.max())
    allowed = int(level * (SHUFFLES + 1)) - 1  # the pairing at hand is one of them
    for _ in range(SHUFFLES):
        gold = found.gold.copy()
        for block in blocks:
            gold[block.ravel()] = found.gold[block[rng.permutation(len(block))].ravel()]
        if found.lifted(found.count(gold)).max() >= observed - 1e-9:
            allowed -= 1
            if allowed < 0:
                return False
    return True


def _group_by_size(n: int, clusters: pl.Series | None) -> Iterator[Counts]:
    """Collect clusters by their size: a table with a row of pairs for each cluster."""
    numbers = np.full(n, -1) if clusters is None else clusters.fill_null(-1).to_numpy()
    alone = np.flatnonzero(numbers == -1)
    if len(alone):
        yield alone[:, None]
    together = np.flatnonzero(numbers != -1)
    ordered = together[np.argsort(numbers[together], kind="stable")]
    _, starts, sizes = np.unique(numbers[ordered], return_index=True, return_counts=True)
    for size in np.unique(sizes):
        yield ordered[starts[sizes == size][:, None] + np.arange(size)[None, :]]
