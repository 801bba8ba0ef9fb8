"""The eleven columns of HANS: tab-separated text without quotes, or JSON lines with the same keys.

All that HANS has survives both ways. What it has no column for is left out on writing: set, subvariant,
trigger, category, group, rank, and the tags of other sets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.core.pairs import PARSE_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

HANS_COLUMNS = {
    "gold_label": "label",
    "sentence1_binary_parse": "premise_binary_parse",
    "sentence2_binary_parse": "hypothesis_binary_parse",
    "sentence1_parse": "premise_parse",
    "sentence2_parse": "hypothesis_parse",
    "sentence1": "premise",
    "sentence2": "hypothesis",
    "pairID": "id",
    "heuristic": "heuristic",
    "subcase": "subcase",
    "template": "template",
}
TAGS = ("heuristic", "subcase", "template")
HELD = ("id", "premise", "hypothesis", "label", *TAGS, *PARSE_COLUMNS)


class HansColumns:
    """The columns of the released HANS files."""

    trees: tuple[str, ...] = PARSE_COLUMNS
    known = False

    def fits(self, columns: Iterable[str]) -> bool:
        """Return whether the eleven columns and no others are there."""
        return set(columns) == set(HANS_COLUMNS)

    def convert_from_file(self, table: pl.LazyFrame, path: Path) -> tuple[pl.LazyFrame, tuple[str, ...]]:
        """Rename the columns."""
        refuse_missing_columns(table, HANS_COLUMNS, path)
        return table.rename(HANS_COLUMNS).select(HELD), ()

    def simulate_round_trip(self, pairs: pl.DataFrame, start: int) -> pl.DataFrame:  # noqa: ARG002 - other shapes count
        """Return the eleven columns; missing binary parses are derived."""
        return add_binary_parses(pairs).select(pl.col(name).cast(pl.String) for name in HELD)

    def convert_to_file(self, pairs: pl.DataFrame, labels: Iterable[str]) -> pl.DataFrame:  # noqa: ARG002 - as above
        """Rename and order the columns as in HANS."""
        return pairs.select(pl.col(ours).alias(theirs) for theirs, ours in HANS_COLUMNS.items())

    def metadata(self, labels: Iterable[str]) -> dict[str, str]:  # noqa: ARG002 - as above
        """Return no metadata."""
        return {}


def refuse_missing_columns(table: pl.LazyFrame, columns: Iterable[str], path: Path) -> None:
    """Refuse a file that lacks one of the columns."""
    has = table.collect_schema()
    missing = [name for name in columns if name not in has]
    if missing:
        raise InputError(
            f"{path}, line 1: the header has no {', '.join(missing)}. Correct the header, or omit the format."
        )


def add_binary_parses(pairs: pl.DataFrame) -> pl.DataFrame:
    """Check tags and parses, and derive missing binary parses."""
    missing = [name for name in (*TAGS, *PARSE_COLUMNS[:2]) if name not in pairs.columns]
    if missing:
        advice = "Generate the set with parses" if "parse" in missing[0] else "Save it as parquet or jsonl"
        raise InputError(
            f"The HANS formats need the column {missing[0]}, which is missing from the set. {advice}."
        )
    for name in PARSE_COLUMNS[:2]:
        without = pairs.filter(pl.col(name).is_null())["id"]
        if len(without):
            raise InputError(f"Pair {without[0]} has no {name}. Generate the set with parses.")
    return pairs.with_columns(_get_binary_parses(pairs, name) for name in PARSE_COLUMNS[2:])


def _get_binary_parses(pairs: pl.DataFrame, name: str) -> pl.Series:
    from rightreasons.core.trees import binarise_column

    if name in pairs.columns and pairs[name].null_count() == 0:
        return pairs[name]
    return binarise_column(pairs[name.replace("_binary", "")]).rename(name)
