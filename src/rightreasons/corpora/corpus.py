"""Read one corpus of pairs or several by name; several are joined, with remarks and digests under their names."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core import arguments
from rightreasons.core.arguments import check_arguments
from rightreasons.core.labels import LABELS
from rightreasons.core.pairs import PARSE_COLUMNS, REQUIRED_COLUMNS, Card, ChallengeSet
from rightreasons.corpora import pair_formats
from rightreasons.corpora.corpus_source import list_corpus_names, open_source
from rightreasons.corpora.generic_columns import add_missing_label_column
from rightreasons.corpora.pair_checks import check_pairs, make_ids_unique
from rightreasons.io.tables import collect_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rightreasons.corpora.corpus_source import CorpusSource, Names

POCKET_PAIRS = "pairs.jsonl"
FIRST = (*REQUIRED_COLUMNS, "genre", "original_label")


@dataclass(frozen=True)
class SourceTable:
    """The table of one source, and what was changed in it."""

    source: CorpusSource
    table: pl.DataFrame
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class JoinedSources:
    """The table of all parts, what was changed in them, and the digests of their files by name."""

    name: str
    table: pl.DataFrame
    remarks: tuple[str, ...]
    sources: dict[str, str]


def join_source_tables(parts: Sequence[SourceTable]) -> JoinedSources:
    """Join the parts; an id that two of them have gets the name of its corpus in front, in each."""
    names = _name_sources([part.source for part in parts])
    clashing = _list_clashing_ids([part.table for part in parts])
    tables = [
        part.table.with_columns(_prefix_clashing_ids(name, clashing))
        for part, name in zip(parts, names, strict=True)
    ]
    table, _ = make_ids_unique(pl.concat(tables, how="diagonal_relaxed"))
    files = [part.source.file for part in parts]
    keys = [name if files.count(file) > 1 else file for file, name in zip(files, names, strict=True)]
    digests = {key: part.source.digest for key, part in zip(keys, parts, strict=True)}
    return JoinedSources("+".join(names), table, _merge_remarks(parts, names, len(clashing)), digests)


def _name_sources(sources: Sequence[CorpusSource]) -> list[str]:
    """Give every source a unique name: files of the same name get their folder, then a number."""
    count = Counter(source.name for source in sources)
    names = [
        f"{source.folder}-{source.name}" if count[source.name] > 1 else source.name for source in sources
    ]
    return [
        f"{name}-{names[:at].count(name) + 1}" if name in names[:at] else name
        for at, name in enumerate(names)
    ]


def _list_clashing_ids(tables: Sequence[pl.DataFrame]) -> pl.Series:
    """List the ids that more than one table has."""
    ids = pl.concat([table["id"].unique() for table in tables])
    return ids.filter(ids.is_duplicated()).unique()


def _prefix_clashing_ids(name: str, clashing: pl.Series) -> pl.Expr:
    own = pl.col("id")
    longer = pl.concat_str(pl.lit(f"{name}:"), own)
    return pl.when(own.is_in(clashing.implode())).then(longer).otherwise(own).alias("id")


def _merge_remarks(parts: Sequence[SourceTable], names: Sequence[str], clashing: int) -> tuple[str, ...]:
    """Merge all remarks, prefixed by the corpus if there are several."""
    if len(parts) == 1:
        return parts[0].remarks
    own = tuple(
        f"{name}: {remark}" for part, name in zip(parts, names, strict=True) for remark in part.remarks
    )
    prefixed = (
        f"{clashing} ids occur in more than one corpus and were prefixed with the name of their corpus."
    )
    return (*own, prefixed) if clashing else own


@check_arguments(names=arguments.check_corpora_or_paths)
def read_corpus(names: Names) -> ChallengeSet:
    """Read the pairs of one corpus or of several: pocket, hf:NAME[:CONFIG][:SPLIT], or the path of a file.

    Every pair keeps its id, genre (null where unknown), the label's word in the file (`original_label`), the other
    tags and the parses. The card says what was left out, and which content was read.
    """
    whole = join_source_tables([_read_named_source(name) for name in list_corpus_names(names)])
    pairs = whole.table.select(_order_corpus_columns(whole.table.columns))
    words = set(pairs["label"].unique())
    labels = tuple(label for label in LABELS if label in words)
    card = Card(whole.name, labels=labels, rows=pairs.height, sources=whole.sources, remarks=whole.remarks)
    return ChallengeSet(pairs, card)


def read_damaged_corpus(name: str) -> ChallengeSet:
    """Read one corpus to count what is in it: nothing but unreadable labels and files is refused.

    Pairs without a gold label are kept, without a label; blank texts and malformed parses are removed and counted.
    """
    with open_source(name, POCKET_PAIRS) as source:
        pairs, remarks = read_source_pairs(source, damaged=True)
        ordered = pairs.select(_order_corpus_columns(pairs.columns))
        card = Card(source.name, rows=ordered.height, sources={source.file: source.digest}, remarks=remarks)
        return ChallengeSet(ordered, card)


def read_source_pairs(source: CorpusSource, *, damaged: bool = False) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Read the pairs of one source, checked, with the columns that every corpus has.

    A `damaged` source may lack labels, and is repaired whatever its format is.
    """
    table = source.table()
    if damaged:
        table = add_missing_label_column(table)
    layout = pair_formats.find_column_layout(list(table.collect_schema()))
    renamed, remarks = layout.convert_from_file(table, source.path)
    pairs = collect_table(_add_genre_and_original_label(renamed), source.path)
    repair = damaged or layout.known or source.is_on_hub
    pairs, more = check_pairs(
        pairs, source.describe_place, layout.trees, repair=repair, keep_unlabelled=damaged
    )
    return pairs, remarks + more


def _read_named_source(name: str) -> SourceTable:
    with open_source(name, POCKET_PAIRS) as source:
        return SourceTable(source, *read_source_pairs(source))


def _add_genre_and_original_label(pairs: pl.LazyFrame) -> pl.LazyFrame:
    """Add the genre and the label's word, and make nothing of a blank genre."""
    columns = set(pairs.collect_schema())
    genre = pl.col("genre").cast(pl.String) if "genre" in columns else pl.lit(None, dtype=pl.String)
    word = pl.col("original_label" if "original_label" in columns else "label").cast(pl.String)
    return pairs.with_columns(
        pl.when(genre.str.strip_chars() != "").then(genre).alias("genre"), word.alias("original_label")
    )


def _order_corpus_columns(columns: Sequence[str]) -> list[str]:
    tags = [name for name in columns if name not in (*FIRST, *PARSE_COLUMNS)]
    return [*FIRST, *tags, *(name for name in PARSE_COLUMNS if name in columns)]
