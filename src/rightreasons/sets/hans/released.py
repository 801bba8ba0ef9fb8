"""The two released HANS files, rebuilt from ranks: the text comes from the templates, the choice of pairs is theirs."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons import __version__
from rightreasons.core.errors import InputError
from rightreasons.core.pairs import Card
from rightreasons.core.parts import SetPart
from rightreasons.sets.hans import released_ranks as released
from rightreasons.sets.hans.hans import PAPER, TAGS, grammar
from rightreasons.sets.template_set import Parses, Short, Text, filler_of
from rightreasons.templates.sizes import check_split, too_few

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from rightreasons.templates.filling import Filler

_SOURCES = {
    "eval": "c55b62feef9913070e88f38938dc2492018c945ac81f70139346472494124e79",
    "train": "49245bd5fdb0b185dcbfbf48f0f16513c62ad5bc9fad0b8800dc48d6818ee5cf",
}
_PER_SUBCASE = 1000


class HansReleased(SetPart):
    """The released HANS evaluation set (or training set), pair by pair, under its own ids."""

    name = "hans-released"
    version = 1
    labels = ("entailment", "non-entailment")
    paper = PAPER
    tags = TAGS

    def __init__(
        self, *, text: Text = "tokenised", parses: Parses = "labelled", short: Short = "refuse"
    ) -> None:
        """Take the options.

        Args:
            text: tokenised as it was released, or natural.
            parses: none, labelled, or labelled and binary.
            short: refuse to give fewer pairs than were asked for, or allow it.
        """
        self.text = text
        self.parses = parses
        self.short = short

    def plan(self, *, size: int | None, limit: int | None, seed: int, split: str) -> ReleasedPlan:
        """Plan the whole file, or its first `size` pairs of each subcase, or `limit` pairs in all."""
        check_split(split)
        remarks: list[str] = []
        for name, value, most in (("subcase", size, _PER_SUBCASE), ("file", limit, 30 * _PER_SUBCASE)):
            if value is not None and value < 1:
                raise InputError(f"{value} pairs were asked for. Ask for at least 1.")
            if value is not None and value > most:
                remarks += too_few(f"Every {name} of the released {split} set", most, None, value, self.short)
        rows = _chosen(size or _PER_SUBCASE, limit)
        options = {"size": size, "limit": limit, "seed": seed, "split": split, "text": self.text}
        card = Card(
            set=self.name,
            version=self.version,
            options={**options, "parses": self.parses, "short": self.short},
            labels=self.labels,
            rows=len(rows),
            made_with=f"rightreasons {__version__}",
            sources={f"released {split} file, sha256": _SOURCES[split]},
            remarks=tuple(remarks),
        )
        return ReleasedPlan(filler_of(grammar("faithful"), self.text, self.parses), card, split, rows)


class ReleasedPlan:
    """Rows of a released file."""

    def __init__(self, filler: Filler, card: Card, split: str, chosen: NDArray[np.int64]) -> None:
        """Take the numbers of the rows."""
        self.filler = filler
        self.card = card
        self.chosen = chosen
        _, self.numbers, self.ranks = released.ranks(split)

    def __len__(self) -> int:
        """Count the pairs."""
        return len(self.chosen)

    @cached_property
    def schema(self) -> Mapping[str, pl.DataType]:
        """Return the columns and their types."""
        return dict(self.rows(0, 0).schema)

    def rows(self, start: int, stop: int) -> pl.DataFrame:
        """Return a range of the rows."""
        at = self.chosen[start:stop]
        pairs = self.filler.rows(self.numbers[at], self.ranks[at])
        ids = pl.Series("id", at).cast(pl.String)
        return pairs.with_columns(id="ex" + ids, set=pl.lit("hans-released"))


def _chosen(size: int, limit: int | None) -> NDArray[np.int64]:
    """Take the first pairs of each subcase, evenly where there is a limit."""
    places = np.arange(30 * _PER_SUBCASE)
    within = places % _PER_SUBCASE
    chosen = places[within < size]
    if limit is None or limit >= len(chosen):
        return chosen
    # One pair of every subcase in turn, so that subcases and labels stay level; then back in the file's order.
    turn = np.lexsort((_interleaved(chosen // _PER_SUBCASE), within[chosen]))
    return np.sort(chosen[turn[:limit]])


def _interleaved(subcases: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number the subcases so that the two labels, five subcases each in turn, alternate."""
    block, place = np.divmod(subcases, 10)
    return np.asarray((block * 5 + place % 5) * 2 + (place < 5))  # noqa: PLR2004 - five subcases a label
