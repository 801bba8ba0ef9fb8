"""Models that don't read: one always gives the same answer, one throws dice."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core import labels
from rightreasons.core.errors import InputError
from rightreasons.core.labels import TWO
from rightreasons.core.parts import Model

if TYPE_CHECKING:
    from collections.abc import Sequence

DIGEST_BITS = 64


class Majority(Model):
    """A model that always gives one label.

    A model never sees the true labels, so the label is an option and isn't counted from the set. The default
    is entailment: HANS has as many pairs of either label, so either is a majority there.
    """

    name = "majority"

    def __init__(self, label: str = labels.ENTAILMENT) -> None:
        """Choose the label, by any word that stands for it."""
        self.label = labels.resolve(label)

    def predict(self, pairs: pl.DataFrame) -> pl.DataFrame:
        """Give the one label to every pair."""
        return pairs.select("id", label=pl.lit(self.label))


class Random(Model):
    """A model that draws each answer from the labels, all alike.

    An answer depends on the seed and the pair's id alone: not on the order of the pairs nor
    on which others are asked.
    """

    name = "random"
    labels: tuple[str, ...] = ()

    def __init__(self, seed: int = 0, labels: Sequence[str] = TWO) -> None:
        """Choose the seed and the labels to draw from."""
        self.seed = seed
        self.labels = _resolved(labels)

    def predict(self, pairs: pl.DataFrame) -> pl.DataFrame:
        """Draw a label for every pair."""
        key = str(self.seed).encode()
        draws = (blake2b(pair.encode(), key=key, digest_size=DIGEST_BITS // 8) for pair in pairs["id"])
        # Scaling the whole digest keeps the labels equally likely; a remainder would need a power of two.
        picks = [int.from_bytes(draw.digest()) * len(self.labels) >> DIGEST_BITS for draw in draws]
        names = pl.Series(self.labels, dtype=pl.String)
        return pairs.select("id", label=names.gather(pl.Series(picks, dtype=pl.UInt32)))


def _resolved(words: Sequence[str]) -> tuple[str, ...]:
    """Resolve label words; none twice, at least one."""
    found = tuple(labels.resolve(word) for word in ([words] if isinstance(words, str) else words))
    if not found or len(set(found)) != len(found):
        raise InputError(f"The labels to draw from are {words!r}. Give at least one label, and none twice.")
    return found
