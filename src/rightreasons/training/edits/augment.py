"""Add HANS-like pairs to the training pairs, from the train split of HANS: no pair of an evaluation set is in it."""

from __future__ import annotations

from typing import Literal

import polars as pl

from rightreasons.core import registry
from rightreasons.core.errors import InputError
from rightreasons.core.labels import NON_ENTAILMENT
from rightreasons.core.pairs import PARSES
from rightreasons.training.edits.edit import Edited

FULL = 30_000  # as many as the paper added
RELEASED = 30_000  # pairs of the released training set, half of them entailed
TAGS = ("set", "heuristic", "subcase", "template", "subvariant", "trigger")
As = Literal["neutral", "contradiction", "non-entailment"]
Only = Literal["all", "entailment", "non-entailment"]


def augment(
    pairs: pl.DataFrame,
    *,
    size: int = FULL,
    seed: int = 0,
    non_entailment: As = "neutral",
    only: Only = "all",
    set: Literal["hans", "hans-released"] = "hans",  # noqa: A002 - the word that users know
) -> Edited:
    """Add pairs of the train split of HANS, spread evenly over its thirty subcases.

    Args:
        pairs: the training pairs.
        size: how many to add; 0 adds none.
        seed: another seed, another sample; the released training set has but one.
        non_entailment: the label that pairs of two labels get among those of three. The paper doesn't say what it
            did; neutral is what their sentences mean. With non-entailment, the model has two labels in all.
        only: add pairs of both labels, or of one alone.
        set: made from the templates, or the released training set.
    """
    if size < 0:
        raise InputError(f"The option size is {size}. Give 0 or more.")
    most = RELEASED if only == "all" else RELEASED // 2
    if set == "hans-released" and size > most:
        raise InputError(
            f"The released training set has {most:,} such pairs, not {size:,}. Ask for fewer, or take set=hans."
        )
    if not size:
        return Edited(pairs, {"added": 0})
    added = _made(size, seed, only, set, parses=_parses(pairs))
    word = pl.col("label").replace({NON_ENTAILMENT: non_entailment})
    columns = [name for name in added.columns if name not in PARSES or name in pairs.columns]
    new = added.with_columns(word).select(columns)
    whole = pl.concat([_without(pairs, new), new], how="diagonal_relaxed")
    counts = dict(sorted(new["label"].value_counts().iter_rows()))
    facts = {"added": new.height, "set": set, "split": "train", "seed": seed, "labels": counts}
    return Edited(whole.select(*pairs.columns, *(tag for tag in TAGS if tag not in pairs.columns)), facts)


def _made(size: int, seed: int, only: Only, name: str, *, parses: str) -> pl.DataFrame:
    """Make pairs of the train split; half of them have one label, so twice as many are made for one alone."""
    limit = size if only == "all" else 2 * size
    part = registry.make_set(name, {"parses": parses})
    plan = part.plan(size=None, limit=limit, seed=seed, split="train")
    made = plan.rows(0, len(plan))
    chosen = made if only == "all" else made.filter(pl.col("label") == only)
    if chosen.height < size:  # an odd number that the subcases can't share evenly
        plan = part.plan(size=None, limit=limit + 60, seed=seed, split="train")
        chosen = plan.rows(0, len(plan)).filter(pl.col("label") == only).head(size)
    return chosen.head(size).with_columns(pl.concat_str(pl.lit("augment-"), "id").alias("id"))


def _parses(pairs: pl.DataFrame) -> str:
    """Make parses where the training pairs have them."""
    if not set(PARSES) & set(pairs.columns):
        return "none"
    return "binary" if set(PARSES[2:]) & set(pairs.columns) else "labelled"


def _without(pairs: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    """Give tags of both tables the type of the new one, so that a column of nulls doesn't stand in the way."""
    both = [name for name in new.columns if name in pairs.columns and pairs[name].dtype != new[name].dtype]
    return pairs.with_columns(pl.col(name).cast(new[name].dtype) for name in both)
