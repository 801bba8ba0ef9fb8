"""The table of pairs: its columns and checks, and the card that says how a set was made."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from rightreasons.core.errors import InputError
from rightreasons.core.json_shapes import (
    ANY,
    COUNT,
    SAFE_INTEGER,
    TEXT,
    Fields,
    Items,
    Maybe,
    Values,
    parse_json,
)
from rightreasons.core.keyed_random import ROW_SEPARATOR, join_columns, join_fields

if TYPE_CHECKING:
    from collections.abc import Iterable

    import polars as pl

TEXTS = ("premise", "hypothesis")
REQUIRED_COLUMNS = ("id", "premise", "hypothesis", "label")
PARSE_COLUMNS = ("premise_parse", "hypothesis_parse", "premise_binary_parse", "hypothesis_binary_parse")
_ROWS_AT_A_TIME = 16_384  # rows hashed at a time: their text is held twice over


_CARD_SHAPE = Fields(
    {"set": TEXT},
    {
        "version": Maybe(SAFE_INTEGER),
        "options": Values(ANY),
        "labels": Items(TEXT),
        "rows": Maybe(COUNT),
        "digest": Maybe(TEXT),
        "made_with": Maybe(TEXT),
        "sources": Values(TEXT),
        "remarks": Items(TEXT),
    },
)


@dataclass(frozen=True)
class Card:
    """How a set was made: enough to make it again."""

    set: str
    version: int | None = None
    options: dict[str, Any] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    rows: int | None = None
    digest: str | None = None
    made_with: str | None = None
    sources: dict[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()

    def to_json(self) -> str:
        """Return the card as indented JSON."""
        return json.dumps(asdict(self), indent=2, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Card:
        """Read a card from JSON; raise InputError if it is not a card."""
        try:
            values = parse_json(text, _CARD_SHAPE)
            values["labels"] = tuple(values.get("labels", ()))
            values["remarks"] = tuple(values.get("remarks", ()))
            return cls(**values)
        except (ValueError, TypeError) as error:
            raise InputError(
                f"This is not a valid card: {error}. Generate the set again to create a new card."
            ) from error


@dataclass(frozen=True)
class ChallengeSet:
    """A table of pairs with its card."""

    pairs: pl.DataFrame
    card: Card

    def __len__(self) -> int:
        """Count the pairs."""
        return self.pairs.height


class Digest:
    """A hash of rows that grows batch by batch, so that a set too large for memory has one too."""

    def __init__(self) -> None:
        """Start without rows."""
        self._hash = hashlib.sha256()
        self._started = False

    def update(self, batch: pl.DataFrame) -> None:
        """Add rows to the hash; all batches must have the same columns."""
        if not self._started:
            self._hash.update(f"{join_fields(batch.columns)}{ROW_SEPARATOR}".encode())
            self._started = True
        cells = join_columns(batch.columns)
        for part in batch.iter_slices(_ROWS_AT_A_TIME):
            rows = part.select(cells + ROW_SEPARATOR).to_series()
            self._hash.update(rows.str.join("").item().encode())

    def hexdigest(self) -> str:
        """Return the hash of the rows so far."""
        return self._hash.hexdigest()


def compute_digest(batches: Iterable[pl.DataFrame]) -> str:
    """Hash the rows, column by name, independent of file format and of how they are cut into batches."""
    seen = Digest()
    for batch in batches:
        seen.update(batch)
    return seen.hexdigest()
