"""Multinomial logistic regression on dense or sparse features, fitted by L-BFGS; deterministic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_PENALTY = 1.0  # on half the squared weights, against the sum of the losses
_STEPS = 200


@dataclass(frozen=True)
class LogisticRegression:
    """Weights of the features, and an intercept for each label."""

    weights: Floats  # (features, labels)
    intercepts: Floats  # (labels,)

    def predict_log_probabilities(self, features: Any) -> Floats:
        """Predict pairs by their features, dense or sparse: (pairs, labels)."""
        scores = features @ self.weights + self.intercepts
        return np.asarray(scores - _log_sum_exp(scores))


def fit_logistic_regression(features: Any, gold: NDArray[np.int64], labels: int) -> LogisticRegression:
    """Fit a logistic regression with an L2 penalty; deterministic."""
    from scipy.optimize import minimize

    count = features.shape[1]
    truth = np.eye(labels)[gold]

    def cost(flat: Floats) -> tuple[float, Floats]:
        weights, intercepts = flat[labels:].reshape(count, labels), flat[:labels]
        scores = features @ weights + intercepts
        logs = scores - _log_sum_exp(scores)
        residuals = np.exp(logs) - truth
        gradient = np.concatenate(
            [residuals.sum(axis=0), (features.T @ residuals + _PENALTY * weights).ravel()]
        )
        return float(-(logs * truth).sum() + _PENALTY / 2 * (weights**2).sum()), gradient

    start = np.zeros(labels + count * labels)
    solution = minimize(cost, start, jac=True, method="L-BFGS-B", options={"maxiter": _STEPS}).x
    return LogisticRegression(solution[labels:].reshape(count, labels), solution[:labels])


def _log_sum_exp(scores: Floats) -> Floats:
    """Compute log(sum(exp(scores))) of each row without overflow: (pairs, 1)."""
    highest = scores.max(axis=1, keepdims=True)
    return np.asarray(highest + np.log(np.exp(scores - highest).sum(axis=1, keepdims=True)))
