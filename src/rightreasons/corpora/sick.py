"""SICK, plain or annotated with the rules by which its sentences were made from each other.

In the annotated file a sentence carries a slot and codes, such as `S2_det,lex`. The pair gets them as clean tags:
`rule` (codes with commas), `slot`, and `rule_side`, the side that was made by the rule. What the file says stays too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rightreasons.corpora.generic import ordered, without_lists

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

NAMES = {
    "pair_ID": "id",
    "sentence_A": "premise",
    "sentence_B": "hypothesis",
    "entailment_label": "label",
}
RULES = ("sentence_A_expRule", "sentence_B_expRule")
MISSPELT = {"les": "lex", "ap": "top"}
NO_RULE = "null"


class Sick:
    """The columns of SICK, with rules or without."""

    trees: tuple[str, ...] = ()
    known = True

    def fits(self, columns: Iterable[str]) -> bool:
        """Tell whether the columns that SICK shares with no other file are there."""
        names = set(columns)
        return names >= set(NAMES) and not names & set(NAMES.values())

    def taken(self, table: pl.LazyFrame, path: Path) -> tuple[pl.LazyFrame, tuple[str, ...]]:
        """Rename the columns, and make clean tags of the rules."""
        flat, remarks = without_lists(table, NAMES, path)
        pairs = flat.rename(NAMES)
        if set(RULES) <= set(pairs.collect_schema()):
            pairs = _with_rules(pairs)
        return pairs.select(ordered(pairs.collect_schema())), remarks


def _with_rules(pairs: pl.LazyFrame) -> pl.LazyFrame:
    """Give a pair the rule of the side that has one; between two other sentences there is none."""
    made = [_codes(name).alias(name) for name in RULES]
    first, second = (made_by.is_not_null() for made_by in made)
    given = pl.when(first).then(RULES[0]).when(second).then(RULES[1]).str.strip_chars()
    side = pl.when(first).then(pl.lit("premise")).when(second).then(pl.lit("hypothesis"))
    return pairs.with_columns(
        pl.coalesce(made).alias("rule"),
        given.str.split("_").list.first().alias("slot"),
        side.alias("rule_side"),
    )


def _codes(name: str) -> pl.Expr:
    """Read the codes behind the slot, spelt right; null where the sentence was not made by a rule."""
    words = pl.col(name).str.strip_chars().str.extract(r"^[^_]*_(.*)$").str.split(",")
    clean = words.list.eval(pl.element().str.strip_chars().replace(MISSPELT)).list.join(",")
    return pl.when(clean != NO_RULE).then(clean)
