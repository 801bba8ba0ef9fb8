"""What is wrong in a known corpus, and can't be corrected there, is repaired here and counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.pairs import TEXTS
from rightreasons.corpora.brackets import malformed

if TYPE_CHECKING:
    from collections.abc import Iterable


def repaired(pairs: pl.DataFrame, trees: Iterable[str]) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Leave out pairs with a blank text and malformed trees, make ids unique, and say how many there were."""
    whole, blank = _without_blank_texts(pairs)
    named, repeated = with_unique_ids(whole)
    planted, broken = _without_malformed_trees(named, trees)
    return planted, (*blank, *repeated, *broken)


def with_unique_ids(table: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Put #2, #3 and so on behind ids that are there already."""
    again = int((~table["id"].is_first_distinct()).sum())
    if not again:
        return table, []
    number = pl.int_range(1, pl.len() + 1).over("id")
    ids = pl.when(number > 1).then(pl.format("{}#{}", "id", number)).otherwise("id")
    return table.with_columns(ids.alias("id")), [
        f"{again} ids were there already: #2, #3 ... tell them apart."
    ]


def _without_blank_texts(pairs: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    texts = [name for name in TEXTS if name in pairs.columns]
    blank = (pl.col(name).is_null() | (pl.col(name).str.strip_chars() == "") for name in texts)
    whole = pairs.filter(~pl.any_horizontal(blank)) if texts else pairs
    gone = pairs.height - whole.height
    return whole, [f"{gone} of {pairs.height} pairs have a blank text and were left out."] if gone else []


def _without_malformed_trees(pairs: pl.DataFrame, trees: Iterable[str]) -> tuple[pl.DataFrame, list[str]]:
    said = []
    for name in (name for name in trees if name in pairs.columns):
        wrong = malformed(pairs[name].cast(pl.String), binary="binary" in name)
        if wrong.any():
            said.append(f"{wrong.sum()} trees in {name} are malformed and were left out.")
            pairs = pairs.with_columns(pl.when(~wrong).then(name).alias(name))
    return pairs, said
