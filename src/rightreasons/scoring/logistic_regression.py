"""Multinomial logistic regression on dense or sparse features, fitted by L-BFGS; deterministic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rightreasons.scoring.minimization import minimize_cost

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_PENALTY = 1.0  # on half the squared weights, against the sum of the losses
_STEPS = 200
_VARIANCE = 0.25  # of a predicted label at most


@dataclass(frozen=True)
class LogisticRegression:
    """Weights of the features, and an intercept for each label."""

    weights: Floats  # (features, labels)
    intercepts: Floats  # (labels,)

    def predict_log_probabilities(self, features: Any) -> Floats:
        """Predict pairs by their features, dense or sparse: (pairs, labels)."""
        scores = (features @ self.weights + self.intercepts).T
        return np.asarray((scores - _log_sum_exp(scores)).T)


def fit_logistic_regression(
    features: Any, gold: NDArray[np.int64], labels: int, *, penalty: float = _PENALTY, steps: int = _STEPS
) -> LogisticRegression:
    """Fit a logistic regression with an L2 penalty in at most so many steps; deterministic.

    Weights are scaled by the curvature of the cost (a diagonal preconditioner): without, the weights of rare words
    need ten times as many steps.
    """
    count, pairs = features.shape[1], np.arange(len(gold))
    squares = features.power(2) if hasattr(features, "power") else features**2
    curvature = _VARIANCE * np.asarray(squares.sum(axis=0)).ravel() + penalty
    scale, shift = 1 / np.sqrt(curvature)[:, None], 1 / np.sqrt(_VARIANCE * max(len(gold), 1))

    def unpack(flat: Floats) -> tuple[Floats, Floats]:
        return flat[labels:].reshape(count, labels) * scale, flat[:labels] * shift

    def cost(flat: Floats) -> tuple[float, Floats]:
        weights, intercepts = unpack(flat)
        # A row for each label: sums over the few labels are faster than with a row for each pair.
        scores = np.ascontiguousarray((features @ weights + intercepts).T)
        logs = scores - _log_sum_exp(scores)
        loss = -float(logs[gold, pairs].sum())
        residuals = np.exp(logs, out=logs)
        residuals[gold, pairs] -= 1
        gradient = (features.T @ residuals.T + penalty * weights) * scale
        shifts = residuals.sum(axis=1) * shift
        return loss + penalty / 2 * float((weights**2).sum()), np.concatenate([shifts, gradient.ravel()])

    start = np.zeros(labels + count * labels)
    return LogisticRegression(*unpack(minimize_cost(cost, start, steps)))


def _log_sum_exp(scores: Floats) -> Floats:
    """Compute log(sum(exp(scores))) of each column without overflow."""
    highest = scores.max(axis=0)
    return np.asarray(highest + np.log(np.exp(scores - highest).sum(axis=0)))
