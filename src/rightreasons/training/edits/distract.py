"""Attach a tautology to every training pair, as the stress tests do; labels stay as they are."""

from __future__ import annotations

from typing import Literal

import polars as pl

from rightreasons.core.pairs import PARSES
from rightreasons.sets.stress.distraction import (
    Attachment,
    LengthMismatch,
    Negation,
    WordOverlap,
    distract_pairs,
)
from rightreasons.training.edits.edit import Edited

USUAL = {"negation": Negation, "word-overlap": WordOverlap, "length-mismatch": LengthMismatch}


def distract(
    pairs: pl.DataFrame,
    *,
    test: Literal["negation", "word-overlap", "length-mismatch"] = "negation",
    tautology: str | None = None,
    keep: bool = False,
) -> Edited:
    """Attach the tautology of a stress test to each pair, or put such pairs beside the old ones.

    Args:
        pairs: the training pairs; those with a tautology have no parses, since nobody parsed them so.
        test: negation, word-overlap or length-mismatch.
        tautology: another clause than the test's own.
        keep: keep each pair as it was, too, which doubles the training set as in the paper.
    """
    usual = USUAL[test]().attachment
    clause = Attachment(tautology or usual.tautology, usual.repetitions, usual.side)
    needed = pairs.select(
        pl.Series("id", [str(row) for row in range(pairs.height)]),
        "premise",
        "hypothesis",
        "label",
        pl.lit(None, dtype=pl.String).alias("genre"),
    )
    texts = distract_pairs(USUAL[test].name, needed, clause).select("premise", "hypothesis")
    parses = [name for name in PARSES if name in pairs.columns]
    new = pairs.with_columns(*texts, *(pl.lit(None, dtype=pl.String).alias(name) for name in parses))
    facts = {"tautology": clause.clause.strip(), "side": clause.side, "kept": keep}
    if not keep:
        return Edited(new.drop(parses), facts)
    named = (
        new.with_columns(pl.concat_str(pl.lit("distract-"), "id").alias("id")) if "id" in new.columns else new
    )
    return Edited(pl.concat([pairs, named]).drop(parses), facts)
