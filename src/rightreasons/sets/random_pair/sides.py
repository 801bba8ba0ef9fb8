"""Premises and hypotheses made ready for drawing: from here on everything is whole columns at a time."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons.core.keyed_random import draws
from rightreasons.sets.random_pair.draw import partners
from rightreasons.sets.random_pair.pool import related
from rightreasons.sets.random_pair.words import Overlap, coded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Rows = NDArray[np.int64]


class Sides:
    """The premises, the pool of hypotheses in the order of their sources, and what may not meet."""

    def __init__(
        self, premises: pl.DataFrame, pool: pl.DataFrame, pairs: pl.DataFrame, overlap: float
    ) -> None:
        """Take the two sides, all pairs known, and the share of content words that a pair may have in common."""
        self.premises = premises
        self.pool = pool
        self.overlap = overlap
        self.related = related(premises, pool, pairs)
        self.words = Overlap(*coded(premises["premise"], pool["hypothesis"]))

    @property
    def sources(self) -> list[tuple[str, int]]:
        """List the sources of hypotheses with their sizes."""
        return self.pool["source"].cast(pl.String).rle().struct.unnest().select("value", "len").rows()

    def drawn(self, per_source: int, *key: str | int) -> tuple[Rows, Rows]:
        """Draw hypotheses for every premise from each source: rows of the premises and of the pool."""
        rows, picks = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        numbers = self.premises["drawn"].to_numpy()
        start = 0
        for source, there in self.sources:
            # Every source has draws of its own, or all would take from the same places.
            keyed = numbers ^ draws([source], *key)
            left, right = partners(keyed, there, per_source, partial(self._refuses_from, start))
            rows.append(left)
            picks.append(right + start)
            start += there
        left, right = np.concatenate(rows), np.concatenate(picks)
        order = np.argsort(left, kind="stable")
        return left[order], right[order]

    def _refuses_from(self, start: int, left: Rows, right: Rows) -> NDArray[np.bool_]:
        return self.refuses(left, right + start)

    def refuses(self, left: Rows, right: Rows) -> NDArray[np.bool_]:
        """Tell which pairs are related, or share too many content words."""
        numbers = left * self.pool.height + right
        refused = np.zeros(len(left), dtype=np.bool_)
        if len(self.related):
            places = np.minimum(np.searchsorted(self.related, numbers), len(self.related) - 1)
            refused = self.related[places] == numbers
        if self.overlap < 1:
            refused |= self.words.share(left, right) > self.overlap
        return refused

    def filled(self, name: str, left: Rows, right: Rows) -> pl.DataFrame:
        """Write the pairs drawn."""
        premise = self.premises.select(
            "premise",
            pl.concat_str("file", pl.lit("/"), "id").alias("group"),
            pl.concat_str(pl.lit(f"{name}-"), "file", pl.lit("/"), "id", pl.lit("-")).alias("head"),
            "genre",
            pl.col("id").alias("source_id"),
            pl.col("file").alias("premise_source"),
        )[left]
        hypothesis = self.pool.select(
            "hypothesis",
            pl.concat_str("file", pl.lit("/"), "id").alias("tail"),
            pl.col("source").cast(pl.String).alias("subcase"),
            pl.col("id").alias("hypothesis_source_id"),
            pl.col("label").alias("hypothesis_label"),
        )[right]
        return pl.concat([premise, hypothesis], how="horizontal").select(
            pl.concat_str("head", "tail").alias("id"),
            "premise",
            "hypothesis",
            pl.lit("neutral").alias("label"),
            pl.lit(name).alias("set"),
            "subcase",
            "group",
            "genre",
            "source_id",
            "premise_source",
            "hypothesis_source_id",
            "hypothesis_label",
        )
