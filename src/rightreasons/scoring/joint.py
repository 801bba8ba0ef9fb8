"""What several models have in common: pairs that all get right, that none does, and the errors that two share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping

ALL_RIGHT = "all right"
ALL_WRONG = "all wrong"


def name_outcomes(right: Mapping[str, pl.Series]) -> pl.Series:
    """Say for each pair who is right: all, none, or which of the models by name."""
    table = pl.DataFrame([each.alias(f"m{place}") for place, each in enumerate(right.values())])
    names = [
        pl.when(pl.col(f"m{place}")).then(pl.lit(name, dtype=pl.String)) for place, name in enumerate(right)
    ]
    some = pl.concat_str(pl.lit("only "), pl.concat_str(names, separator=", ", ignore_nulls=True))
    all_right, all_wrong = pl.all_horizontal(pl.all()), ~pl.any_horizontal(pl.all())
    rest = pl.when(all_wrong).then(pl.lit(ALL_WRONG)).otherwise(some)
    who = pl.when(all_right).then(pl.lit(ALL_RIGHT)).otherwise(rest)
    return table.select(who.alias("outcome")).to_series()


def count_common_errors(a: pl.DataFrame, b: pl.DataFrame) -> pl.DataFrame:
    """Count the pairs that both get wrong by true label and answers, the most frequent first.

    Both tables have `gold`, `answer` and `right`, row by row; `share` is that of all pairs that both get wrong.
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
