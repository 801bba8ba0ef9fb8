"""Read one corpus of pairs or several, by name: what the sets are made from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core import arguments
from rightreasons.core.arguments import checked_arguments
from rightreasons.core.labels import LABELS
from rightreasons.core.pairs import PARSES, REQUIRED, Card, ChallengeSet
from rightreasons.corpora import formats
from rightreasons.corpora.checks import checked
from rightreasons.corpora.joining import SourceTable, joined
from rightreasons.corpora.sources import listed, opened
from rightreasons.io.tables import collected

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rightreasons.corpora.sources import CorpusSource, Names

POCKET_PAIRS = "pairs.jsonl"
FIRST = (*REQUIRED, "genre", "original_label")


@checked_arguments(names=arguments.sources)
def read_corpus(names: Names) -> ChallengeSet:
    """Read the pairs of one corpus or of several: pocket, hf:NAME[:CONFIG][:SPLIT], or the path of a file.

    Every pair keeps its id, genre (null where unknown), the label's word in the file (`original_label`), the other
    tags and the parses. The card says what was left out, and which content was read.
    """
    whole = joined([_part(name) for name in listed(names)])
    pairs = whole.table.select(_ordered(whole.table.columns))
    found = set(pairs["label"].unique())
    labels = tuple(label for label in LABELS if label in found)
    card = Card(whole.name, labels=labels, rows=pairs.height, sources=whole.sources, remarks=whole.remarks)
    return ChallengeSet(pairs, card)


def read_pairs_of(source: CorpusSource) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Read the pairs of one source, checked, with the columns that every corpus has."""
    table = source.table()
    shape = formats.by_columns(list(table.collect_schema()))
    taken, told = shape.taken(table, source.path)
    pairs = collected(_completed(taken), source.path)
    pairs, more = checked(pairs, source.where, shape.trees, repair=shape.known or source.on_hub)
    return pairs, told + more


def _part(name: str) -> SourceTable:
    with opened(name, POCKET_PAIRS) as source:
        return SourceTable(source, *read_pairs_of(source))


def _completed(pairs: pl.LazyFrame) -> pl.LazyFrame:
    """Add the genre and the label's word, and make nothing of a blank genre."""
    columns = set(pairs.collect_schema())
    genre = pl.col("genre").cast(pl.String) if "genre" in columns else pl.lit(None, dtype=pl.String)
    word = pl.col("original_label" if "original_label" in columns else "label").cast(pl.String)
    return pairs.with_columns(
        pl.when(genre.str.strip_chars() != "").then(genre).alias("genre"), word.alias("original_label")
    )


def _ordered(columns: Sequence[str]) -> list[str]:
    tags = [name for name in columns if name not in (*FIRST, *PARSES)]
    return [*FIRST, *tags, *(name for name in PARSES if name in columns)]
