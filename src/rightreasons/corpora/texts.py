"""Read texts with quantities in them: word problems, plain sentences, or the premises of a corpus."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core import arguments
from rightreasons.core.arguments import checked_arguments
from rightreasons.core.errors import InputError
from rightreasons.corpora.corpus import read_pairs_of
from rightreasons.corpora.joining import SourceTable, joined
from rightreasons.corpora.problems import GENRE, NOTHING, text_reader
from rightreasons.corpora.repairs import with_unique_ids
from rightreasons.corpora.sources import listed, opened
from rightreasons.corpora.text_tables import text_table

if TYPE_CHECKING:
    from rightreasons.corpora.problems import Reader
    from rightreasons.corpora.sources import CorpusSource, Names

POCKET_TEXTS = "quantities.jsonl"
COLUMNS = ("id", "text", "genre", "answer", "rationale")


@dataclass(frozen=True)
class Texts:
    """A table of texts (id, text, genre, answer, rationale), what was changed in it, and what it was read from."""

    table: pl.DataFrame
    remarks: tuple[str, ...] = ()
    sources: dict[str, str] = field(default_factory=dict)


@checked_arguments(names=arguments.sources)
def read_texts(names: Names) -> Texts:
    """Read texts by name: pocket, hf:NAME[:CONFIG][:SPLIT], or a file of word problems, lines or pairs.

    Of pairs every different premise is taken once. Answers and rationales are there for word problems only.
    """
    whole = joined([_part(name) for name in listed(names)])
    return Texts(whole.table, whole.remarks, whole.sources)


def _part(name: str) -> SourceTable:
    with opened(name, POCKET_TEXTS) as source:
        table = text_table(source)
        reader = None if table is None else text_reader(table.columns)
        if table is None or reader is None:
            return SourceTable(source, *_premises(source))
        return SourceTable(source, *_checked(_read(reader, table, source), source))


def _read(reader: Reader, table: pl.DataFrame, source: CorpusSource) -> pl.DataFrame:
    try:
        return reader(table)
    except pl.exceptions.PolarsError as error:
        cause = str(error).splitlines()[0]
        raise InputError(
            f"{source.where(-1)} has columns of another type than expected ({cause}). Check the file."
        ) from error


def _premises(source: CorpusSource) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Take every different premise once, under the first id that it has, whatever the order of the pairs."""
    pairs, said = read_pairs_of(source)
    rows = pairs.select("id", "premise", "genre").with_row_index("row")
    first = rows.sort("id").unique("premise", keep="first", maintain_order=True)
    named = first.sort("row").rename({"premise": "text"}).with_columns(answer=NOTHING, rationale=NOTHING)
    return named.select(COLUMNS), said


def _checked(texts: pl.DataFrame, source: CorpusSource) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Leave out blank texts, make ids unique, and say how many there were."""
    whole = texts.filter(pl.col("text").str.strip_chars() != "")
    if whole.is_empty():
        raise InputError(f"{source.where(-1)} holds no text. Give at least one.")
    blank = texts.height - whole.height
    unique, repeated = with_unique_ids(whole)
    said = [f"{blank} of {texts.height} texts are blank and were left out."] if blank else []
    lost = int(unique.select((pl.col("genre") == GENRE) & pl.col("answer").is_null()).to_series().sum())
    said += [f"{lost} of {unique.height} problems have no answer that can be told."] if lost else []
    return unique.select(COLUMNS), (*said, *repeated)
