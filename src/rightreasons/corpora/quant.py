"""The released numerical stress test: no ids, and the plain text where others have the binary parse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.corpora.generic import NUMBERED, ordered, rename_columns, without_lists
from rightreasons.corpora.huggingface import numbered

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import polars as pl

COPIES = ("sentence1_binary_parse", "sentence2_binary_parse")
TEXT_NAMES = (("premise", "hypothesis"), ("sentence1", "sentence2"), COPIES)
NOT_THERE = {"pairID", "id", "sentence1_parse", "sentence2_parse"}
COPIED = "The binary parses were left out: they are copies of the texts."


class Quant:
    """The columns of the released numerical stress test, as JSON lines or as text."""

    trees: tuple[str, ...] = ()
    known = True

    def fits(self, columns: Iterable[str]) -> bool:
        """Tell whether there are labels and binary parses, but neither ids nor parses."""
        names = set(columns)
        return names >= {"gold_label", *COPIES} and not names & NOT_THERE

    def taken(self, table: pl.LazyFrame, path: Path) -> tuple[pl.LazyFrame, tuple[str, ...]]:
        """Take the texts from where they are, number the pairs, and leave the copies out."""
        columns = list(table.collect_schema())
        texts = next(pair for pair in TEXT_NAMES if set(pair) <= set(columns))
        names = {**dict(zip(texts, TEXT_NAMES[0], strict=True)), "gold_label": "label"}
        flat, remarks = without_lists(table, names, path)
        renamed = rename_columns(flat.drop("label", strict=False), names, path)
        pairs = renamed.with_columns(numbered()).drop(COPIES, strict=False)
        return pairs.select(ordered(pairs.collect_schema())), (*remarks, NUMBERED, COPIED)
