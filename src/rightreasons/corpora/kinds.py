"""What a corpus holds, told by its columns: texts, pairs, or pairs with parses."""

from __future__ import annotations

from typing import Literal

from rightreasons.core.pairs import PARSES
from rightreasons.corpora import formats
from rightreasons.corpora.corpus import POCKET_PAIRS
from rightreasons.corpora.sources import opened
from rightreasons.corpora.text_tables import text_table

Kind = Literal["texts", "pairs", "parses"]


def kind_of(name: str) -> Kind:
    """Look at the columns of a corpus; the pocket corpus counts as pairs here."""
    with opened(name, POCKET_PAIRS) as source:
        if text_table(source) is not None:
            return "texts"
        table = source.table()
        shape = formats.by_columns(list(table.collect_schema()))
        columns, _ = shape.taken(table, source.path)
        return "parses" if set(PARSES) & set(columns.collect_schema()) else "pairs"
