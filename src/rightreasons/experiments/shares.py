"""Shares that tables show beside accuracy: of answers, of errors, of the mean over tests, and changes of accuracy."""

from __future__ import annotations

from math import hypot, sqrt
from statistics import fmean
from typing import TYPE_CHECKING, Literal

import polars as pl

from rightreasons.experiments.found import over_seeds
from rightreasons.experiments.tables import Value
from rightreasons.scoring.accuracy import ALL, count_correct

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rightreasons.experiments.found import ExperimentResults
    from rightreasons.experiments.jobs import ExperimentJob
    from rightreasons.experiments.plan import ExperimentPart

Among = Literal["pairs", "pairs, wrongly", "errors"]
_Z = 1.959964  # of a 95% interval


def over_parts(
    found: ExperimentResults, row: str, count: Callable[[ExperimentPart, ExperimentJob], Value | None]
) -> Value | None:
    """Sum a figure up over the parts of a row; None where none of them has it."""
    values = [count(part, job) for part, job in found.parts(row)]
    known = [value for value in values if value is not None]
    return over_seeds(known) if known else None


def called(
    found: ExperimentResults, row: str, test: str, answer: str, among: Among = "pairs"
) -> Value | None:
    """Give the share of a test's pairs in which a row answers so, or wrongly so, or that of its errors."""

    def count(part: ExperimentPart, job: ExperimentJob) -> Value | None:
        if test not in part.tests:
            return None
        table, wrong = found.answers(job, test), ~pl.col("right")
        if among == "errors":
            table = table.filter(wrong)
        if among == "pairs, wrongly":
            table = table.with_columns(
                pl.when(wrong).then("prediction").otherwise(pl.lit("")).alias("prediction")
            )
        return share_called(table, answer)

    return over_parts(found, row, count)


def share_called(table: pl.DataFrame, answer: str) -> Value | None:
    """Give the share of answers that are so, with an interval that heeds what the pairs share; None of no pairs."""
    if table.is_empty():
        return None
    # As if it were the true label of all of them.
    rows = count_correct(table, table.select(pl.lit(answer).alias("gold"), "prediction"))
    n, mean, low, high = rows.filter(gold=ALL).select("n", "accuracy", "low", "high").row(0)
    return Value(mean, low, high, n)


def mean_accuracy(found: ExperimentResults, row: str, tests: Sequence[str]) -> Value | None:
    """Give the mean of a row's accuracies on some tests, each counting as much."""

    def count(part: ExperimentPart, job: ExperimentJob) -> Value | None:
        if not set(tests) <= set(part.tests):
            return None
        rows = [found.scores(part, job, test).filter(gold=ALL) for test in tests]
        each = [Value(*one.select("accuracy", "low", "high", "n").row(0)) for one in rows]
        return mean_of(each)

    return over_parts(found, row, count)


def mean_of(values: Sequence[Value]) -> Value:
    """Average figures that rest on different pairs; their errors add up as those of independent figures."""
    mean = fmean(value.mean for value in values)
    below = hypot(*(value.mean - (value.low or 0.0) for value in values)) / len(values)
    above = hypot(*((value.high or 0.0) - value.mean for value in values)) / len(values)
    return Value(mean, mean - below, mean + above, sum(value.n or 0 for value in values))


def change(after: pl.Series, before: pl.Series) -> Value:
    """Give the change of accuracy on the same pairs, from whether each was right, with a paired interval."""
    differences = after.cast(pl.Float64) - before.cast(pl.Float64)
    mean, spread = differences.mean(), differences.std()
    around = _Z * float(spread or 0.0) / sqrt(differences.len())  # type: ignore[arg-type]
    middle = float(mean)  # type: ignore[arg-type]
    return Value(middle, max(-1.0, middle - around), min(1.0, middle + around), differences.len())
