from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, norm

from rightreasons.core.errors import InputError
from rightreasons.people.probit import (
    JudgementSpread,
    compute_joint_accuracy,
    convert_accuracy_spread,
    convert_correlations,
    find_correlation,
)

ACCURACIES = st.floats(0.05, 0.95)


@pytest.mark.parametrize("accuracy", [0.3, 0.76, 0.97])
@pytest.mark.parametrize("correlation", [0.0, 0.2, 0.9])
def test_two_judgements_are_right_as_the_bivariate_normal_says(accuracy: float, correlation: float) -> None:
    bound = norm.ppf(accuracy)
    expected = multivariate_normal([0, 0], [[1, correlation], [correlation, 1]]).cdf([bound, bound])
    assert compute_joint_accuracy(accuracy, correlation) == pytest.approx(expected, abs=1e-6)


@given(ACCURACIES, st.floats(0, 0.95))
def test_a_correlation_is_found_again(accuracy: float, correlation: float) -> None:
    joint = compute_joint_accuracy(accuracy, correlation)
    assert find_correlation(accuracy, joint) == pytest.approx(correlation, abs=1e-6)


def test_correlations_end_at_both_sides() -> None:
    assert find_correlation(0.5, 0.2) == 0
    assert find_correlation(0.5, 0.5) == 0.98


@given(st.floats(0, 0.4), st.floats(0, 0.4))
def test_correlations_become_standard_deviations(participant: float, item: float) -> None:
    spread = convert_correlations(participant, item)
    assert (spread.participant / spread.total) ** 2 == pytest.approx(participant)
    assert (spread.item / spread.total) ** 2 == pytest.approx(item)


def test_the_accuracy_holds_on_average() -> None:
    spread = JudgementSpread(0.8, 0.6)
    threshold = spread.compute_thresholds(np.array([0.3, 0.9]))
    assert norm.cdf(threshold / spread.total) == pytest.approx([0.3, 0.9])


def test_the_spread_of_accuracies_is_as_stated() -> None:
    spread = convert_accuracy_spread(0.76, 0.1, 0.2)
    rng = np.random.default_rng(0)
    threshold = float(spread.compute_thresholds(np.array(0.76)))
    for own, other, wanted in (
        (spread.participant, spread.item, 0.1),
        (spread.item, spread.participant, 0.2),
    ):
        accuracies = norm.cdf((threshold + own * rng.normal(size=200_000)) / np.hypot(1, other))
        assert accuracies.mean() == pytest.approx(0.76, abs=0.003)
        assert accuracies.std() == pytest.approx(wanted, abs=0.003)


@pytest.mark.parametrize(
    ("participants", "items", "says"), [(0.5, 0, "participants"), (0, -0.1, "items"), (0.3, 0.4, "both")]
)
def test_an_impossible_spread_is_refused(participants: float, items: float, says: str) -> None:
    with pytest.raises(InputError, match=says):
        convert_accuracy_spread(0.76, participants, items)
