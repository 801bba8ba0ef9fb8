"""What a training file shares with one set: the counts, some examples, and a sentence on what it means."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.audits.leaks import HOW, SIDES, counted, find
from rightreasons.core.formatting import half_up

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rightreasons.core.pairs import ChallengeSet

EXAMPLES = 3  # of each kind
_EXAMPLE = pl.Schema(
    dict.fromkeys(
        (
            "what",
            "how",
            "id",
            "premise",
            "hypothesis",
            "training_id",
            "training_premise",
            "training_hypothesis",
        ),
        pl.String,
    )
    | {"similarity": pl.Float64}
)


@dataclass(frozen=True)
class Leaked:
    """The leaks between a training file and one set.

    `table` has a row each for pairs, swapped pairs, premises and hypotheses: exact, normalised, near, any, of, share.
    `examples` has for each of these, and for each way, the first pairs with their place in the training file.
    """

    set: str
    training: str
    training_rows: int
    near: bool
    table: pl.DataFrame
    examples: pl.DataFrame
    digest: str | None = None  # of the training file; runs of old have none

    @property
    def has_pairs(self) -> bool:
        """Tell whether pairs of the set, as they are or swapped, are in the training file."""
        return bool(self.table.filter(pl.col("what").is_in(["pair", "swapped pair"]))["any"].sum())

    @property
    def sentence(self) -> str:
        """Say what the counts mean for figures on this set."""
        any_of = dict(self.table.select("what", "any").iter_rows())
        of = int(self.table["of"][0])
        ways = "" if self.near else ", near duplicates not looked for"
        if any_of["pair"] or any_of["swapped pair"]:
            both = [
                f"{n:,} of {of:,} pairs ({_percent(n, of)})" for n in (any_of["pair"], any_of["swapped pair"])
            ]
            return (
                f"{self.set}: {both[0]} are in {self.training}, and {both[1]} are there with their texts exchanged"
                f"{ways}. A model that was trained on it may know their labels by heart: "
                "its figures on this set say too much."
            )
        return (
            f"{self.set}: none of its {of:,} pairs is in {self.training}{ways}. Of their texts alone, "
            f"{any_of['premise']:,} premises and {any_of['hypothesis']:,} hypotheses are there."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        tables = {"table": self.table.to_dicts(), "examples": self.examples.to_dicts()}
        return {**vars(self), **tables, "sentence": self.sentence}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Leaked:
        """Read it back from plain values."""
        schema = {"what": pl.String, **dict.fromkeys((*HOW, "any", "of"), pl.Int64), "share": pl.Float64}
        table = pl.DataFrame(values["table"], schema=schema)
        examples = pl.DataFrame(values["examples"], schema=_EXAMPLE)
        names = ("set", "training", "training_rows", "near")
        return cls(
            **{name: values[name] for name in names},
            table=table,
            examples=examples,
            digest=values.get("digest"),
        )


def leaked(
    training: ChallengeSet, made: ChallengeSet, *, near: bool = True, name: str | None = None
) -> Leaked:
    """Look for the pairs of a set in a training corpus; both as they were read."""
    found = find(training.pairs, made.pairs, near=near)
    shown = name or made.card.set
    table = counted(found, made.pairs.height)
    examples = _examples(found, training.pairs, made.pairs)
    digest = " ".join(training.card.sources.values()) or None
    return Leaked(shown, training.card.set, training.pairs.height, near, table, examples, digest)


def _examples(found: pl.DataFrame, training: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """Choose the first of each kind, and put the texts beside."""
    order = (pl.col("what").cast(pl.Enum(list(SIDES))), pl.col("how").cast(pl.Enum(HOW)))
    first = found.sort(*order, "row").group_by("what", "how", maintain_order=True).head(EXAMPLES)
    names = ("id", "premise", "hypothesis")
    own = pairs[first["row"]].select(names)
    there = training[first["training_row"]].select(pl.col(name).alias(f"training_{name}") for name in names)
    return (
        pl.concat([first.select("what", "how", "similarity"), own, there], how="horizontal")
        .select(_EXAMPLE.names())
        .cast(_EXAMPLE)
    )


def _percent(part: int, whole: int) -> str:
    return f"{half_up(Fraction(100 * part, whole), 1)}%" if whole else "none"
