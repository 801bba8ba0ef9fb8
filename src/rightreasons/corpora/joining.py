"""Several corpora in one: their tables below each other, their remarks and digests under their names."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.corpora.repairs import with_unique_ids

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rightreasons.corpora.sources import CorpusSource


@dataclass(frozen=True)
class SourceTable:
    """The table of one source, and what was changed in it."""

    source: CorpusSource
    table: pl.DataFrame
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class Joined:
    """The table of all parts, what was changed in them, and the digests of their files by name."""

    name: str
    table: pl.DataFrame
    remarks: tuple[str, ...]
    sources: dict[str, str]


def joined(parts: Sequence[SourceTable]) -> Joined:
    """Join the parts; an id that two of them have gets the name of its corpus in front, in each."""
    names = _names([part.source for part in parts])
    clashing = _clashing([part.table for part in parts])
    tables = [
        part.table.with_columns(_told_apart(name, clashing)) for part, name in zip(parts, names, strict=True)
    ]
    table, _ = with_unique_ids(pl.concat(tables, how="diagonal_relaxed"))
    files = [part.source.file for part in parts]
    keys = [name if files.count(file) > 1 else file for file, name in zip(files, names, strict=True)]
    digests = {key: part.source.digest for key, part in zip(keys, parts, strict=True)}
    return Joined("+".join(names), table, _remarks(parts, names, len(clashing)), digests)


def _names(sources: Sequence[CorpusSource]) -> list[str]:
    """Give every source a name of its own: with its folder, then a number, where files are named alike."""
    count = Counter(source.name for source in sources)
    names = [
        f"{source.folder}-{source.name}" if count[source.name] > 1 else source.name for source in sources
    ]
    return [
        f"{name}-{names[:at].count(name) + 1}" if name in names[:at] else name
        for at, name in enumerate(names)
    ]


def _clashing(tables: Sequence[pl.DataFrame]) -> pl.Series:
    """List the ids that more than one table has."""
    ids = pl.concat([table["id"].unique() for table in tables])
    return ids.filter(ids.is_duplicated()).unique()


def _told_apart(name: str, clashing: pl.Series) -> pl.Expr:
    own = pl.col("id")
    longer = pl.concat_str(pl.lit(f"{name}:"), own)
    return pl.when(own.is_in(clashing.implode())).then(longer).otherwise(own).alias("id")


def _remarks(parts: Sequence[SourceTable], names: Sequence[str], clashing: int) -> tuple[str, ...]:
    """Put all remarks together, with the names of the corpora where there are several."""
    if len(parts) == 1:
        return parts[0].remarks
    own = tuple(f"{name}: {said}" for part, name in zip(parts, names, strict=True) for said in part.remarks)
    told = f"{clashing} ids are in more than one corpus: the name of the corpus was put before them."
    return (*own, told) if clashing else own
