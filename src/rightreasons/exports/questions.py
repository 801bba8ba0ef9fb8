"""How a pair is put to a language model: the order of the labels, the words of the question, the parts of a set."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.core.labels import THREE, TWO
from rightreasons.core.pairs import PARSES, REQUIRED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rightreasons.core.pairs import ChallengeSet

# The question after premise and hypothesis, and the words that stand for the labels, in their order.
QUESTIONS = {
    TWO: ("True or False?", ("True", "False")),
    THREE: ("True, False, or Neither?", ("True", "Neither", "False")),
}
HEURISTIC = "heuristic"
_OTHERS = re.compile(r"[^a-z0-9]+")
NO_VALUE = "none"


def label_order(name: str, made: ChallengeSet) -> tuple[str, ...]:
    """Choose the labels that the numbers 0, 1, 2 stand for: those of two, or of three, that the set may have."""
    found = set(made.card.labels) | set(made.pairs["label"].unique())
    for names in (TWO, THREE):
        if found <= set(names):
            return names
    raise InputError(
        f"The set {name!r} has the labels {', '.join(sorted(found))}, which have no common order. "
        "Write a file whose pairs have two labels, or three."
    )


def rows(made: ChallengeSet, names: Sequence[str]) -> pl.DataFrame:
    """Lay out pairs for JSONL: the label as a number, the part of the set, and the tags together."""
    pairs = made.pairs
    tags = [name for name in pairs.columns if name not in (*REQUIRED, *PARSES)]
    number = pl.col("label").replace_strict(names, range(len(names)), return_dtype=pl.Int64)
    kept = [pl.struct(tags).alias("tags")] if tags else []
    return pairs.select("id", "premise", "hypothesis", number, part_of(pairs).alias("part"), *kept)


def part_of(pairs: pl.DataFrame) -> pl.Expr:
    """Name the part of the set that a pair is in: its heuristic, where there are any, and its label."""
    if HEURISTIC not in pairs.columns or pairs[HEURISTIC].null_count() == pairs.height:
        return pl.col("label")
    return pl.format("{}, {}", pl.col(HEURISTIC).fill_null(NO_VALUE), "label")


def identifiers(names: Sequence[str]) -> list[str]:
    """Make names for tasks and functions: small letters, digits and underscores, all different."""
    made: list[str] = []
    for name in names:
        base = _OTHERS.sub("_", name.lower()).strip("_") or "unnamed"
        one, count = base, 1
        while one in made:
            count += 1
            one = f"{base}_{count}"
        made.append(one)
    return made
