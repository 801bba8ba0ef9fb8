"""Pairwise comparisons in families, and what models have in common: pairs that all, some or none get right.

A family is two models on one set, by label or by tags: what one question is about, so that no other model, set or tag
changes its result.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons.core.formatting import round_half_up
from rightreasons.core.labels import TWO_LABELS
from rightreasons.scoring.cells import ALL
from rightreasons.scoring.paired import COMPARISON_COLUMNS, LEVEL, compare_predictions, correct_p_values
from rightreasons.scoring.sharing import find_sharing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rightreasons.scoring.sharing import Sharing

# What a row is about, before its tags.
MODEL_COLUMNS = ("a", "b", "by")
CORRECTED = "p_corrected"
FAMILY_SIZE = "family"  # how many comparisons are corrected together
FAMILY_RULE = (
    "Each pair of models on each set is a separate family of tests: the test on the whole set needs no correction; "
    "the tests on its labels are corrected together, and so are those on its parts by a tag (Benjamini-Hochberg). "
    "Other models and sets don't affect the results."
)
_KEYS = ("set", *MODEL_COLUMNS)
ALL_RIGHT = "all right"
ALL_WRONG = "all wrong"


def pair_models(names: Sequence[str], against: str | None = None) -> list[tuple[str, str]]:
    """Pair each model with each other, or all other models with one."""
    if against is not None:
        return [(name, against) for name in names if name != against]
    return list(combinations(names, 2))


def compare_models(
    pairs: pl.DataFrame,
    predictions: Mapping[str, pl.DataFrame],
    wanted: Iterable[tuple[str, str]],
    groupings: Sequence[Sequence[str]] = ((),),
) -> pl.DataFrame:
    """Compare pairs of models on one set, for each grouping by tags; p values are not corrected yet.

    On sets with two labels, each gold label has its own rows: a model that predicts entailment more often is better on
    one label and worse on the other, which the sum over both hides. The sum is returned for the whole set only.
    """
    shared = find_sharing(pairs)
    rows = [
        _compare_two_models(pairs, predictions, couple, by, shared)
        for couple in wanted
        for by in dict.fromkeys(map(tuple, groupings))
    ]
    return pl.concat(rows, how="diagonal_relaxed") if rows else pl.DataFrame()


def correct_family_p_values(rows: pl.DataFrame) -> pl.DataFrame:
    """Correct the p values of each family, and mark the significant differences."""
    keys = [name for name in _KEYS if name in rows.columns]
    whole = ((pl.col("by") == "") & (pl.col("gold") == ALL)).alias("_whole")
    places = rows.with_columns(whole).with_row_index("_row").group_by(*keys, "_whole", maintain_order=True)
    values, sizes = np.ones(rows.height), np.ones(rows.height, np.int64)
    for taken in places.agg("_row")["_row"]:
        at = taken.to_numpy()
        values[at], sizes[at] = correct_p_values(rows["p"].to_numpy()[at]), len(at)
    corrected = rows.with_columns(pl.Series(CORRECTED, values), pl.Series(FAMILY_SIZE, sizes))
    return corrected.with_columns(shown=pl.col(CORRECTED) < LEVEL)


def count_whole_set_tests(rows: pl.DataFrame) -> int:
    """Count the tests on whole sets, of which one in twenty shows a difference by chance."""
    return rows.filter((pl.col("by") == "") & (pl.col("gold") == ALL)).height if rows.height else 0


def describe_chance_findings(tests: int) -> str:
    """State how many of several tests are expected to show a difference by chance; empty for a single test."""
    if tests < 2:  # noqa: PLR2004 - a single test needs no count
        return ""
    expected = round_half_up(Fraction(tests) * Fraction(str(LEVEL)), 1)
    return (
        f" Of {tests:,} tests on whole sets, {expected} would be expected to be significant by chance "
        "if the models did not differ."
    )


def _compare_two_models(
    pairs: pl.DataFrame,
    predictions: Mapping[str, pl.DataFrame],
    couple: tuple[str, str],
    by: tuple[str, ...],
    shared: Sharing,
) -> pl.DataFrame:
    a, b = couple
    rows = compare_predictions(pairs, predictions[a], predictions[b], by, shared)
    two = set(predictions[a]["gold"].unique()) == set(TWO_LABELS)
    kept = pl.lit(value=True) if two and not by else pl.col("gold") != ALL if two else pl.col("gold") == ALL
    whose = pl.lit(a).alias("a"), pl.lit(b).alias("b"), pl.lit(",".join(by)).alias("by")
    return rows.filter(kept).select(*whose, *by, *COMPARISON_COLUMNS)


def name_correct_models(right: Mapping[str, pl.Series]) -> pl.Series:
    """Name for each pair the models that are correct: all, none, or which."""
    table = pl.DataFrame([is_right.alias(f"m{place}") for place, is_right in enumerate(right.values())])
    names = [
        pl.when(pl.col(f"m{place}")).then(pl.lit(name, dtype=pl.String)) for place, name in enumerate(right)
    ]
    some = pl.concat_str(pl.lit("only "), pl.concat_str(names, separator=", ", ignore_nulls=True))
    all_right, all_wrong = pl.all_horizontal(pl.all()), ~pl.any_horizontal(pl.all())
    rest = pl.when(all_wrong).then(pl.lit(ALL_WRONG)).otherwise(some)
    who = pl.when(all_right).then(pl.lit(ALL_RIGHT)).otherwise(rest)
    return table.select(who.alias("outcome")).to_series()


def count_common_errors(a: pl.DataFrame, b: pl.DataFrame) -> pl.DataFrame:
    """Count the pairs that both get wrong by gold label and predictions, the most frequent first.

    Both tables have `gold`, `prediction` and `right`, row by row; `share` is that of all pairs that both get wrong.
    """
    both = a.select("gold", pl.col("prediction").alias("prediction_a"), "right").with_columns(
        prediction_b=b["prediction"], right_b=b["right"]
    )
    wrong = both.filter(~pl.col("right") & ~pl.col("right_b"))
    keys = ["gold", "prediction_a", "prediction_b"]
    counts = wrong.group_by(keys).agg(n=pl.len().cast(pl.Int64))
    return counts.sort(pl.col("n"), *keys, descending=[True, False, False, False]).with_columns(
        share=pl.col("n") / pl.lit(max(1, wrong.height))
    )
