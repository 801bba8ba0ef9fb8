"""What an edit gives: the pairs, and what it did, for the card."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rightreasons.core.errors import InputError

if TYPE_CHECKING:
    import polars as pl


class Edited(NamedTuple):
    """Pairs after an edit, and what it did to them, as JSON values."""

    pairs: pl.DataFrame
    facts: dict[str, Any]


def need(pairs: pl.DataFrame, column: str, edit: str, advice: str) -> None:
    """Refuse pairs that lack a column that an edit goes by."""
    if column not in pairs.columns:
        raise InputError(f"The edit {edit} needs the tag {column!r}, which the pairs lack. {advice}")
