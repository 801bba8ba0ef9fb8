"""The columns of HANS on the Hugging Face hub, and integer labels whose names a parquet file carries.

There are no ids there: they come back as ex0, ex1, ... by row. The labels are numbers: 0 is entailment and 1
is non-entailment, unless the file says otherwise in its own metadata.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.corpora import hans
from rightreasons.errors import InputError
from rightreasons.labels import THREE, TWO
from rightreasons.pairs import PARSES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

COLUMNS = {
    "premise": "premise",
    "hypothesis": "hypothesis",
    "label": "label",
    "parse_premise": "premise_parse",
    "parse_hypothesis": "hypothesis_parse",
    "binary_parse_premise": "premise_binary_parse",
    "binary_parse_hypothesis": "hypothesis_binary_parse",
    "heuristic": "heuristic",
    "subcase": "subcase",
    "template": "template",
}
_KEY = "huggingface"


class HuggingFace:
    """The columns of HANS on the hub."""

    trees: tuple[str, ...] = PARSES

    def fits(self, columns: Iterable[str]) -> bool:
        """Tell whether the ten columns and no others are there."""
        return set(columns) == set(COLUMNS)

    def taken(self, table: pl.DataFrame, path: Path) -> tuple[pl.DataFrame, tuple[str, ...]]:
        """Rename the columns, name the labels and number the pairs."""
        hans.check_columns(table, COLUMNS, path)
        labels = table["label"]
        if labels.dtype.is_integer():
            labels = named_labels(labels, class_names(path) or TWO)
        return table.rename(COLUMNS).with_columns(labels, numbered(0, table.height)).select(hans.HELD), ()

    def held(self, pairs: pl.DataFrame, start: int) -> pl.DataFrame:
        """Give the columns of HANS, with ids by position."""
        return hans.Hans().held(pairs, start).with_columns(numbered(start, pairs.height))

    def shown(self, pairs: pl.DataFrame, labels: Iterable[str]) -> pl.DataFrame:
        """Give the columns their names on the hub, and the labels their numbers."""
        names = _order(labels)
        strange = sorted(set(pairs["label"].unique()) - set(names))
        if strange:
            raise InputError(f"The label {strange[0]} is not among {', '.join(names)}. Write another format.")
        numbers = pl.col("label").replace_strict(names, range(len(names)), return_dtype=pl.Int64)
        renamed = (pl.col(ours).alias(theirs) for theirs, ours in COLUMNS.items())
        return pairs.with_columns(numbers).select(renamed)

    def metadata(self, labels: Iterable[str]) -> dict[str, str]:
        """Say which number is which label, as the datasets library does."""
        kinds: dict[str, Any] = {name: {"dtype": "string", "_type": "Value"} for name in COLUMNS}
        kinds["label"] = {"names": list(_order(labels)), "_type": "ClassLabel"}
        return {_KEY: json.dumps({"info": {"features": kinds}})}


def numbered(start: int, count: int) -> pl.Series:
    """Make ids by position."""
    numbers = pl.select(id=pl.format("ex{}", pl.int_range(start, start + count)))
    return numbers["id"]


def class_names(path: Path) -> list[str] | None:
    """Read the names of integer labels from a parquet file, or None where it has none."""
    try:
        known = json.loads(pl.read_parquet_metadata(path)[_KEY])
        return [str(name) for name in known["info"]["features"]["label"]["names"]]
    except (pl.exceptions.PolarsError, KeyError, TypeError, ValueError):
        return None


def named_labels(labels: pl.Series, names: Sequence[str] | None) -> pl.Series:
    """Turn numbers into names; those without a name stay numbers, for the check of labels to judge."""
    known = {str(number): name for number, name in enumerate(names or ())}
    return labels.cast(pl.String).replace(known)


def _order(labels: Iterable[str]) -> tuple[str, ...]:
    """Choose the labels that the numbers stand for."""
    found = set(labels)
    for names in (TWO, THREE):
        if found <= set(names):
            return names
    raise InputError(f"Labels {', '.join(sorted(found))} have no common order. Write another format.")
