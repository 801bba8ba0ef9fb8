"""Groups as wholes: all right, all wrong, mixed, and what unrelated answers would give."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from rightreasons.core.labels import ENTAILMENT, NEUTRAL
from rightreasons.scoring.proportion import measure_consistency


def make_predictions(rows: list[tuple[str, bool]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["gold", "right"], orient="row")


ROWS = make_predictions(
    [
        (ENTAILMENT, True), (NEUTRAL, True),  # a: right
        (ENTAILMENT, False), (NEUTRAL, False),  # b: wrong
        (ENTAILMENT, True), (ENTAILMENT, False),  # c: mixed, no twins
        (ENTAILMENT, True),  # d: alone
        (NEUTRAL, False), (NEUTRAL, False),  # no group
    ]
)  # fmt: skip
GROUPS = pl.Series(["a", "a", "b", "b", "c", "c", "d", None, None])


def test_groups_are_judged_as_wholes() -> None:
    found = measure_consistency(ROWS, GROUPS)
    assert found is not None
    assert (found.groups, found.pairs) == (3, 6)
    assert [part.hits for part in (found.right, found.mixed, found.wrong)] == [1, 1, 1]
    assert {part.n for part in (found.right, found.mixed, found.wrong)} == {3}


def test_expected_is_that_of_independent_predictions() -> None:
    found = measure_consistency(ROWS, GROUPS)
    assert found is not None
    # Of the pairs in groups, 2 of 4 entailed and 1 of 2 neutral ones are right.
    assert found.expected_right == pytest.approx((0.25 + 0.25 + 0.25) / 3)
    uneven = measure_consistency(ROWS[[0, 1, 2, 3, 4, 6]], pl.Series(["a", "a", "b", "b", "c", "c"]))
    assert uneven is not None
    assert uneven.expected_right == pytest.approx((0.75 * 0.5 * 2 + 0.75 * 0.75) / 3)
    assert uneven.expected_wrong == pytest.approx((0.25 * 0.5 * 2 + 0.25 * 0.25) / 3)


def test_twins_have_different_true_labels() -> None:
    found = measure_consistency(ROWS, GROUPS, twins=True)
    assert found is not None
    assert (found.groups, found.right.hits, found.mixed.hits, found.wrong.hits) == (2, 1, 0, 1)


def test_without_groups_there_is_nothing_to_say() -> None:
    assert measure_consistency(ROWS, pl.Series(range(9))) is None
    assert measure_consistency(ROWS, pl.Series([None] * 9, dtype=pl.String)) is None
    assert measure_consistency(ROWS[4:6], GROUPS[4:6], twins=True) is None


def test_independent_predictions_match_the_expectation_and_correlated_ones_exceed_it() -> None:
    rng = np.random.default_rng(3)
    gold = np.tile([ENTAILMENT, NEUTRAL], 5000)
    groups = pl.Series(np.repeat(np.arange(5000), 2))
    often = np.where(gold == ENTAILMENT, 0.9, 0.4)
    unrelated = pl.DataFrame({"gold": gold, "right": rng.random(10_000) < often})
    found = measure_consistency(unrelated, groups, twins=True)
    assert found is not None
    assert found.right.low < found.expected_right < found.right.high
    related = pl.DataFrame({"gold": gold, "right": np.repeat(rng.random(5000), 2) < often})
    found = measure_consistency(related, groups, twins=True)
    assert found is not None
    assert found.right.low > found.expected_right


def test_a_constant_answer_is_never_right_on_twins() -> None:
    gold = [ENTAILMENT, NEUTRAL] * 20
    constant = pl.DataFrame({"gold": gold, "right": [one == ENTAILMENT for one in gold]})
    found = measure_consistency(constant, pl.Series(np.repeat(np.arange(20), 2)), twins=True)
    assert found is not None
    assert (found.right.hits, found.mixed.hits, found.expected_right) == (0, 20, 0)
