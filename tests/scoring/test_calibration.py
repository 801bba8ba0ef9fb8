"""Calibration: bins, the curve, the error, and what noise alone would give."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from rightreasons.core.labels import CONTRADICTION, ENTAILMENT, NEUTRAL, NON_ENTAILMENT
from rightreasons.scoring import calibration
from rightreasons.scoring.calibration import PredictedProbabilities


def forecasts(n: int, inflation: float = 0.0, seed: int = 0) -> PredictedProbabilities:
    """Make forecasts that say too much by a share of what they say."""
    rng = np.random.default_rng(seed)
    p = rng.beta(5, 1.5, n)
    return PredictedProbabilities("prediction", p, rng.random(n) < p * (1 - inflation), 0)


def test_three_labels_forecast_that_the_answer_is_right() -> None:
    answers = pl.DataFrame(
        {
            "gold": [ENTAILMENT, NEUTRAL, CONTRADICTION, NEUTRAL],
            "prediction": [ENTAILMENT, CONTRADICTION, CONTRADICTION, "unreadable"],
            "right": [True, False, True, False],
            "p_entailment": [0.7, 0.1, 0.2, None],
            "p_neutral": [0.2, 0.3, 0.2, None],
            "p_contradiction": [0.1, 0.6, 0.6, None],
        }
    )
    found = calibration.collect_probabilities(answers)
    assert found is not None
    assert (found.target, found.missing) == ("prediction", 1)
    assert found.p.tolist() == [0.7, 0.6, 0.6]
    assert found.observed.tolist() == [True, False, True]


def test_two_labels_forecast_entailment() -> None:
    answers = pl.DataFrame(
        {
            "gold": [ENTAILMENT, NON_ENTAILMENT],
            "prediction": [NON_ENTAILMENT, NON_ENTAILMENT],
            "right": [False, True],
            "p_entailment": [0.4, 0.1],
        }
    )
    found = calibration.collect_probabilities(answers)
    assert found is not None
    assert (found.target, found.p.tolist(), found.observed.tolist()) == (
        "entailment",
        [0.4, 0.1],
        [True, False],
    )


def test_predictions_without_probabilities_have_no_calibration() -> None:
    answers = pl.DataFrame({"gold": [ENTAILMENT], "prediction": [ENTAILMENT], "right": [True]})
    assert calibration.collect_probabilities(answers) is None
    unknown = answers.with_columns(p_entailment=pl.lit(None, dtype=pl.Float64))
    assert calibration.collect_probabilities(unknown) is None


def test_three_labels_without_their_probabilities_forecast_nothing() -> None:
    answers = pl.DataFrame(
        {"gold": [ENTAILMENT], "prediction": [NEUTRAL], "right": [False], "p_non_entailment": [0.8]}
    )
    assert calibration.collect_probabilities(answers) is None


def test_the_error_is_what_one_works_out_by_hand() -> None:
    found = PredictedProbabilities(
        "prediction", np.array([0.1, 0.1, 0.9, 0.9]), np.array([False, True, True, True]), 0
    )
    bins = calibration.make_equal_width_bins(found)
    assert bins.n.tolist() == [2, 2]
    assert bins.compute_calibration_error() == pytest.approx((2 * abs(0.5 - 0.1) + 2 * abs(1 - 0.9)) / 4)
    assert bins.make_reliability_curve()["so"].to_list() == [0.5, 1]


def test_equal_width_takes_in_both_ends() -> None:
    found = PredictedProbabilities("prediction", np.array([0.0, 0.1, 1.0]), np.array([False, False, True]), 0)
    bins = calibration.make_equal_width_bins(found)
    assert (bins.low.tolist(), bins.n.tolist()) == ([0, 0.1, 0.9], [1, 1, 1])


def test_equal_mass_has_as_many_in_each_and_keeps_equal_ones_together() -> None:
    bins = calibration.make_equal_mass_bins(forecasts(1000))
    assert bins.n.sum() == 1000
    assert bins.n.min() >= 99
    assert bins.n.max() <= 101
    same = PredictedProbabilities("prediction", np.full(50, 0.8), np.arange(50) < 40, 0)
    bins = calibration.make_equal_mass_bins(same)
    assert bins.n.tolist() == [50]
    assert bins.compute_calibration_error() == pytest.approx(0)
    two = PredictedProbabilities("prediction", np.repeat([0.6, 0.9], [95, 5]), np.ones(100, bool), 0)
    assert calibration.make_equal_mass_bins(two).n.sum() == 100


def test_the_order_of_pairs_is_nothing_to_it() -> None:
    found = forecasts(500, 0.1)
    back = PredictedProbabilities("prediction", found.p[::-1], found.observed[::-1], 0)
    assert calibration.make_equal_mass_bins(found).compute_calibration_error() == pytest.approx(
        calibration.make_equal_mass_bins(back).compute_calibration_error(), abs=1e-12
    )
    assert (
        calibration.make_equal_mass_bins(found).observed.tolist()
        == calibration.make_equal_mass_bins(back).observed.tolist()
    )


@pytest.mark.parametrize("inflation", [0.0, 0.15, 0.4])
def test_the_interval_holds_the_true_error_mostly(inflation: float) -> None:
    true = inflation * 5 / 6.5
    held = 0
    for seed in range(60):
        low, high = calibration.compute_calibration_error_interval(
            calibration.make_equal_mass_bins(forecasts(1000, inflation, seed)), seed=seed, draws=300
        )
        held += low <= true <= high
    assert held >= 51


def test_perfect_calibration_is_within_noise_mostly_and_overconfidence_is_not() -> None:
    within = {
        inflation: sum(
            bins.compute_calibration_error() <= calibration.compute_noise_level(bins, draws=300)
            for bins in (
                calibration.make_equal_mass_bins(forecasts(1000, inflation, seed)) for seed in range(60)
            )
        )
        for inflation in (0.0, 0.2)
    }
    assert within[0.0] >= 51
    assert within[0.2] == 0


def test_copies_of_pairs_make_curve_and_error_no_surer() -> None:
    once = forecasts(300, 0.2, seed=4)
    clusters = pl.Series(np.repeat(np.arange(300), 4))
    copies = PredictedProbabilities("prediction", np.repeat(once.p, 4), np.repeat(once.observed, 4), 0)
    together = PredictedProbabilities("prediction", copies.p, copies.observed, 0, clusters)
    alone, copied, wide = (calibration.make_equal_mass_bins(each) for each in (once, copies, together))
    assert wide.n.tolist() == (4 * alone.n).tolist() == copied.n.tolist()
    assert wide.effective_n == pytest.approx(alone.n, rel=0.25)
    widths = [
        each.make_reliability_curve().select(pl.col("so_high") - pl.col("so_low")).mean().item()
        for each in (alone, copied, wide)
    ]
    assert widths[2] == pytest.approx(widths[0], rel=0.15)
    assert widths[1] < 0.6 * widths[2]
    noises = [calibration.compute_noise_level(each) for each in (alone, copied, wide)]
    assert noises[2] == pytest.approx(noises[0], rel=0.15)
    assert noises[1] < 0.7 * noises[2]


def test_clusters_are_those_of_the_pairs_with_a_probability() -> None:
    answers = pl.DataFrame(
        {
            "gold": [ENTAILMENT] * 4,
            "prediction": [ENTAILMENT] * 4,
            "right": [True] * 4,
            "p_entailment": [0.9, None, 0.8, 0.7],
        }
    )
    found = calibration.collect_probabilities(answers, pl.Series([1, 1, 2, 2]))
    assert found is not None
    assert isinstance(found.clusters, pl.Series)
    assert found.clusters.to_list() == [1, 2, 2]
