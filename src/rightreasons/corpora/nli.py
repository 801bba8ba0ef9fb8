"""The columns of MultiNLI and SNLI, as the authors, GLUE and the stress tests give them.

They come as JSON lines, as text with tabs, or as CSV; with parses and annotators' labels or without. The prompt or
caption that a pair was written for becomes the tag `source_group`, the annotators' labels one tag with commas.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.labels import NO_GOLD
from rightreasons.core.pairs import TEXTS
from rightreasons.corpora.generic import PARSE_NAMES, ordered, rename_columns, without_lists
from rightreasons.corpora.huggingface import class_names, named_labels

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

TEXT_NAMES = (("premise", "hypothesis"), ("sentence1", "sentence2"))
LABEL_NAMES = ("gold_label", "label")
GROUP_NAMES = ("captionID", "promptID")
ANNOTATORS = tuple(f"label{number}" for number in range(1, 6))
# One of these tells the corpora from other tables with a pairID; the copies in CSV have four columns only.
MARKS = {*GROUP_NAMES, *PARSE_NAMES, "annotator_labels", "label1"}
FEWEST = 4
OTHERS = {"id", "heuristic"}
HIDDEN = "hidden"  # in the test files of MultiNLI
# Before an e, n or c for the label that was asked for, SNLI has the number of the writer too.
_GROUP_IN_ID = r"^(.+?)(?:r\d+)?[enc]$"


class Nli:
    """The columns of MultiNLI and SNLI."""

    trees: tuple[str, ...] = ("premise_parse", "hypothesis_parse")
    known = True

    def fits(self, columns: Iterable[str]) -> bool:
        """Tell whether texts, label and pairID are there, and a mark of these corpora or nothing else."""
        names = set(columns)
        texts = any(names.issuperset(pair) for pair in TEXT_NAMES)
        needed = texts and "pairID" in names and bool(names & set(LABEL_NAMES))
        return needed and not names & OTHERS and (bool(names & MARKS) or len(names) == FEWEST)

    def taken(self, table: pl.LazyFrame, path: Path) -> tuple[pl.LazyFrame, tuple[str, ...]]:
        """Rename the columns, join the annotators' labels, and name the group that a pair belongs to."""
        columns = list(table.collect_schema())
        names = _names(columns)
        flat, remarks = without_lists(_with_annotators(table), names, path)
        pairs = rename_columns(_with_group(flat).drop(_second_label(columns)), names, path)
        if pairs.collect_schema()["label"].is_integer():
            pairs = pairs.with_columns(named_labels(class_names(path)))
        pairs = pairs.with_columns(pl.col("label").cast(pl.String).replace(HIDDEN, NO_GOLD[1]))
        return pairs.select(ordered(pairs.collect_schema())), remarks


def _names(columns: list[str]) -> dict[str, str]:
    """Say which column becomes which."""
    texts = next(pair for pair in TEXT_NAMES if set(pair) <= set(columns))
    label = next(name for name in LABEL_NAMES if name in columns)
    parses = {name: ours for name, ours in PARSE_NAMES.items() if name in columns and ours not in columns}
    return {**dict(zip(texts, TEXTS, strict=True)), label: "label", "pairID": "id", **parses}


def _second_label(columns: list[str]) -> list[str]:
    """Leave out the numbers that the stress tests' loader put beside the labels."""
    return ["label"] if set(LABEL_NAMES) <= set(columns) else []


def _with_annotators(table: pl.LazyFrame) -> pl.LazyFrame:
    """Make one text of the annotators' labels, be they a list or columns."""
    schema = table.collect_schema()
    columns = [name for name in ANNOTATORS if name in schema]
    if isinstance(schema.get("annotator_labels"), pl.List):
        given = pl.col("annotator_labels").cast(pl.List(pl.String))
    elif columns:
        given = pl.concat_list(pl.col(columns).cast(pl.String))
    else:
        return table
    words = given.list.filter((pl.element() != "") & pl.element().is_not_null()).list.join(",")
    return table.with_columns(pl.when(words != "").then(words).alias("annotator_labels")).drop(columns)


def _with_group(table: pl.LazyFrame) -> pl.LazyFrame:
    """Name the prompt or caption; where none is given, or the id in its place, the id tells it."""
    given = [name for name in GROUP_NAMES if name in table.collect_schema()]
    pair = pl.col("pairID").cast(pl.String)
    named = [pl.col(name).cast(pl.String) for name in given]
    honest = [pl.when(name != pair).then(name) for name in named]
    told = pair.str.extract(_GROUP_IN_ID)
    return table.with_columns(pl.coalesce(*honest, told).alias("source_group")).drop(given)
