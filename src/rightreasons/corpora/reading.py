"""Read a file of pairs in any known format, with its card where there is one."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rightreasons.corpora import formats
from rightreasons.corpora.checks import checked
from rightreasons.corpora.writing import card_path
from rightreasons.errors import InputError
from rightreasons.labels import LABELS
from rightreasons.pairs import Card, ChallengeSet, digest
from rightreasons.tables import place, read_table

if TYPE_CHECKING:
    import os

    import polars as pl


def read_pairs(
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002 - the word that users know
) -> ChallengeSet:
    """Read a file of pairs, telling its format from its content; what is wrong is an error with its line."""
    path = Path(path)
    asked = None if format is None else formats.named(format)
    table = read_table(path, asked.table if asked else None)
    shape = asked.shape if asked else formats.by_columns(table.columns)
    taken, remarks = shape.taken(table, path)
    pairs, more = checked(taken, partial(_where, path), shape.trees)
    return ChallengeSet(pairs, _card(path, pairs, remarks + more))


def _where(path: Path, row: int) -> str:
    return str(path) if row < 0 else place(path, row)


def _card(path: Path, pairs: pl.DataFrame, remarks: tuple[str, ...]) -> Card:
    """Take the card that lies beside the file, or make one, and seal it with what was read."""
    seal = digest([pairs])
    beside = card_path(path)
    if beside.is_file():
        card = _read_card(beside)
        changed = card.digest not in (None, seal)
        remarks += ("The rows are not those that the card was made for.",) if changed else ()
        return replace(card, rows=pairs.height, digest=seal, remarks=card.remarks + remarks)
    found = set(pairs["label"].unique())
    labels = tuple(label for label in LABELS if label in found)
    sources = {path.name: _file_digest(path)}
    return Card(path.stem, labels=labels, rows=pairs.height, digest=seal, sources=sources, remarks=remarks)


def _read_card(path: Path) -> Card:
    try:
        return Card.from_json(path.read_text(encoding="utf-8"))
    except (InputError, OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{path} can't be read as a card ({error}). Remove it, or make the set again."
        ) from error


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
