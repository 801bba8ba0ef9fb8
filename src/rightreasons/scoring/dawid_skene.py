"""Labels from several annotators by the model of Dawid and Skene (1979), fitted by expectation maximization.

Each item has one true label. An annotator gives label l to an item whose true label is k with the probability
confusion[annotator, k, l], independently of all others. The E-step computes how probable each label of an item is, the
M-step the confusion matrices and the frequencies of the labels that fit these best.

The likelihood has several maxima. The first start is the share of each label among those of an item, as in the
article; the others are random, and the fit with the highest likelihood is returned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from rightreasons.scoring.annotations import compute_label_shares

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rightreasons.scoring.annotations import Annotations, Floats

MAX_ITERATIONS = 500
TOLERANCE = 1e-6  # of a probability of a label, between two iterations
SMOOTHING = 0.01
RESTARTS = 5
# A later start must be better than an earlier one by more than rounding: of equal maxima that differ in the order of
# their labels, the first is the one that agrees with the annotators.
_BETTER = 1e-6
_TINY = 1e-300

Fit = TypeVar("Fit")


@dataclass(frozen=True, eq=False)
class DawidSkeneFit:
    """A fitted model: posteriors by item and label, confusion matrices by annotator, true and given label."""

    posteriors: Floats
    prior: Floats  # how frequent each label is
    confusion: Floats
    log_likelihood: float  # with the penalty of smoothing, if there is any
    iterations: int
    converged: bool

    @property
    def reliability(self) -> Floats:
        """The probability that an annotator gives the true label, over the labels as frequent as they are."""
        return np.asarray(np.einsum("akk,k->a", self.confusion, self.prior))


def fit_dawid_skene(
    annotations: Annotations,
    *,
    smoothing: float = SMOOTHING,
    restarts: int = RESTARTS,
    seed: int = 0,
    iterations: int = MAX_ITERATIONS,
    tolerance: float = TOLERANCE,
) -> DawidSkeneFit:
    """Fit the model; `smoothing` is added to every count, so that no label of an annotator is impossible.

    If no item has several labels, nothing says how annotators differ: each item has the label that it was given.
    """
    if annotations.count_labels().sum(axis=1).max(initial=0) <= 1:
        return _keep_given_labels(annotations, smoothing)
    fits = (
        _run_dawid_skene(annotations, start, smoothing, iterations, tolerance)
        for start in draw_label_starts(annotations, restarts, seed)
    )
    return choose_best_fit(fits, lambda fit: fit.log_likelihood)


def _keep_given_labels(annotations: Annotations, smoothing: float) -> DawidSkeneFit:
    posteriors = compute_label_shares(annotations.count_labels())
    prior, confusion = estimate_confusion(annotations, posteriors, smoothing)
    _, likelihood = infer_true_labels(annotations, prior, confusion)
    return DawidSkeneFit(posteriors, prior, confusion, likelihood, 0, converged=True)


def draw_label_starts(annotations: Annotations, restarts: int, seed: int) -> Iterator[Floats]:
    """Return the shares of the labels of each item, and after them as many random draws as restarts."""
    counts = annotations.count_labels()
    yield compute_label_shares(counts)
    rng = np.random.default_rng(seed)
    for _ in range(restarts):
        drawn = rng.standard_gamma(counts + 1.0)
        yield drawn / drawn.sum(axis=1, keepdims=True)


def choose_best_fit(fits: Iterator[Fit], measure: Callable[[Fit], float]) -> Fit:
    """Return the fit with the highest likelihood; of nearly equal ones, the first."""
    best = next(fits)
    for fit in fits:
        if measure(fit) > measure(best) + _BETTER:
            best = fit
    return best


def _run_dawid_skene(
    annotations: Annotations, start: Floats, smoothing: float, iterations: int, tolerance: float
) -> DawidSkeneFit:
    posteriors, converged, done = start, False, 0
    prior, confusion = estimate_confusion(annotations, posteriors, smoothing)
    likelihood = -np.inf
    while done < iterations and not converged:
        new, likelihood = infer_true_labels(annotations, prior, confusion)
        converged = bool(np.abs(new - posteriors).max(initial=0) < tolerance)
        posteriors, done = new, done + 1
        # The penalty belongs to the parameters that the likelihood was computed with.
        likelihood += smoothing * float(_compute_logarithm(confusion).sum()) if smoothing else 0.0
        if not converged:
            prior, confusion = estimate_confusion(annotations, posteriors, smoothing)
    return DawidSkeneFit(posteriors, prior, confusion, likelihood, done, converged)


def estimate_confusion(
    annotations: Annotations, posteriors: Floats, smoothing: float = 0.0
) -> tuple[Floats, Floats]:
    """Estimate the frequencies of the labels and the confusion matrices: the M-step.

    Where nothing is known about an annotator and a true label, all labels are equally probable.
    """
    truths = range(posteriors.shape[1])
    weights = posteriors[annotations.item]
    counts = (
        np.stack([annotations.sum_over_annotators(weights[:, k]) for k in truths], axis=1)
        if truths
        else np.zeros((len(annotations.annotators), 0, 0))
    )
    counts = counts + smoothing
    total = counts.sum(axis=2, keepdims=True)
    confusion = np.where(total > 0, counts / np.maximum(total, _TINY), 1 / max(1, counts.shape[2]))
    prior = posteriors.sum(axis=0) / max(1, len(posteriors))
    return prior, confusion


def infer_true_labels(annotations: Annotations, prior: Floats, confusion: Floats) -> tuple[Floats, float]:
    """Infer how probable each label of each item is, and the logarithm of the likelihood: the E-step."""
    logs = _compute_logarithm(confusion)
    scores = np.broadcast_to(_compute_logarithm(prior), (len(annotations.items), len(prior))).copy()
    for k in range(len(prior)):
        given = logs[:, k].ravel()[annotations.annotator_label]
        scores[:, k] += np.bincount(annotations.item, weights=given, minlength=len(scores))
    return normalize_scores(scores)


def normalize_scores(scores: Floats) -> tuple[Floats, float]:
    """Turn the logarithms of joint probabilities into posteriors, and sum the logarithms of their totals."""
    if not scores.size:
        return scores, 0.0
    most = scores.max(axis=1, keepdims=True)
    weights = np.exp(scores - most)
    total = weights.sum(axis=1, keepdims=True)
    return weights / total, float((most + np.log(total)).sum())


def _compute_logarithm(probabilities: Floats) -> Floats:
    return np.asarray(np.log(np.maximum(probabilities, _TINY)))
