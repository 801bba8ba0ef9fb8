"""The two sides of random pairs: premises and hypotheses, each text once, and which belong together."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons.core.digests import join_columns
from rightreasons.core.keyed_random import draws

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

# An id of MultiNLI is a prompt's number and a letter; one of SNLI names a photograph, which has five captions.
_PROMPT = r"^(\d+)[enc](?:#\d+)?$"
_PHOTO = r"^(.+?\.jpg)#"
_GROUPS = ("source_group", "prompt_id", "promptID", "caption_id", "captionID")


def source_names(corpora: Sequence[str]) -> list[str]:
    """Name corpora shortly: a file by its stem, with its folder where two have the same."""
    short = [name if name.startswith("hf:") else PurePath(name).stem for name in corpora]
    longer = [f"{PurePath(name).parent.name}/{stem}" for name, stem in zip(corpora, short, strict=True)]
    unlike = [one if short.count(one) == 1 else two for one, two in zip(short, longer, strict=True)]
    return unlike if len(set(unlike)) == len(set(corpora)) else list(corpora)


def source_groups(pairs: pl.DataFrame) -> pl.Series:
    """Name what each pair was written about: its prompt or photograph by the ids, else its premise."""
    named = [pl.col(name).cast(pl.String) for name in _GROUPS if name in pairs.columns]
    photo = [group.str.extract(_PHOTO) for group in named]
    own = [pl.col("id").str.extract(_PROMPT), pl.col("id").str.extract(_PHOTO)]
    return pairs.select(pl.coalesce(*photo, *named, *own, "premise").alias("source_group")).to_series()


def joined(corpora: Mapping[str, pl.DataFrame], *, by_genre: bool) -> pl.DataFrame:
    """Put the pairs of several corpora into one table, with the columns source, file and source_group."""
    parts = []
    for name, pairs in corpora.items():
        genre = pl.col("genre") if "genre" in pairs.columns else pl.lit(None, dtype=pl.String)
        source = pl.coalesce(genre, pl.lit(name)) if by_genre else pl.lit(name)
        parts.append(
            pairs.select(
                "id", "premise", "hypothesis", "label", genre.alias("genre"), source.alias("source"),
                pl.lit(name).alias("file"), source_groups(pairs),
            )
        )  # fmt: skip
    return pl.concat(parts)


def premises_of(pairs: pl.DataFrame, *key: str | int) -> pl.DataFrame:
    """List the premises, each text once under its first id, in an order drawn by their ids; `drawn` is the number."""
    first = pairs.sort("id").unique("premise", keep="first", maintain_order=True)
    named = first.select(join_columns(["file", "id"]).alias("name")).to_series()
    drawn = pl.Series("drawn", draws(named, *key))
    return first.with_columns(drawn).sort("drawn", "file", "id").drop("hypothesis", "label")


def hypotheses_of(pairs: pl.DataFrame) -> pl.DataFrame:
    """List the hypotheses, each text once: in the source that comes first, under its first id there."""
    sources = pl.Enum(pairs["source"].unique(maintain_order=True))
    ordered = pairs.with_columns(pl.col("source").cast(sources)).sort("source", "file", "id")
    return ordered.unique("hypothesis", keep="first", maintain_order=True).drop("premise")


def related(premises: pl.DataFrame, pool: pl.DataFrame, pairs: pl.DataFrame) -> NDArray[np.int64]:
    """Number the pairs (row of premises times the pool's size, plus row of the pool) that are no random pairs.

    These are the hypotheses that any corpus has for the same premise, prompt or photograph, and equal texts.
    """
    left = premises.with_row_index("left").select("left", "premise", "source_group")
    right = pool.with_row_index("right").select("right", "hypothesis")
    equal = left.join(right, left_on="premise", right_on="hypothesis").select("left", "right")
    found = [equal]
    for key in ("premise", "source_group"):
        met = left.select("left", key).join(pairs.select(key, "hypothesis").unique(), on=key)
        found.append(met.join(right, on="hypothesis").select("left", "right"))
    together = pl.concat(found).cast(pl.Int64)
    numbers = together.select(pl.col("left") * pool.height + pl.col("right")).to_series()
    return np.unique(numbers.to_numpy())
