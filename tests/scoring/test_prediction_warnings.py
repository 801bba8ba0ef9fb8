"""The warning of mixed-up label names keeps its share of false alarms, and still finds what is mixed up."""

from __future__ import annotations

import alarm_simulation as simulation
import numpy as np
import polars as pl
import pytest

from rightreasons.core.labels import THREE_LABELS, TWO_LABELS
from rightreasons.scoring.prediction_warnings import LEVEL, LabelPermutations, lift_exceeds_chance

TIMES = 60


@pytest.mark.parametrize("name", simulation.SCENARIOS)
@pytest.mark.parametrize("n", [6, 20, 60])
def test_random_predictions_are_hardly_ever_warned_of(name: str, n: int) -> None:
    # At 1%, more than 4 of 60 have a chance below 1 in 1,000; the limit of twenty points alone had 7% to 95%.
    assert simulation.false_alarms(name, n, TIMES) <= 4 / TIMES


@pytest.mark.parametrize("labels", [THREE_LABELS, TWO_LABELS])
@pytest.mark.parametrize(("n", "accuracy"), [(20, 1.0), (60, 0.9), (600, 0.75)])
def test_permuted_names_are_found(labels: tuple[str, ...], n: int, accuracy: float) -> None:
    assert simulation.power(labels, accuracy, n, 20) >= 0.9


@pytest.mark.parametrize("word", THREE_LABELS)
@pytest.mark.parametrize("n", [6, 60, 600])
def test_a_constant_prediction_on_an_uneven_set_is_no_sign(word: str, n: int) -> None:
    gold = np.array(["entailment"] * (n // 6) + ["neutral"] * (n - n // 6))
    assert not simulation.warns(gold, np.full(n, word))


def table(kind: list[int], gold: list[int]) -> LabelPermutations:
    """Two labels, as they are and exchanged."""
    hits = np.array([[[True, False], [False, True]], [[False, True], [True, False]]])
    return LabelPermutations(np.array(kind), np.array(gold), hits)


def test_the_excess_is_what_the_shares_of_the_labels_do_not_explain() -> None:
    found = table([0] * 8 + [1] * 2, [1] * 8 + [0] * 2)
    assert found.correct_by_order.tolist() == [0, 10]
    # In a random pairing 2 * (8 * 2) / 10 = 3.2 are right, and 6.8 under the other names.
    assert found.expected_lift_by_order.tolist() == pytest.approx([0, 3.6])
    assert found.excess_by_order.tolist() == pytest.approx([0, 6.4])


def test_clusters_exchange_their_gold_labels_as_wholes() -> None:
    # Forty pairs are beyond chance, four clusters of ten are not: one pairing in six is as good.
    found = table([0] * 20 + [1] * 20, [1] * 20 + [0] * 20)
    assert lift_exceeds_chance(found)
    assert not lift_exceeds_chance(found, pl.Series(np.arange(40) // 10))
    assert LEVEL == 0.01
