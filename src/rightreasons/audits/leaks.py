"""Leaks: what of a set a training file has, too, word for word, but for case and punctuation, or nearly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import polars as pl

from rightreasons.audits.near import NearDuplicates
from rightreasons.core.errors import InputError
from rightreasons.core.pairs import TEXTS
from rightreasons.core.progress import track
from rightreasons.language.shingles import MOST_ROWS, ShingledColumn, letters, spaced

if TYPE_CHECKING:
    from collections.abc import Mapping

What: TypeAlias = Literal["pair", "swapped pair", "premise", "hypothesis"]
# Which texts of the training file are held against which of the set.
SIDES: dict[What, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "pair": (("premise", "hypothesis"), ("premise", "hypothesis")),
    "swapped pair": (("premise", "hypothesis"), ("hypothesis", "premise")),
    "premise": (("premise",), ("premise",)),
    "hypothesis": (("hypothesis",), ("hypothesis",)),
}
HOW = ("exact", "normalised", "near")
_FOUND = pl.Schema(
    {
        "what": pl.String,
        "how": pl.String,
        "row": pl.UInt32,
        "training_row": pl.UInt32,
        "similarity": pl.Float64,
    }
)
_BATCH = 4 * MOST_ROWS


def leaks(training: pl.DataFrame, pairs: pl.DataFrame, *, near: bool = True) -> pl.DataFrame:
    """Count what of a set is in the training pairs, too: a row each for pairs, swapped pairs, premises, hypotheses.

    A pair of the set counts once, by the closest way: `exact`, else `normalised` (the same letters and digits), else
    `near`. `any` is their sum, `of` the size of the set, `share` the quotient.
    """
    return counted(find(training, pairs, near=near), pairs.height)


def counted(found: pl.DataFrame, of: int) -> pl.DataFrame:
    """Count what was found in a set of so many pairs."""
    counts = {(what, how): n for what, how, n in found.group_by("what", "how").len().iter_rows()}
    rows = [{"what": what, **{how: counts.get((what, how), 0) for how in HOW}} for what in SIDES]
    table = pl.DataFrame(rows, schema={"what": pl.String, **dict.fromkeys(HOW, pl.Int64)})
    whole = table.with_columns(pl.sum_horizontal(HOW).alias("any"), pl.lit(of, dtype=pl.Int64).alias("of"))
    # One by one: polars multiplies by the inverse of a single number, which is a hair off.
    share = [n / of if of else 0.0 for n in whole["any"]]
    return whole.with_columns(pl.Series("share", share, dtype=pl.Float64))


def find(training: pl.DataFrame, pairs: pl.DataFrame, *, near: bool = True) -> pl.DataFrame:
    """List the pairs of a set that are in the training pairs, with the first place there: what, how, both rows."""
    for table, whose in ((training, "training file"), (pairs, "set")):
        missing = [name for name in TEXTS if name not in table.columns]
        if missing:
            raise InputError(f"The {whose} has no column {missing[0]!r}. Give pairs of two texts.")
    theirs, ours = _keyed(training), _keyed(pairs)
    parts = {what: _same_texts(theirs, ours, what) for what in SIDES}
    found = [*parts.values()]
    if near and theirs.height and ours.height:
        indexes = {what: _TextIndex(pairs, ours, theirs, what, known["row"]) for what, known in parts.items()}
        starts = range(0, training.height, MOST_ROWS)
        for start in track(starts, len(starts), "comparing"):
            batch = training[start : start + MOST_ROWS]
            columns = {
                side: ShingledColumn(batch.select(spaced(pl.col(side))).to_series().to_list())
                for side in TEXTS
            }
            found += [index.found_in(columns, start) for index in indexes.values()]
    return pl.concat(found).sort(pl.col("what").cast(pl.Enum(list(SIDES))), "row")


def _keyed(table: pl.DataFrame) -> pl.DataFrame:
    """Number the texts twice: as they are, and by their letters and digits; 64 bits stand for a text."""
    raw = [pl.col(name).hash().alias(f"{name}_exact") for name in TEXTS]
    plain = [letters(pl.col(name)).hash().alias(f"{name}_normalised") for name in TEXTS]
    texts = table.select(TEXTS)
    parts = [part.select(*raw, *plain) for part in texts.iter_slices(_BATCH)]
    return pl.concat(parts or [texts.select(*raw, *plain)]).with_row_index("row")


def _same_texts(theirs: pl.DataFrame, ours: pl.DataFrame, what: What) -> pl.DataFrame:
    """Join by whole texts: first as they are, and of the rest by letters and digits."""
    left, parts = ours, []
    for how in HOW[:2]:
        own, other = ([f"{side}_{how}" for side in sides] for sides in SIDES[what])
        first = theirs.select("row", *other).unique(other, keep="first", maintain_order=True)
        same = left.join(first, left_on=own, right_on=other, suffix="_there")
        parts.append(_shown(what, how, same["row"], same["row_there"], 1.0))
        left = left.join(same.select("row"), on="row", how="anti")
    return pl.concat(parts)


class _TextIndex:
    """The texts of a set that are not in the training pairs as they are, each once, and the rows that have them."""

    def __init__(
        self, pairs: pl.DataFrame, ours: pl.DataFrame, theirs: pl.DataFrame, what: What, known: pl.Series
    ) -> None:
        own, other = SIDES[what]
        keys = [f"{side}_normalised" for side in own]
        left = ours.filter(~pl.col("row").is_in(known.implode()))
        self.what, self.other = what, other
        self.rows = left.group_by(keys, maintain_order=True).agg("row").select("row").with_row_index("doc")
        first = self.rows["row"].list.first()
        texts = pairs[first].select(spaced(pl.col(side)).alias(side) for side in own)
        self.near = NearDuplicates(tuple(texts[side].to_list() for side in own))
        self.new = theirs.select(
            pl.struct(f"{side}_normalised" for side in other).is_first_distinct()
        ).to_series()

    def found_in(self, columns: Mapping[str, ShingledColumn], start: int) -> pl.DataFrame:
        """Hold a batch of the training pairs against the set; texts that came before are left out."""
        wanted = self.new[start : start + MOST_ROWS].to_numpy()
        found = self.near.match([columns[side] for side in self.other], wanted)
        table = pl.DataFrame(
            [(match.ours, start + match.theirs, float(match.similarity)) for match in found],
            schema={"doc": pl.UInt32, "there": pl.UInt32, "similarity": pl.Float64},
            orient="row",
        )
        rows = self.rows.join(table, on="doc").explode("row")
        return _shown(self.what, "near", rows["row"], rows["there"], rows["similarity"])


def _shown(
    what: What, how: str, row: pl.Series, there: pl.Series, similarity: pl.Series | float
) -> pl.DataFrame:
    table = pl.DataFrame({"row": row, "training_row": there})
    words = (pl.lit(what).alias("what"), pl.lit(how).alias("how"))
    return table.select(*words, "row", "training_row", pl.lit(similarity).alias("similarity")).cast(_FOUND)
