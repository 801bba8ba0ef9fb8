"""Files of three columns without a header, as the pairs that HANS released: premise, hypothesis, label.

Such a file is recognised by its first line, whose third field is a label. That line is read as a pair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.core.labels import LABELS, NO_GOLD, explain_unknown_label, find_label
from rightreasons.core.pairs import REQUIRED_COLUMNS, TEXTS
from rightreasons.corpora.generic_columns import NUMBERED
from rightreasons.corpora.hub_columns import make_row_ids
from rightreasons.io.tables import format_row_location

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_COLUMNS = (*TEXTS, "label")
HEADERLESS = "The file has no header: its columns were read as premise, hypothesis and label."


class HeaderlessColumns:
    """Premise, hypothesis and label, without names; the reader takes the first pair for the names."""

    trees: tuple[str, ...] = ()
    known = True

    def fits(self, columns: Iterable[str]) -> bool:
        """Return whether there are three columns, and the name of the third is a label."""
        names = list(columns)
        return len(names) == len(_COLUMNS) and names[-1].strip().lower() in LABELS

    def convert_from_file(self, table: pl.LazyFrame, path: Path) -> tuple[pl.LazyFrame, tuple[str, ...]]:
        """Put the first pair before the others, and number all pairs."""
        first = list(table.collect_schema())
        others = table.rename(dict(zip(first, _COLUMNS, strict=True)))
        _refuse_unknown_labels(others, path)
        pairs = pl.concat([pl.LazyFrame([first], schema=_COLUMNS, orient="row"), others])
        return pairs.select(make_row_ids(), *_COLUMNS).select(REQUIRED_COLUMNS), (HEADERLESS, NUMBERED)


def _refuse_unknown_labels(others: pl.LazyFrame, path: Path) -> None:
    """Refuse a word that is not a label here, where the line of its row is known."""
    words = others.select(pl.col("label").cast(pl.String).str.strip_chars()).collect().to_series()
    for word in words.drop_nulls().unique(maintain_order=True):
        if word not in NO_GOLD and find_label(word) is None:
            row = (words == word).arg_true()[0]
            raise InputError(f"{format_row_location(path, row)}: {explain_unknown_label(word)}")
