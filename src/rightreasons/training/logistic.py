"""Logistic regression over sparse features, exact and without chance: what the bias models are."""

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
class Logistic:
    """Weights of features and a start for each label."""

    weights: Floats  # (features, labels)
    starts: Floats  # (labels,)

    def log_probabilities(self, features: Any) -> Floats:
        """Answer pairs by their features, dense or sparse: (pairs, labels)."""
        scores = features @ self.weights + self.starts
        return np.asarray(scores - _log_sum(scores))


def fit_logistic(features: Any, gold: NDArray[np.int64], labels: int) -> Logistic:
    """Find the weights that explain the labels best, with a penalty on large ones; always the same ones."""
    from scipy.optimize import minimize

    count = features.shape[1]
    truth = np.eye(labels)[gold]

    def cost(flat: Floats) -> tuple[float, Floats]:
        weights, starts = flat[labels:].reshape(count, labels), flat[:labels]
        scores = features @ weights + starts
        logs = scores - _log_sum(scores)
        wrong = np.exp(logs) - truth
        slope = np.concatenate([wrong.sum(axis=0), (features.T @ wrong + _PENALTY * weights).ravel()])
        return float(-(logs * truth).sum() + _PENALTY / 2 * (weights**2).sum()), slope

    start = np.zeros(labels + count * labels)
    found = minimize(cost, start, jac=True, method="L-BFGS-B", options={"maxiter": _STEPS}).x
    return Logistic(found[labels:].reshape(count, labels), found[:labels])


def _log_sum(scores: Floats) -> Floats:
    """Add up what the scores stand for, without overflow: (pairs, 1)."""
    most = scores.max(axis=1, keepdims=True)
    return np.asarray(most + np.log(np.exp(scores - most).sum(axis=1, keepdims=True)))
