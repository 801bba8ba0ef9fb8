"""Files of pairs with any of the usual column names, our own among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.core.pairs import PARSE_COLUMNS, REQUIRED_COLUMNS, TEXTS
from rightreasons.corpora.hub_columns import make_row_ids, read_label_names, replace_label_numbers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

# The two texts come as a pair of names, so that a column of one convention never meets one of another.
TEXT_NAMES = (
    ("premise", "hypothesis"),
    ("sentence1", "sentence2"),
    ("text1", "text2"),
    ("text", "text_pair"),
    ("sentence_A", "sentence_B"),
    ("sentence", "question"),
    ("context", "hypothesis"),
    ("evidence", "claim"),
)
LABEL = "label"
LABEL_NAMES = (LABEL, "gold_label", "true_label", "labels", "entailment_label")
ID_NAMES = ("id", "pairID", "pair_ID", "uid", "idx")
NUMBERED = "The file has no ids: the pairs are numbered by row, starting with ex0."
PARSE_NAMES = {
    f"{sentence}_{kind}": f"{text}_{kind}"
    for sentence, text in (("sentence1", "premise"), ("sentence2", "hypothesis"))
    for kind in ("parse", "binary_parse")
}


class GenericColumns:
    """Our own columns, and on reading the names that others use for them."""

    # Not the binary ones: in some files they are plain text.
    trees: tuple[str, ...] = ("premise_parse", "hypothesis_parse")
    known = False

    def fits(self, columns: Iterable[str]) -> bool:
        """Return whether texts and labels are there under some known name."""
        return not _name_missing_column(set(columns))

    def convert_from_file(self, table: pl.LazyFrame, path: Path) -> tuple[pl.LazyFrame, tuple[str, ...]]:
        """Rename the columns, number pairs without ids, and drop columns that can't be tags."""
        schema = table.collect_schema()
        missing = _name_missing_column(set(schema))
        if missing:
            has = ", ".join(list(schema)[:12])
            advice = "Use a file of pairs, or check the names of its columns."
            if missing == LABEL:
                advice = (
                    "Give each pair its gold label, or check the column names; only predict needs no labels."
                )
            raise InputError(f"{path}, line 1: the header has no {missing} among {has}. {advice}")
        _refuse_two_label_columns(list(schema), path)
        names = _map_column_names(list(schema))
        flat, remarks = drop_list_columns(table, names, path)
        strays = [name for name in TEXTS if name in names.values() and name not in names]
        pairs = flat.drop(strays, strict=False).rename(names)
        if "id" not in pairs.collect_schema():
            pairs = pairs.with_columns(make_row_ids())
            remarks += (NUMBERED,)
        if pairs.collect_schema()["label"].is_integer():
            pairs = pairs.with_columns(replace_label_numbers(read_label_names(path)))
        return pairs.select(order_pair_columns(pairs.collect_schema())), remarks

    def simulate_round_trip(self, pairs: pl.DataFrame, start: int) -> pl.DataFrame:  # noqa: ARG002 - other shapes count
        """Return all columns, in the order in which they are read."""
        missing = [name for name in REQUIRED_COLUMNS if name not in pairs.columns]
        if missing:
            raise InputError(
                f"The pairs have no column {' or '.join(missing)}. Add {'it' if len(missing) == 1 else 'them'}."
            )
        return pairs.select(order_pair_columns(pairs.columns))

    def convert_to_file(self, pairs: pl.DataFrame, labels: Iterable[str]) -> pl.DataFrame:  # noqa: ARG002 - as above
        """Return the pairs unchanged."""
        return pairs

    def metadata(self, labels: Iterable[str]) -> dict[str, str]:  # noqa: ARG002 - as above
        """Return no metadata."""
        return {}


def drop_list_columns(
    table: pl.LazyFrame, needed: Iterable[str], path: Path
) -> tuple[pl.LazyFrame, tuple[str, ...]]:
    """Drop columns that hold lists, and report them; a required one is an error."""
    nested = [name for name, kind in table.collect_schema().items() if kind.is_nested()]
    wrong = [name for name in needed if name in nested]
    if wrong:
        raise InputError(
            f"{path}, line 1: {wrong[0]} contains a list or an object. Store one value per pair."
        )
    remarks = (f"Columns left out because they contain lists: {', '.join(nested)}.",) if nested else ()
    return table.drop(nested), remarks


def rename_columns(table: pl.LazyFrame, names: Mapping[str, str], path: Path) -> pl.LazyFrame:
    """Rename columns, and refuse a file that has a column under the new name as well."""
    columns = set(table.collect_schema())
    for theirs, ours in names.items():
        if ours in columns and ours not in names:
            raise InputError(
                f"{path}, line 1: both columns {theirs} and {ours} could be the {ours}. Remove one of them."
            )
    return table.rename(names)


def order_pair_columns(columns: Iterable[str]) -> list[str]:
    """Order columns: the required ones first, the parses last."""
    names = [name for name in columns if name]  # pandas writes its index under no name
    tags = [name for name in names if name not in (*REQUIRED_COLUMNS, *PARSE_COLUMNS)]
    return [*(n for n in REQUIRED_COLUMNS if n in names), *tags, *(n for n in names if n in PARSE_COLUMNS)]


def _name_missing_column(columns: set[str]) -> str:
    if not any(set(names) <= columns for names in TEXT_NAMES):
        return "premise and hypothesis"
    return "" if columns & set(LABEL_NAMES) else LABEL


def add_missing_label_column(table: pl.LazyFrame) -> pl.LazyFrame:
    """Add a column of labels, all null, to texts that have none."""
    if _name_missing_column(set(table.collect_schema())) != LABEL:
        return table
    return table.with_columns(pl.lit(None, dtype=pl.String).alias(LABEL))


def _refuse_two_label_columns(columns: list[str], path: Path) -> None:
    """Refuse two columns of labels, of which one may be a prediction."""
    label_columns = [name for name in LABEL_NAMES if name in columns]
    if len(label_columns) > 1:
        what = f"{path} has the columns {' and '.join(label_columns)}, and each could contain the gold labels"
        raise InputError(f"{what}. Remove all but one.")


def _map_column_names(columns: list[str]) -> dict[str, str]:
    """Map the file's column names to ours; a column that already has our name keeps it."""
    texts = next(names for names in TEXT_NAMES if set(names) <= set(columns))
    names = dict(zip(texts, ("premise", "hypothesis"), strict=True))
    for known, ours in ((LABEL_NAMES, "label"), (ID_NAMES, "id")):
        names |= dict.fromkeys([name for name in known if name in columns][:1], ours)
    parses = {name: ours for name, ours in PARSE_NAMES.items() if name in columns and ours not in columns}
    return names | parses
