"""The cells that pairs are counted in: one for each combination of tags and gold label, and one for all labels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons.core.column_checks import RESERVED_PREFIX, ROW_COLUMN
from rightreasons.core.labels import LABELS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Counts = npt.NDArray[np.int64]

ALL = "all"
_FIRST, _PLACE = (
    f"{RESERVED_PREFIX}first",
    f"{RESERVED_PREFIX}place",
)  # beside tags, which may have any other name


@dataclass(frozen=True)
class Cells:
    """Rows of tags and `gold`, groups as the set first has them, in each the labels in their order and then `all`."""

    rows: pl.DataFrame
    pair_rows: Counts  # for each pair the row of its label
    total_rows: Counts  # for each row the one that sums up its group

    def count_by_row(self, hits: pl.Series | None = None) -> Counts:
        """Count in each row the pairs, or those that are hits."""
        found = self.pair_rows if hits is None else self.pair_rows[hits.to_numpy()]
        counts = np.bincount(found, minlength=self.rows.height).astype(np.int64)
        parts = self.total_rows != np.arange(self.rows.height)
        np.add.at(counts, self.total_rows[parts], counts[parts])
        return counts

    @cached_property
    def n(self) -> Counts:
        """The pairs in each row."""
        return self.count_by_row()


def find_cells(pairs: pl.DataFrame, gold: pl.Series, by: Sequence[str] = ()) -> Cells:
    """Find the cells of pairs by tags and gold label; a tag without a value is a group of its own."""
    table = pl.DataFrame([*(_make_json_safe(pairs[tag]) for tag in by), gold.alias("gold")]).with_row_index(
        ROW_COLUMN
    )
    found = table.group_by(*by, "gold", maintain_order=True).agg(ROW_COLUMN)
    found = found.with_columns(pl.col(ROW_COLUMN).list.min().alias(_FIRST))
    found = found.with_columns(pl.col(_FIRST).min().over(by) if by else pl.lit(0).alias(_FIRST))
    whole = found.unique(_FIRST, maintain_order=True).with_columns(
        pl.lit(ALL).alias("gold"), pl.lit([], dtype=found.schema[ROW_COLUMN]).alias(ROW_COLUMN)
    )
    order = pl.col("gold").cast(pl.Enum([*LABELS, ALL]))
    rows = pl.concat([found, whole]).sort(_FIRST, order, maintain_order=True).with_row_index(_PLACE)
    wholes = rows.select(pl.col(_PLACE).max().over(_FIRST)).to_series().to_numpy()
    of_pairs = np.empty(table.height, dtype=np.int64)
    lengths = rows[ROW_COLUMN].list.len().to_numpy()
    of_pairs[rows[ROW_COLUMN].explode(empty_as_null=False).to_numpy()] = np.repeat(
        np.arange(rows.height), lengths
    )
    return Cells(rows.drop(_PLACE, ROW_COLUMN, _FIRST), of_pairs, wholes.astype(np.int64))


def _make_json_safe(tag: pl.Series) -> pl.Series:
    """Make texts of values that JSON has no form for: dates, durations, decimals, and numbers that are none."""
    kind = tag.dtype
    if kind.is_float() and not tag.drop_nulls().is_finite().all():
        return cast_to_text(tag)
    if (
        kind.is_integer()
        or kind.is_float()
        or kind in (pl.String, pl.Categorical, pl.Enum, pl.Boolean, pl.Null)
    ):
        return tag
    return cast_to_text(tag)


def cast_to_text(tag: pl.Series) -> pl.Series:
    """Make texts of the values of a tag, which in a user's file may be of any type."""
    if tag.dtype == pl.Duration:  # which polars does not cast to a text
        return pl.Series(tag.name, [None if value is None else str(value) for value in tag], dtype=pl.String)
    return tag.cast(pl.String)


def choose_coarse_tag(pairs: pl.DataFrame) -> str | None:
    """Choose the tag that a set is shown by first: its heuristics, else its subcases if there are several."""
    for tag, fewest in (("heuristic", 1), ("subcase", 2)):
        if tag in pairs.columns and pairs[tag].drop_nulls().n_unique() >= fewest:
            return tag
    return None
