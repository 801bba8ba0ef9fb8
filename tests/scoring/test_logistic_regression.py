"""The logistic regression reaches the optimum of its cost."""

from __future__ import annotations

import numpy as np

from rightreasons.scoring.logistic_regression import fit_logistic_regression


def test_a_logistic_regression_finds_the_penalised_optimum() -> None:
    chance = np.random.default_rng(1)
    features, gold = chance.normal(size=(60, 4)), chance.integers(0, 3, 60)
    fitted = fit_logistic_regression(features, gold, 3)
    wrong = np.exp(fitted.predict_log_probabilities(features)) - np.eye(3)[gold]
    assert np.abs(features.T @ wrong + fitted.weights).max() < 0.01
    assert np.abs(wrong.sum(axis=0)).max() < 0.01
    assert np.allclose(np.exp(fitted.predict_log_probabilities(features)).sum(axis=1), 1)
