"""Families of comparisons: couples of models, on the whole set and by tags, corrected together."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.labels import TWO
from rightreasons.scoring.cells import ALL
from rightreasons.scoring.clusters import sharing
from rightreasons.scoring.paired import FIGURES, LEVEL, compare_answers, corrected

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rightreasons.scoring.clusters import Sharing

# What a row is about, before its tags.
WHOSE = ("a", "b", "by")
CORRECTED = "p_corrected"


def couples(names: Sequence[str], against: str | None = None) -> list[tuple[str, str]]:
    """Pair the models, each with each, or all others with one."""
    if against is not None:
        return [(name, against) for name in names if name != against]
    return list(combinations(names, 2))


def compare_models(
    pairs: pl.DataFrame,
    answers: Mapping[str, pl.DataFrame],
    wanted: Iterable[tuple[str, str]],
    groupings: Sequence[Sequence[str]] = ((),),
) -> pl.DataFrame:
    """Compare couples of models on one set, for each grouping by tags; p values are not corrected yet.

    On sets of two labels each true label has rows of its own: a model that says entailment more often is better on
    the one and worse on the other, which the sum over both hides. The sum is given for the whole set only.
    """
    shared = sharing(pairs)
    rows = [
        _rows(pairs, answers, couple, by, shared)
        for couple in wanted
        for by in dict.fromkeys(map(tuple, groupings))
    ]
    return pl.concat(rows, how="diagonal_relaxed") if rows else pl.DataFrame()


def corrected_together(rows: pl.DataFrame) -> pl.DataFrame:
    """Correct the p values of all rows as one family, and say which differences are shown."""
    values = pl.Series(CORRECTED, corrected(rows["p"].to_numpy()), dtype=pl.Float64)
    return rows.with_columns(values).with_columns(shown=pl.col(CORRECTED) < LEVEL)


def _rows(
    pairs: pl.DataFrame,
    answers: Mapping[str, pl.DataFrame],
    couple: tuple[str, str],
    by: tuple[str, ...],
    shared: Sharing,
) -> pl.DataFrame:
    a, b = couple
    rows = compare_answers(pairs, answers[a], answers[b], by, shared)
    two = set(answers[a]["gold"].unique()) == set(TWO)
    kept = pl.lit(value=True) if two and not by else pl.col("gold") != ALL if two else pl.col("gold") == ALL
    whose = pl.lit(a).alias("a"), pl.lit(b).alias("b"), pl.lit(",".join(by)).alias("by")
    return rows.filter(kept).select(*whose, *by, *FIGURES)
