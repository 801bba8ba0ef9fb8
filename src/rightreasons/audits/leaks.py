"""Leaks: pairs of a set that also occur in a training file, verbatim, normalised or as near duplicates."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import polars as pl

from rightreasons.audits.near_duplicates import NearDuplicateIndex
from rightreasons.core.errors import InputError
from rightreasons.core.formatting import round_half_up
from rightreasons.core.pairs import TEXTS
from rightreasons.core.progress import track_progress
from rightreasons.language.shingles import MOST_ROWS, ShingledColumn, normalise_letters, normalise_spaces

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rightreasons.core.pairs import ChallengeSet

What: TypeAlias = Literal["pair", "swapped pair", "premise", "hypothesis"]
# Which texts of the set are compared with which of the training file.
SIDES: dict[What, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "pair": (("premise", "hypothesis"), ("premise", "hypothesis")),
    "swapped pair": (("premise", "hypothesis"), ("hypothesis", "premise")),
    "premise": (("premise",), ("premise",)),
    "hypothesis": (("hypothesis",), ("hypothesis",)),
}
HOW = ("exact", "normalised", "near")
_MATCHES = pl.Schema(
    {
        "what": pl.String,
        "how": pl.String,
        "row": pl.UInt32,
        "training_row": pl.UInt32,
        "similarity": pl.Float64,
    }
)
_BATCH = 4 * MOST_ROWS
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
class LeakReport:
    """The overlap of a training file with one set.

    `table` has a row each for pairs, swapped pairs, premises and hypotheses: exact, normalised, near, any, of, share.
    `examples` has the first matches of each kind, with the matching row of the training file.
    """

    set: str
    training: str
    training_rows: int
    near: bool
    table: pl.DataFrame
    examples: pl.DataFrame
    digest: str | None = None  # of the training file; old runs have none

    @property
    def has_pairs(self) -> bool:
        """Whether pairs of the set, as they are or swapped, occur in the training file."""
        return bool(self.table.filter(pl.col("what").is_in(["pair", "swapped pair"]))["any"].sum())

    @property
    def sentence(self) -> str:
        """What the counts mean for scores on this set."""
        any_of = dict(self.table.select("what", "any").iter_rows())
        of = int(self.table["of"][0])
        ways = "" if self.near else " (near duplicates were not searched)"
        if any_of["pair"] or any_of["swapped pair"]:
            both = [
                f"{n:,} of {of:,} pairs ({_format_percentage(n, of)})"
                for n in (any_of["pair"], any_of["swapped pair"])
            ]
            return (
                f"{self.set}: {both[0]} occur in {self.training}, and {both[1]} occur with premise and hypothesis "
                f"swapped{ways}. A model trained on this file may have memorised their labels, so its scores "
                "on this set may be too optimistic."
            )
        return (
            f"{self.set}: none of its {of:,} pairs occurs in {self.training}{ways}. "
            f"{any_of['premise']:,} premises and {any_of['hypothesis']:,} hypotheses occur in other pairs."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values."""
        tables = {"table": self.table.to_dicts(), "examples": self.examples.to_dicts()}
        return {**vars(self), **tables, "sentence": self.sentence}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> LeakReport:
        """Read a report from plain values."""
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


def audit_leaks(
    training: ChallengeSet, challenge_set: ChallengeSet, *, near: bool = True, name: str | None = None
) -> LeakReport:
    """Search a training corpus for the pairs of a set."""
    matches = find_leaks(training.pairs, challenge_set.pairs, near=near)
    table = _count_matches(matches, challenge_set.pairs.height)
    examples = _select_example_matches(matches, training.pairs, challenge_set.pairs)
    digest = " ".join(training.card.sources.values()) or None
    return LeakReport(
        name or challenge_set.card.set,
        training.card.set,
        training.pairs.height,
        near,
        table,
        examples,
        digest,
    )


def _select_example_matches(
    matches: pl.DataFrame, training: pl.DataFrame, pairs: pl.DataFrame
) -> pl.DataFrame:
    """Choose the first matches of each kind, with both texts."""
    order = (pl.col("what").cast(pl.Enum(list(SIDES))), pl.col("how").cast(pl.Enum(HOW)))
    first = matches.sort(*order, "row").group_by("what", "how", maintain_order=True).head(EXAMPLES)
    names = ("id", "premise", "hypothesis")
    own = pairs[first["row"]].select(names)
    there = training[first["training_row"]].select(pl.col(name).alias(f"training_{name}") for name in names)
    return (
        pl.concat([first.select("what", "how", "similarity"), own, there], how="horizontal")
        .select(_EXAMPLE.names())
        .cast(_EXAMPLE)
    )


def _format_percentage(part: int, whole: int) -> str:
    return f"{round_half_up(Fraction(100 * part, whole), 1)}%" if whole else "none"


def count_leaks(training: pl.DataFrame, pairs: pl.DataFrame, *, near: bool = True) -> pl.DataFrame:
    """Count the overlap of a set with training pairs: a row each for pairs, swapped pairs, premises, hypotheses.

    A pair of the set counts once, by its closest match: `exact`, else `normalised` (the same letters and digits), else
    `near`. `any` is their sum, `of` the size of the set, `share` the quotient.
    """
    return _count_matches(find_leaks(training, pairs, near=near), pairs.height)


def _count_matches(matches: pl.DataFrame, of: int) -> pl.DataFrame:
    counts = {(what, how): n for what, how, n in matches.group_by("what", "how").len().iter_rows()}
    rows = [{"what": what, **{how: counts.get((what, how), 0) for how in HOW}} for what in SIDES]
    table = pl.DataFrame(rows, schema={"what": pl.String, **dict.fromkeys(HOW, pl.Int64)})
    whole = table.with_columns(pl.sum_horizontal(HOW).alias("any"), pl.lit(of, dtype=pl.Int64).alias("of"))
    # One by one: polars multiplies by the inverse of a single number, which is a hair off.
    share = [n / of if of else 0.0 for n in whole["any"]]
    return whole.with_columns(pl.Series("share", share, dtype=pl.Float64))


def find_leaks(training: pl.DataFrame, pairs: pl.DataFrame, *, near: bool = True) -> pl.DataFrame:
    """List the pairs of a set that occur in the training pairs, each with the first match: what, how, both rows."""
    for table, whose in ((training, "training file"), (pairs, "set")):
        missing = [name for name in TEXTS if name not in table.columns]
        if missing:
            raise InputError(
                f"The {whose} has no column {missing[0]!r}. Use a file of premise-hypothesis pairs."
            )
    theirs, ours = _hash_texts(training), _hash_texts(pairs)
    parts = {what: _match_whole_texts(theirs, ours, what) for what in SIDES}
    matches = [*parts.values()]
    if near and theirs.height and ours.height:
        indexes = {
            what: _UnmatchedTexts(pairs, ours, theirs, what, known["row"]) for what, known in parts.items()
        }
        starts = range(0, training.height, MOST_ROWS)
        for start in track_progress(starts, len(starts), "comparing"):
            batch = training[start : start + MOST_ROWS]
            columns = {
                side: ShingledColumn(batch.select(normalise_spaces(pl.col(side))).to_series().to_list())
                for side in TEXTS
            }
            matches += [index.match_batch(columns, start) for index in indexes.values()]
    return pl.concat(matches).sort(pl.col("what").cast(pl.Enum(list(SIDES))), "row")


def _hash_texts(table: pl.DataFrame) -> pl.DataFrame:
    """Hash the texts twice: verbatim, and by their letters and digits only; 64 bits stand for a text."""
    raw = [pl.col(name).hash().alias(f"{name}_exact") for name in TEXTS]
    plain = [normalise_letters(pl.col(name)).hash().alias(f"{name}_normalised") for name in TEXTS]
    texts = table.select(TEXTS)
    parts = [part.select(*raw, *plain) for part in texts.iter_slices(_BATCH)]
    return pl.concat(parts or [texts.select(*raw, *plain)]).with_row_index("row")


def _match_whole_texts(theirs: pl.DataFrame, ours: pl.DataFrame, what: What) -> pl.DataFrame:
    """Match whole texts: verbatim first, then the rest by letters and digits."""
    left, parts = ours, []
    for how in HOW[:2]:
        own, other = ([f"{side}_{how}" for side in sides] for sides in SIDES[what])
        first = theirs.select("row", *other).unique(other, keep="first", maintain_order=True)
        same = left.join(first, left_on=own, right_on=other, suffix="_there")
        parts.append(_make_match_table(what, how, same["row"], same["row_there"], 1.0))
        left = left.join(same.select("row"), on="row", how="anti")
    return pl.concat(parts)


class _UnmatchedTexts:
    """The texts of a set without a whole match in the training pairs, each once, and the rows that have them."""

    def __init__(
        self, pairs: pl.DataFrame, ours: pl.DataFrame, theirs: pl.DataFrame, what: What, known: pl.Series
    ) -> None:
        own, other = SIDES[what]
        keys = [f"{side}_normalised" for side in own]
        left = ours.filter(~pl.col("row").is_in(known.implode()))
        self.what, self.other = what, other
        self.rows = left.group_by(keys, maintain_order=True).agg("row").select("row").with_row_index("doc")
        first = self.rows["row"].list.first()
        texts = pairs[first].select(normalise_spaces(pl.col(side)).alias(side) for side in own)
        self.near = NearDuplicateIndex(tuple(texts[side].to_list() for side in own))
        self.new = theirs.select(
            pl.struct(f"{side}_normalised" for side in other).is_first_distinct()
        ).to_series()

    def match_batch(self, columns: Mapping[str, ShingledColumn], start: int) -> pl.DataFrame:
        """Match a batch of training pairs against the set; texts that occurred before are skipped."""
        wanted = self.new[start : start + MOST_ROWS].to_numpy()
        matches = self.near.match([columns[side] for side in self.other], wanted)
        table = pl.DataFrame(
            [(match.ours, start + match.theirs, float(match.similarity)) for match in matches],
            schema={"doc": pl.UInt32, "there": pl.UInt32, "similarity": pl.Float64},
            orient="row",
        )
        rows = self.rows.join(table, on="doc").explode("row")
        return _make_match_table(self.what, "near", rows["row"], rows["there"], rows["similarity"])


def _make_match_table(
    what: What, how: str, row: pl.Series, there: pl.Series, similarity: pl.Series | float
) -> pl.DataFrame:
    table = pl.DataFrame({"row": row, "training_row": there})
    words = (pl.lit(what).alias("what"), pl.lit(how).alias("how"))
    return table.select(*words, "row", "training_row", pl.lit(similarity).alias("similarity")).cast(_MATCHES)
