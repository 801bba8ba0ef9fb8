"""Read a file of pairs in any known format, with its card where there is one."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rightreasons.core import arguments
from rightreasons.core.arguments import checked_arguments
from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.labels import LABELS
from rightreasons.core.pairs import PARSES, REQUIRED, Card, ChallengeSet, digest
from rightreasons.corpora import formats
from rightreasons.corpora.checks import checked
from rightreasons.corpora.generic import with_label_column
from rightreasons.corpora.sources import file_digest
from rightreasons.corpora.writing import card_path
from rightreasons.io.tables import collected, place, scan_table, table_format

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    import polars as pl

    from rightreasons.corpora.formats import ReadableColumns

CHANGED = "The rows are not those that the card was made for."


@checked_arguments(
    path=arguments.path,
    format=arguments.optional(arguments.text),
    columns=arguments.optional(arguments.texts),
    if_there=arguments.texts,
    labelled=arguments.flag,
)
def read_pairs(
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002 - the word that users know
    *,
    columns: Iterable[str] | None = None,
    if_there: Iterable[str] = (),
    labelled: bool = True,
) -> ChallengeSet:
    """Read a file of pairs, telling its format from its content; what is wrong is an error with its line.

    With `columns` only ids, labels and these are read, and of `if_there` those that the file has: then the card
    has no digest, and trees of parquet that are not read are not checked. Unless they must be `labelled`, pairs
    of which none has a label are all read, with nulls in that column.
    """
    path = Path(path)
    asked = None if format is None else formats.named(format)
    table = scan_table(path, asked.table if asked else None)
    if not labelled:
        table = with_label_column(table)
    shape: ReadableColumns = asked.shape if asked else formats.by_columns(list(table.collect_schema()))
    taken, remarks = shape.taken(table, path)
    names = list(taken.collect_schema())
    wanted = names if columns is None else _wanted(names, set(columns), set(if_there))
    if table_format(path) == "parquet" and not shape.known:
        taken = taken.select(
            wanted
        )  # text was read whole and is checked whole, and so is what may be repaired
    found = collected(taken, path)
    pairs, more = checked(found, partial(_where, path), shape.trees, repair=shape.known, labelled=labelled)
    card = _card(path, pairs, remarks + more) if columns is None else _light_card(path, pairs, remarks + more)
    return ChallengeSet(pairs.select(wanted), card)


def _wanted(names: list[str], columns: set[str], if_there: set[str]) -> list[str]:
    """Choose the columns to read, in the file's order; one that must be there and isn't is an error."""
    for name in sorted(columns.difference(names)):
        raise UnknownNameError("tag", name, set(names).difference(REQUIRED, PARSES))
    return [name for name in names if name in {"id", "label"} | columns | if_there]


def _where(path: Path, row: int) -> str:
    return str(path) if row < 0 else place(path, row)


def _card(path: Path, pairs: pl.DataFrame, remarks: tuple[str, ...]) -> Card:
    """Take the card that lies beside the file, or make one, and seal it with what was read."""
    seal = digest([pairs])
    beside = card_path(path)
    if beside.is_file():
        card = _read_card(beside)
        remarks += (CHANGED,) if card.digest not in (None, seal) else ()
        return replace(card, rows=pairs.height, digest=seal, remarks=card.remarks + remarks)
    return replace(_new_card(path, pairs, remarks), digest=seal, sources={path.name: file_digest(path)})


def _light_card(path: Path, pairs: pl.DataFrame, remarks: tuple[str, ...]) -> Card:
    """Take or make a card without any hash, for a part of the columns; rows that are gone still show."""
    beside = card_path(path)
    if beside.is_file():
        card = _read_card(beside)
        remarks += (CHANGED,) if card.rows not in (None, pairs.height) else ()
        return replace(card, rows=pairs.height, digest=None, remarks=card.remarks + remarks)
    return _new_card(path, pairs, remarks)


def _new_card(path: Path, pairs: pl.DataFrame, remarks: tuple[str, ...]) -> Card:
    found = set(pairs["label"].unique())
    labels = tuple(label for label in LABELS if label in found)
    return Card(path.stem, labels=labels, rows=pairs.height, remarks=remarks)


def _read_card(path: Path) -> Card:
    try:
        return Card.from_json(path.read_text(encoding="utf-8"))
    except (InputError, OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{path} can't be read as a card ({error}). Remove it, or make the set again."
        ) from error
