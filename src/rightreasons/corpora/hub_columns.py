"""The columns of HANS on the Hugging Face hub, and integer labels whose names a parquet file carries.

There is no column of ids there: pairs are ex0, ex1, ... by row, unless a parquet file that we wrote keeps other
ids in its metadata. The labels are numbers: 0 is entailment and 1 is non-entailment, unless the metadata say
otherwise.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.core.labels import THREE_LABELS, TWO_LABELS
from rightreasons.core.pairs import PARSE_COLUMNS
from rightreasons.corpora import hans_columns
from rightreasons.io.inputs import get_spooled_path
from rightreasons.io.polars_io import read_parquet_metadata

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
_IDS = "rightreasons.ids"
MOST_IDS = 1_000_000  # other readers of parquet refuse metadata that are larger by far


class HubColumns:
    """The columns of HANS on the hub."""

    trees: tuple[str, ...] = PARSE_COLUMNS
    known = False

    def __init__(self, ids: pl.Series | None = None) -> None:
        """Choose the ids to keep in the metadata; without any the pairs are numbered by row."""
        self.ids = ids

    def fits(self, columns: Iterable[str]) -> bool:
        """Return whether the ten columns and no others are there."""
        return set(columns) == set(COLUMNS)

    def convert_from_file(self, table: pl.LazyFrame, path: Path) -> tuple[pl.LazyFrame, tuple[str, ...]]:
        """Rename the columns, name the labels, and give the pairs their ids."""
        hans_columns.refuse_missing_columns(table, COLUMNS, path)
        pairs = table.rename(COLUMNS).with_columns(_read_kept_ids(table, path))
        if table.collect_schema()["label"].is_integer():
            pairs = pairs.with_columns(replace_label_numbers(read_label_names(path) or TWO_LABELS))
        return pairs.select(hans_columns.HELD), ()

    def simulate_round_trip(self, pairs: pl.DataFrame, start: int) -> pl.DataFrame:
        """Return the columns of HANS, with ids by position where they are not kept."""
        held = hans_columns.HansColumns().simulate_round_trip(pairs, start)
        return held if self.ids is not None else held.with_columns(make_row_ids(start))

    def convert_to_file(self, pairs: pl.DataFrame, labels: Iterable[str]) -> pl.DataFrame:
        """Rename the columns as on the hub, and replace labels by their numbers."""
        names = _choose_label_order(labels)
        strange = sorted(set(pairs["label"].unique()) - set(names))
        if strange:
            raise InputError(f"The label {strange[0]} is not among {', '.join(names)}. Use another format.")
        numbers = pl.col("label").replace_strict(names, range(len(names)), return_dtype=pl.Int64)
        renamed = (pl.col(ours).alias(theirs) for theirs, ours in COLUMNS.items())
        return pairs.with_columns(numbers).select(renamed)

    def metadata(self, labels: Iterable[str]) -> dict[str, str]:
        """Return the names of the integer labels in the form of the datasets library."""
        kinds: dict[str, Any] = {name: {"dtype": "string", "_type": "Value"} for name in COLUMNS}
        kinds["label"] = {"names": list(_choose_label_order(labels)), "_type": "ClassLabel"}
        own = {} if self.ids is None else {_IDS: json.dumps(self.ids.to_list(), ensure_ascii=False)}
        return {_KEY: json.dumps({"info": {"features": kinds}}), **own}


def make_row_ids(start: int = 0) -> pl.Expr:
    """Make ids by position."""
    return pl.concat_str(pl.lit("ex"), pl.int_range(start, start + pl.len())).alias("id")


def are_row_ids(ids: pl.Series) -> bool:
    """Return whether the ids are just those that their positions give."""
    return ids.equals(ids.to_frame().select(make_row_ids()).to_series())


def read_label_names(path: Path) -> list[str] | None:
    """Read the names of integer labels from a parquet file, or None where it has none."""
    try:
        return [str(name) for name in _read_metadata_entry(path, _KEY)["info"]["features"]["label"]["names"]]
    except (KeyError, TypeError):
        return None


def replace_label_numbers(names: Sequence[str] | None) -> pl.Expr:
    """Replace numbers by names; numbers without a name are left for the label check."""
    known = {str(number): name for number, name in enumerate(names or ())}
    return pl.col("label").cast(pl.String).replace(known)


def _read_kept_ids(table: pl.LazyFrame, path: Path) -> pl.Expr:
    """Return the ids in the metadata if they match the rows; number the pairs otherwise."""
    ids = _read_metadata_entry(path, _IDS)
    if not isinstance(ids, list) or len(ids) != table.select(pl.len()).collect().item():
        return make_row_ids()
    return pl.lit(pl.Series("id", ids, dtype=pl.String))


def _read_metadata_entry(path: Path, key: str) -> Any:
    """Read what a parquet file says about itself under a key, or None where it says nothing."""
    try:
        return json.loads(read_parquet_metadata(get_spooled_path(path))[key])
    except (InputError, KeyError, ValueError, RecursionError):
        return None


def _choose_label_order(labels: Iterable[str]) -> tuple[str, ...]:
    """Choose the labels that the numbers stand for."""
    words = set(labels)
    for names in (TWO_LABELS, THREE_LABELS):
        if words <= set(names):
            return names
    raise InputError(
        f"The labels {', '.join(sorted(words))} can't be numbered, because non-entailment is mixed with neutral or "
        "contradiction. Use another format."
    )
