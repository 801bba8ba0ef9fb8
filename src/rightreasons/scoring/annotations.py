"""The labels of several annotators as triples of numbers: which annotator gave which item which label.

Items may have different numbers of labels, and annotators may have labelled different items.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Codes = npt.NDArray[np.int64]
    Counts = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]

TIED = -1  # in place of a label


@dataclass(frozen=True, eq=False)
class Annotations:
    """A row for each label: the codes of its item, its annotator and the label, which are places in the names."""

    item: Codes
    annotator: Codes
    label: Codes
    items: tuple[str, ...]
    annotators: tuple[str, ...]
    labels: tuple[str, ...]

    @classmethod
    def from_table(
        cls, table: pl.DataFrame, labels: Sequence[str] = (), items: Sequence[str] = ()
    ) -> Annotations:
        """Read a table with the columns item, annotator and label; other labels than those listed are left out.

        Without a list of labels or items, they are those of the table, sorted.
        """
        known = tuple(labels) or _list_values(table["label"])
        used = table.filter(pl.col("label").is_in(known))
        names = {
            "item": tuple(items) or _list_values(used["item"]),
            "annotator": _list_values(used["annotator"]),
            "label": known,
        }
        codes = [_number_values(used[column], values) for column, values in names.items()]
        return cls(codes[0], codes[1], codes[2], *names.values())

    def __len__(self) -> int:
        """Count the labels that were given."""
        return len(self.label)

    @cached_property
    def item_label(self) -> Codes:
        """The place of item and label in a flat table by item and label."""
        return self.item * len(self.labels) + self.label

    @cached_property
    def annotator_label(self) -> Codes:
        """The place of annotator and label in a flat table by annotator and label."""
        return self.annotator * len(self.labels) + self.label

    def count_labels(self) -> Counts:
        """Count the labels of each item: a row for each item, a column for each label."""
        return self.sum_over_items().astype(np.int64)

    def sum_over_items(self, weights: Floats | None = None) -> Floats:
        """Sum the weights of the labels, or count them: a row for each item, a column for each label."""
        shape = len(self.items), len(self.labels)
        return _sum_weights(self.item_label, weights, shape)

    def sum_over_annotators(self, weights: Floats | None = None) -> Floats:
        """Sum the weights of the labels, or count them: a row for each annotator, a column for each label."""
        shape = len(self.annotators), len(self.labels)
        return _sum_weights(self.annotator_label, weights, shape)


def _list_values(column: pl.Series) -> tuple[str, ...]:
    return tuple(column.drop_nulls().unique().sort().to_list())


def _number_values(column: pl.Series, values: Sequence[str]) -> Codes:
    order = pl.Series(values, dtype=pl.String)
    numbers = column.cast(pl.String).replace_strict(
        order, pl.Series(np.arange(len(order))), return_dtype=pl.Int64
    )
    return np.asarray(numbers.to_numpy(), dtype=np.int64)


def _sum_weights(places: Codes, weights: Floats | None, shape: tuple[int, int]) -> Floats:
    sums = np.bincount(places, weights, minlength=shape[0] * shape[1])
    return sums.astype(np.float64).reshape(shape)


def compute_label_shares(counts: Counts) -> Floats:
    """Return the share of each label among those of its item; equal shares for an item without labels."""
    n = counts.sum(axis=1, keepdims=True)
    return np.asarray(np.where(n > 0, counts / np.maximum(n, 1), 1 / max(1, counts.shape[1])))


def find_majority_labels(counts: Counts) -> Codes:
    """Return the most frequent label of each item; TIED where several are equally frequent, or there is none."""
    if not counts.size:
        return np.full(len(counts), TIED, dtype=np.int64)
    most = counts.max(axis=1, keepdims=True)
    alone = ((counts == most).sum(axis=1) == 1) & (most[:, 0] > 0)
    return np.where(alone, counts.argmax(axis=1), TIED)
