"""Columns of published corpora: MultiNLI, SNLI, SICK, and the released numerical stress test.

MultiNLI and SNLI come as JSON lines, tab-separated text or CSV, from the authors, GLUE or the stress tests; with parses
and annotators' labels or without. The prompt or caption that a pair was written for becomes the tag `source_group`, the
annotators' labels one tag with commas.

SICK may be annotated with the rules by which its sentences were made from each other: a sentence carries a slot and
codes, such as `S2_det,lex`. The pair gets them as tags: `rule` (codes with commas), `slot`, and `rule_side`, the side
that was made by the rule. The original columns are kept.

The released numerical stress test has no ids, and plain text where others have the binary parse.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.labels import NO_GOLD
from rightreasons.core.pairs import TEXTS
from rightreasons.corpora.generic_columns import (
    NUMBERED,
    PARSE_NAMES,
    drop_list_columns,
    order_pair_columns,
    rename_columns,
)
from rightreasons.corpora.hub_columns import make_row_ids, read_label_names, replace_label_numbers

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

NLI_TEXT_NAMES = (("premise", "hypothesis"), ("sentence1", "sentence2"))
NLI_LABEL_NAMES = ("gold_label", "label")
GROUP_NAMES = ("captionID", "promptID")
ANNOTATORS = tuple(f"label{number}" for number in range(1, 6))
# One of these tells the corpora from other tables with a pairID; the copies in CSV have four columns only.
MARKS = {*GROUP_NAMES, *PARSE_NAMES, "annotator_labels", "label1"}
FEWEST = 4
OTHERS = {"id", "heuristic"}
HIDDEN = "hidden"  # in the test files of MultiNLI
# Before the e, n or c of the requested label, SNLI has the number of the writer too.
_GROUP_IN_ID = r"^(.+?)(?:r\d+)?[enc]$"
SICK_NAMES = {
    "pair_ID": "id",
    "sentence_A": "premise",
    "sentence_B": "hypothesis",
    "entailment_label": "label",
}
RULES = ("sentence_A_expRule", "sentence_B_expRule")
MISSPELT = {"les": "lex", "ap": "top"}
NO_RULE = "null"
COPIES = ("sentence1_binary_parse", "sentence2_binary_parse")
QUANT_TEXT_NAMES = (("premise", "hypothesis"), ("sentence1", "sentence2"), COPIES)
NOT_THERE = {"pairID", "id", "sentence1_parse", "sentence2_parse"}
COPIED = "The binary parses were left out: they are copies of the texts."


class NliColumns:
    """The columns of MultiNLI and SNLI."""

    trees: tuple[str, ...] = ("premise_parse", "hypothesis_parse")
    known = True

    def fits(self, columns: Iterable[str]) -> bool:
        """Return whether texts, label and pairID are there, and a mark of these corpora or nothing else."""
        names = set(columns)
        texts = any(names.issuperset(pair) for pair in NLI_TEXT_NAMES)
        needed = texts and "pairID" in names and bool(names & set(NLI_LABEL_NAMES))
        return needed and not names & OTHERS and (bool(names & MARKS) or len(names) == FEWEST)

    def convert_from_file(self, table: pl.LazyFrame, path: Path) -> tuple[pl.LazyFrame, tuple[str, ...]]:
        """Rename the columns, join the annotators' labels, and name the group that a pair belongs to."""
        columns = list(table.collect_schema())
        names = _map_nli_columns(columns)
        flat, remarks = drop_list_columns(_join_annotator_labels(table), names, path)
        pairs = rename_columns(
            _add_source_group(flat).drop(_list_redundant_label_columns(columns)), names, path
        )
        if pairs.collect_schema()["label"].is_integer():
            pairs = pairs.with_columns(replace_label_numbers(read_label_names(path)))
        pairs = pairs.with_columns(pl.col("label").cast(pl.String).replace(HIDDEN, NO_GOLD[1]))
        return pairs.select(order_pair_columns(pairs.collect_schema())), remarks


def _map_nli_columns(columns: list[str]) -> dict[str, str]:
    """Map the file's column names to ours."""
    texts = next(pair for pair in NLI_TEXT_NAMES if set(pair) <= set(columns))
    label = next(name for name in NLI_LABEL_NAMES if name in columns)
    parses = {name: ours for name, ours in PARSE_NAMES.items() if name in columns and ours not in columns}
    return {**dict(zip(texts, TEXTS, strict=True)), label: "label", "pairID": "id", **parses}


def _list_redundant_label_columns(columns: list[str]) -> list[str]:
    """Drop the numbers that the stress tests' loader added to the labels."""
    return ["label"] if set(NLI_LABEL_NAMES) <= set(columns) else []


def _join_annotator_labels(table: pl.LazyFrame) -> pl.LazyFrame:
    """Join the annotators' labels, a list or several columns, into one text."""
    schema = table.collect_schema()
    columns = [name for name in ANNOTATORS if name in schema]
    if isinstance(schema.get("annotator_labels"), pl.List):
        labels = pl.col("annotator_labels").cast(pl.List(pl.String))
    elif columns:
        labels = pl.concat_list(pl.col(columns).cast(pl.String))
    else:
        return table
    words = labels.list.filter((pl.element() != "") & pl.element().is_not_null()).list.join(",")
    return table.with_columns(pl.when(words != "").then(words).alias("annotator_labels")).drop(columns)


def _add_source_group(table: pl.LazyFrame) -> pl.LazyFrame:
    """Add the prompt or caption as source_group; if it is missing or equals the id, derive it from the id."""
    columns = [name for name in GROUP_NAMES if name in table.collect_schema()]
    pair = pl.col("pairID").cast(pl.String)
    named = [pl.col(name).cast(pl.String) for name in columns]
    honest = [pl.when(name != pair).then(name) for name in named]
    derived = pair.str.extract(_GROUP_IN_ID)
    return table.with_columns(pl.coalesce(*honest, derived).alias("source_group")).drop(columns)


class SickColumns:
    """The columns of SICK, with rules or without."""

    trees: tuple[str, ...] = ()
    known = True

    def fits(self, columns: Iterable[str]) -> bool:
        """Return whether the columns that SICK shares with no other file are there."""
        names = set(columns)
        return names >= set(SICK_NAMES) and not names & set(SICK_NAMES.values())

    def convert_from_file(self, table: pl.LazyFrame, path: Path) -> tuple[pl.LazyFrame, tuple[str, ...]]:
        """Rename the columns, and make clean tags of the rules."""
        flat, remarks = drop_list_columns(table, SICK_NAMES, path)
        pairs = flat.rename(SICK_NAMES)
        if set(RULES) <= set(pairs.collect_schema()):
            pairs = _add_rule_tags(pairs)
        return pairs.select(order_pair_columns(pairs.collect_schema())), remarks


def _add_rule_tags(pairs: pl.LazyFrame) -> pl.LazyFrame:
    """Add the rule of the side that was made by one; pairs of two other sentences have none."""
    codes = [_read_rule_codes(name).alias(name) for name in RULES]
    first, second = (made_by.is_not_null() for made_by in codes)
    rule = pl.when(first).then(RULES[0]).when(second).then(RULES[1]).str.strip_chars()
    side = pl.when(first).then(pl.lit("premise")).when(second).then(pl.lit("hypothesis"))
    return pairs.with_columns(
        pl.coalesce(codes).alias("rule"),
        rule.str.split("_").list.first().alias("slot"),
        side.alias("rule_side"),
    )


def _read_rule_codes(name: str) -> pl.Expr:
    """Read the codes behind the slot, spelt right; null where the sentence was not made by a rule."""
    words = pl.col(name).str.strip_chars().str.extract(r"^[^_]*_(.*)$").str.split(",")
    clean = words.list.eval(pl.element().str.strip_chars().replace(MISSPELT)).list.join(",")
    return pl.when(clean != NO_RULE).then(clean)


class QuantColumns:
    """The columns of the released numerical stress test, as JSON lines or as text."""

    trees: tuple[str, ...] = ()
    known = True

    def fits(self, columns: Iterable[str]) -> bool:
        """Return whether there are labels and binary parses, but neither ids nor parses."""
        names = set(columns)
        return names >= {"gold_label", *COPIES} and not names & NOT_THERE

    def convert_from_file(self, table: pl.LazyFrame, path: Path) -> tuple[pl.LazyFrame, tuple[str, ...]]:
        """Find the texts, number the pairs, and drop the copies."""
        columns = list(table.collect_schema())
        texts = next(pair for pair in QUANT_TEXT_NAMES if set(pair) <= set(columns))
        names = {**dict(zip(texts, QUANT_TEXT_NAMES[0], strict=True)), "gold_label": "label"}
        flat, remarks = drop_list_columns(table, names, path)
        renamed = rename_columns(flat.drop("label", strict=False), names, path)
        pairs = renamed.with_columns(make_row_ids()).drop(COPIES, strict=False)
        return pairs.select(order_pair_columns(pairs.collect_schema())), (*remarks, NUMBERED, COPIED)
