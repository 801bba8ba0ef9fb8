"""Thresholds on the probability of entailment."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.core.labels import ENTAILMENT, NEUTRAL
from rightreasons.scoring import thresholds
from rightreasons.scoring.thresholds import GRID, ThresholdSweep


def make_predictions(pairs: list[tuple[float | None, bool]]) -> pl.DataFrame:
    gold = [ENTAILMENT if entailed else NEUTRAL for _, entailed in pairs]
    return pl.DataFrame(
        {"gold": gold, "p_entailment": [p for p, _ in pairs]}, schema_overrides={"p_entailment": pl.Float64}
    )


def swept(pairs: list[tuple[float | None, bool]]) -> ThresholdSweep:
    found = thresholds.sweep_thresholds(make_predictions(pairs))
    assert found is not None
    return found


PAIRS = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=2, max_size=40).filter(
    lambda pairs: len({entailed for _, entailed in pairs}) == 2
)


@given(PAIRS)
def test_figures_agree_with_scikit_style_counts(pairs: list[tuple[float | None, bool]]) -> None:
    table = swept(pairs).to_table()
    for place in (0, 1, 29, 50, 57, 100):
        called = [entailed for p, entailed in pairs if p is not None and p >= GRID[place]]
        hits, entailed = sum(called), sum(one for _, one in pairs)
        row = table.row(place, named=True)
        assert row["called"] == len(called)
        assert row["recall"] == pytest.approx(hits / entailed)
        assert row["false_entailments"] == pytest.approx((len(called) - hits) / (len(pairs) - entailed))
        if called:
            assert row["precision"] == pytest.approx(hits / len(called))
            assert row["f1"] == pytest.approx(2 * hits / (len(called) + entailed))
        else:
            assert row["precision"] is None


@given(PAIRS)
def test_every_figure_lies_in_its_interval(pairs: list[tuple[float | None, bool]]) -> None:
    table = swept(pairs).to_table().drop_nulls()
    for name in ("precision", "recall", "false_entailments", "f1"):
        inside = (pl.col(f"{name}_low") <= pl.col(name) + 1e-9) & (
            pl.col(name) <= pl.col(f"{name}_high") + 1e-9
        )
        assert table.select(inside.all()).item()


def test_the_best_threshold_parts_what_can_be_parted() -> None:
    found = swept([(0.2, False), (0.5, False), (0.61, True), (0.9, True)])
    assert GRID[thresholds.find_best_f1_index(found)] == 0.61
    place = thresholds.find_index_within_limit(found, 0)
    assert place is not None
    assert GRID[place] == 0.51
    lower = thresholds.find_index_within_limit(found, 0.5)
    assert lower is not None
    assert GRID[lower] == 0.21


def test_a_limit_that_nothing_keeps_has_no_threshold() -> None:
    assert thresholds.find_index_within_limit(swept([(1.0, False), (1.0, True)]), 0.05) is None


def test_pairs_without_a_probability_are_left_out() -> None:
    found = swept([(0.2, False), (None, True), (0.6, True), (float("nan"), False)])
    assert (found.entailed, found.other) == (1, 1)


def test_without_both_kinds_of_pairs_there_is_no_sweep() -> None:
    assert thresholds.sweep_thresholds(make_predictions([(0.2, False), (None, True)])) is None
    assert thresholds.sweep_thresholds(pl.DataFrame({"gold": [ENTAILMENT, NEUTRAL]})) is None


def test_the_range_of_the_best_narrows_with_more_pairs() -> None:
    rng = np.random.default_rng(5)
    widths = []
    for n in (100, 10_000):
        entailed = rng.random(n) < 0.5
        p = np.clip(rng.normal(np.where(entailed, 0.7, 0.3), 0.2), 0, 1)
        found = swept(list(zip(p.tolist(), entailed.tolist(), strict=True)))
        low, high = thresholds.bootstrap_best_threshold_interval(found)
        assert low <= GRID[thresholds.find_best_f1_index(found)] <= high
        widths.append(high - low)
    assert widths[1] < widths[0]
