"""HANS: 30 subcases whose hypothesis overlaps with the premise; generated from templates, or the two released files.

The released files are rebuilt from ranks: the templates give the text, the ranks choose the pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path  # noqa: TC003 - options are read from it
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from rightreasons import __version__
from rightreasons.core.errors import InputError
from rightreasons.core.options import get_options, option
from rightreasons.core.pairs import Card
from rightreasons.core.parts import SetPart
from rightreasons.core.resources import DATA_FOLDER
from rightreasons.sets.attested_verbs import ATTESTED_HELP
from rightreasons.sets.corpus_set import SHORT_HELP, Short
from rightreasons.sets.hans import released_ranks as released
from rightreasons.sets.template_set import (
    DISJOINT_HELP,
    PARSES_HELP,
    TEXT_HELP,
    Disjoint,
    Parses,
    Text,
    get_filler,
    plan_template_set,
)
from rightreasons.templates.grammar import load_grammar
from rightreasons.templates.plan import check_split, report_shortage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from rightreasons.templates.filling import Filler
    from rightreasons.templates.grammar import Grammar
    from rightreasons.templates.plan import TemplatePlan
    from rightreasons.templates.recognise import Recogniser

Mode = Literal["corrected", "faithful"]
MODES: tuple[Mode, ...] = ("corrected", "faithful")
PAPER = "McCoy, Pavlick and Linzen 2019"
TAGS = ("set", "heuristic", "subcase", "template", "subvariant", "trigger", "category", "group", "rank")
FILE = DATA_FOLDER / "sets" / "hans.toml"
_SOURCES = {
    "eval": "c55b62feef9913070e88f38938dc2492018c945ac81f70139346472494124e79",
    "train": "49245bd5fdb0b185dcbfbf48f0f16513c62ad5bc9fad0b8800dc48d6818ee5cf",
}
_PER_SUBCASE = 1000


def load_hans_grammar(mode: Mode) -> Grammar:
    """Load the templates of HANS: as released, or with their defects corrected."""
    return load_grammar(FILE, None if mode == "corrected" else mode)


@dataclass(frozen=True, kw_only=True)
class Hans(SetPart):
    """HANS, from its templates: any size, any seed, evaluation and training apart."""

    name = "hans"
    version = 1
    labels = ("entailment", "non-entailment")
    paper = PAPER
    tags = TAGS

    mode: Mode = option(
        "corrected", help="corrected, or faithful to the released templates and their defects."
    )
    disjoint: Disjoint = option("pair", help=DISJOINT_HELP)
    text: Text | None = option(None, help=TEXT_HELP)
    parses: Parses = option("labelled", help=PARSES_HELP)
    attested: Path | None = option(None, help=ATTESTED_HELP)
    short: Short = option("refuse", help=SHORT_HELP)

    def plan(self, *, size: int | None, limit: int | None, seed: int, split: str) -> TemplatePlan:
        """Plan a sample: `size` pairs per subcase (default 1000), or `limit` in all."""
        templates = load_hans_grammar(self.mode)
        reserved = released.reserve_released_premises(templates)
        return plan_template_set(
            self, templates, reserved, size=size, limit=limit, seed=seed, split=split, attested=self.attested
        )

    def recognisers(self) -> list[Recogniser]:
        """Return what finds pairs of this set again, the corrected mode first."""
        from rightreasons.templates.recognise import Recogniser

        return [Recogniser(load_hans_grammar(mode), mode) for mode in MODES]


@dataclass(frozen=True, kw_only=True)
class HansReleased(SetPart):
    """The released HANS evaluation set (or training set), pair by pair, under its own ids."""

    name = "hans-released"
    version = 1
    labels = ("entailment", "non-entailment")
    paper = PAPER
    tags = TAGS

    text: Text = option("tokenised", help="tokenised as released, or natural.")
    parses: Parses = option("labelled", help=PARSES_HELP)
    short: Short = option("refuse", help=SHORT_HELP)

    def plan(self, *, size: int | None, limit: int | None, seed: int, split: str) -> ReleasedPlan:
        """Plan the whole file, or its first `size` pairs of each subcase, or `limit` pairs in all."""
        check_split(split)
        remarks: list[str] = []
        for name, value, most in (("subcase", size, _PER_SUBCASE), ("file", limit, 30 * _PER_SUBCASE)):
            if value is not None and value < 1:
                raise InputError(f"{value} pairs were requested. Request at least 1.")
            if value is not None and value > most:
                remarks += report_shortage(
                    f"Every {name} of the released {split} set", most, None, value, self.short
                )
        rows = _choose_released_rows(size or _PER_SUBCASE, limit)
        card = Card(
            set=self.name,
            version=self.version,
            options={"size": size, "limit": limit, "seed": seed, "split": split, **get_options(self)},
            labels=self.labels,
            rows=len(rows),
            made_with=f"rightreasons {__version__}",
            sources={f"released {split} file, sha256": _SOURCES[split]},
            remarks=tuple(remarks),
        )
        return ReleasedPlan(
            get_filler(load_hans_grammar("faithful"), self.text, self.parses), card, split, rows
        )


class ReleasedPlan:
    """Rows of a released file."""

    def __init__(self, filler: Filler, card: Card, split: str, chosen: NDArray[np.int64]) -> None:
        """Set the row numbers to generate."""
        self.filler = filler
        self.card = card
        self.chosen = chosen
        _, self.numbers, self.ranks = released.load_ranks(split)

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
        pairs = self.filler.fill_pairs(self.numbers[at], self.ranks[at])
        ids = pl.Series("id", at).cast(pl.String)
        return pairs.with_columns(id="ex" + ids, set=pl.lit("hans-released"))


def _choose_released_rows(size: int, limit: int | None) -> NDArray[np.int64]:
    """Choose the first pairs of each subcase; a limit is spread evenly."""
    places = np.arange(30 * _PER_SUBCASE)
    within = places % _PER_SUBCASE
    chosen = places[within < size]
    if limit is None or limit >= len(chosen):
        return chosen
    # One pair of every subcase in turn, so that subcases and labels stay level; then back in the file's order.
    turn = np.lexsort((_number_subcases_by_turn(chosen // _PER_SUBCASE), within[chosen]))
    return np.sort(chosen[turn[:limit]])


def _number_subcases_by_turn(subcases: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number the subcases so that the two labels, five subcases each in turn, alternate."""
    block, place = np.divmod(subcases, 10)
    return np.asarray((block * 5 + place % 5) * 2 + (place < 5))  # noqa: PLR2004 - five subcases a label
