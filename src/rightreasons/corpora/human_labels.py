"""How people divide over the labels of pairs: files in the format of ChaosNLI, and tables of shares or counts.

ChaosNLI (Nie et al. 2020) is JSON lines with `uid`, `label_counter`, an object of counts by label, and `label_count`,
the same counts as a list. The counts are taken from the object; a list alone doesn't say which count is whose. A table
has an id, and for each label its share, such as p_neutral, or its count, such as n_neutral.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.column_checks import cast_column_to_string
from rightreasons.core.errors import InputError
from rightreasons.core.labels import (
    CONTRADICTION,
    LABELS,
    NEUTRAL,
    NON_ENTAILMENT,
    PROBABILITIES,
    THREE_LABELS,
    TWO_LABELS,
    explain_unknown_label,
    find_label,
)
from rightreasons.io.alignment import is_blank_value, refuse_wrong_rows
from rightreasons.io.predictions import ID_NAMES, TOLERANCE
from rightreasons.io.tables import read_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

COUNTER, COUNT_LIST = "label_counter", "label_count"
JUDGEMENTS = "judgements"
_COUNT, _SHARE = "n_", "p_"
# The order of the list in ChaosNLI; the object beside it is what decides.
_LIST_ORDER = THREE_LABELS


@dataclass(frozen=True, eq=False)
class HumanLabels:
    """The share of people who chose each label of each pair.

    `table` has id, a column of shares for each label, and judgements, the number of people; null if it is unknown.
    `remark` is what whoever compares with them has to know.
    """

    table: pl.DataFrame
    labels: tuple[str, ...]
    remark: str = ""

    @classmethod
    def from_counts(cls, ids: pl.Series, counts: Mapping[str, pl.Series]) -> HumanLabels:
        """Turn counts into shares; pairs that nobody judged are left out. A label without a column has no count."""
        labels = TWO_LABELS if set(counts) <= set(TWO_LABELS) else THREE_LABELS
        nobody = pl.repeat(0, len(ids), dtype=pl.Int64, eager=True)
        columns = [counts.get(label, nobody).alias(label) for label in labels]
        nobody = pl.repeat(0, len(ids), dtype=pl.Int64, eager=True)
        columns = [counts.get(label, nobody).alias(label) for label in labels]
        whole = pl.DataFrame([ids.alias("id"), *columns])
        table = whole.with_columns(pl.sum_horizontal(labels).cast(pl.Int64).alias(JUDGEMENTS))
        shares = [(pl.col(label) / pl.col(JUDGEMENTS)).alias(PROBABILITIES[label]) for label in labels]
        return cls(table.filter(pl.col(JUDGEMENTS) > 0).select("id", *shares, JUDGEMENTS), labels)

    def merge_to_two_labels(self) -> HumanLabels:
        """Add up the shares of neutral and contradiction."""
        if self.labels == TWO_LABELS:
            return self
        no = pl.sum_horizontal(PROBABILITIES[label] for label in (NEUTRAL, CONTRADICTION))
        dropped = [PROBABILITIES[label] for label in (NEUTRAL, CONTRADICTION)]
        table = self.table.with_columns(no.alias(PROBABILITIES[NON_ENTAILMENT])).drop(dropped)
        order = ["id", *(PROBABILITIES[label] for label in TWO_LABELS), JUDGEMENTS]
        return HumanLabels(table.select(order), TWO_LABELS, self.remark)


def read_human_labels(path: str | Path) -> HumanLabels:
    """Read a file of human labels; anything wrong is an InputError that names the line."""
    path = Path(path)
    table = read_table(path)
    ids = _read_ids(path, table)
    if COUNTER in table.columns:
        return HumanLabels.from_counts(ids, _read_counters(path, table))
    if COUNT_LIST in table.columns:
        raise InputError(
            f"{path}: {COUNT_LIST!r} doesn't state which count belongs to which label. "
            f'Add {COUNTER!r}, an object such as {{"e": 76, "n": 20, "c": 4}}.'
        )
    counts, shares = (_find_label_columns(path, table.columns, start) for start in (_COUNT, _SHARE))
    if counts:
        return HumanLabels.from_counts(ids, _read_count_columns(path, table, counts))
    if shares:
        return _read_share_columns(path, table, ids, shares)
    raise InputError(
        f"{path} has no human labels among its columns {', '.join(table.columns)}. Use the format of ChaosNLI "
        f"({COUNTER}), counts such as n_neutral, or shares such as p_neutral."
    )


def _read_ids(path: Path, table: pl.DataFrame) -> pl.Series:
    names = [name for name in table.columns if name.strip().casefold() in ID_NAMES]
    if not names:
        raise InputError(
            f"{path} has no id among its columns {', '.join(table.columns)}. Name a column `id`."
        )
    ids = cast_column_to_string(table[names[0]], str(path)).alias("id")
    refuse_wrong_rows(path, is_blank_value(ids), "the id is blank", "Give every pair an id.")
    refuse_wrong_rows(path, ids.is_duplicated(), "the id is repeated", "Give each pair once.")
    return ids


def _read_counters(path: Path, table: pl.DataFrame) -> dict[str, pl.Series]:
    """Read the counts of the object; the list beside it, if there is one, must have the same."""
    counter = table[COUNTER]
    if not isinstance(counter.dtype, pl.Struct):
        raise InputError(
            f'{path}: {COUNTER!r} is not an object. Use counts by label, such as {{"e": 76, "n": 24}}.'
        )
    columns = _resolve_names(path, (field.name for field in counter.dtype.fields))
    frame = counter.struct.unnest()
    counts = {label: _check_counts(path, frame[name].fill_null(0)) for label, name in columns.items()}
    if COUNT_LIST in table.columns and isinstance(table.schema[COUNT_LIST], pl.List):
        zero = pl.repeat(0, table.height, dtype=pl.Int64, eager=True)
        for place, label in enumerate(_LIST_ORDER):
            listed = table[COUNT_LIST].list.get(place, null_on_oob=True).cast(pl.Int64, strict=False)
            apart = listed.ne_missing(counts.get(label, zero))
            what = f"item {place + 1} of {COUNT_LIST} is not the count of {label} in {COUNTER}"
            refuse_wrong_rows(path, apart, what, "Correct the counts.")
    return counts


def _find_label_columns(path: Path, names: Iterable[str], start: str) -> dict[str, str]:
    found = [name for name in names if name.startswith(start) and find_label(name[len(start) :])]
    return _resolve_names(path, found, len(start))


def _resolve_names(path: Path, names: Iterable[str], start: int = 0) -> dict[str, str]:
    """Return the name of the column of each label, in the order of the labels."""
    columns: dict[str, str] = {}
    for name in names:
        label = find_label(name[start:])
        if label is None:
            raise InputError(f"{path}: {explain_unknown_label(name[start:])}")
        if label in columns:
            raise InputError(
                f"{path}: {columns[label]!r} and {name!r} are the same label. Remove one of them."
            )
        columns[label] = name
    if NON_ENTAILMENT in columns and {NEUTRAL, CONTRADICTION} & columns.keys():
        raise InputError(
            f"{path} has both {NON_ENTAILMENT} and labels that it stands for. Use two or three labels."
        )
    return {label: columns[label] for label in LABELS if label in columns}


def _read_count_columns(path: Path, table: pl.DataFrame, columns: Mapping[str, str]) -> dict[str, pl.Series]:
    return {label: _check_counts(path, table[name]) for label, name in columns.items()}


def _check_counts(path: Path, counts: pl.Series) -> pl.Series:
    numbers = counts.cast(pl.Float64, strict=False)
    wrong = numbers.is_null() | (numbers < 0) | (numbers != numbers.round())
    what = f"the count {counts.name!r} is not a whole number"
    refuse_wrong_rows(path, wrong, what, "Count the people who chose the label; use 0 for nobody.")
    return numbers.cast(pl.Int64)


def _read_share_columns(
    path: Path, table: pl.DataFrame, ids: pl.Series, columns: Mapping[str, str]
) -> HumanLabels:
    labels = TWO_LABELS if set(columns) <= set(TWO_LABELS) else THREE_LABELS
    if set(columns) != set(labels):
        lacking = ", ".join(PROBABILITIES[label] for label in labels if label not in columns)
        raise InputError(f"{path} lacks the share of some labels: {lacking}. Give the shares of all labels.")
    shares = [
        table[columns[label]].cast(pl.Float64, strict=False).alias(PROBABILITIES[label]) for label in labels
    ]
    total = pl.select(pl.sum_horizontal(shares)).to_series()
    outside = pl.select(pl.any_horizontal(~share.is_between(0, 1).fill_null(value=False) for share in shares))
    refuse_wrong_rows(path, outside.to_series(), "a share is not between 0 and 1", "Use numbers from 0 to 1.")
    apart = (total - 1).abs() > TOLERANCE
    refuse_wrong_rows(path, apart, "the shares don't add up to 1", "Give the shares of all labels.")
    judgements = (
        table[JUDGEMENTS] if JUDGEMENTS in table.columns else pl.repeat(None, table.height, eager=True)
    )
    numbers = judgements.cast(pl.Int64, strict=False).alias(JUDGEMENTS)
    return HumanLabels(pl.DataFrame([ids, *(share / total for share in shares), numbers]), labels)
