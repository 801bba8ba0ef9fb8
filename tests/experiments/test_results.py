"""Shares of predictions, means over test sets, and changes, with their intervals."""

from __future__ import annotations

import polars as pl
import pytest

from rightreasons.experiments.results import (
    average_values,
    measure_accuracy_change,
    measure_label_share,
    summarize_seeds,
)
from rightreasons.reports.exhibits.published_comparison import FigureValue


def test_seeds_have_a_mean_and_a_range() -> None:
    values = [FigureValue(0.2, 0.1, 0.3, 50), FigureValue(0.4, 0.3, 0.5, 50), FigureValue(0.9, 0.8, 1.0, 50)]
    assert summarize_seeds(values) == FigureValue(pytest.approx(0.5), 0.2, 0.9, 50, 3)
    assert summarize_seeds(values[:1]) == values[0]


def test_the_share_of_answers_has_an_interval_and_heeds_groups() -> None:
    table = pl.DataFrame(
        {"id": [str(row) for row in range(40)], "prediction": ["neutral"] * 10 + ["entailment"] * 30}
    )
    alone = measure_label_share(table, "neutral")
    assert alone is not None
    assert (alone.mean, alone.n) == (0.25, 40)
    clusters = pl.Series("group", [str(row // 2) for row in range(40)])
    together = measure_label_share(table.with_columns(clusters), "neutral")
    assert together is not None
    assert together.mean == 0.25
    assert together.high - together.low > alone.high - alone.low  # type: ignore[operator]
    assert measure_label_share(table.head(0), "neutral") is None


def test_means_and_changes_have_the_errors_that_they_should() -> None:
    value = average_values([FigureValue(0.4, 0.3, 0.5, 100), FigureValue(0.6, 0.5, 0.7, 100)])
    assert value.mean == pytest.approx(0.5)
    assert value.high == pytest.approx(0.5 + 0.1 / 2**0.5)
    assert value.n == 200
    before, after = pl.Series([True, True, False, False]), pl.Series([True, False, False, False])
    lost = measure_accuracy_change(after, before)
    assert (lost.mean, lost.n) == (-0.25, 4)
    assert lost.low < -0.25 < lost.high  # type: ignore[operator]
    same = measure_accuracy_change(before, before)
    assert (same.mean, same.low, same.high) == (0, 0, 0)
