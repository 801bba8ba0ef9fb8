"""Labels from several annotators by MACE (Hovy et al. 2013), fitted by expectation maximization.

Each item has one true label, and all labels are equally probable. An annotator either knows the true label and gives
it, or spams: gives a label by a strategy that does not depend on the item. The model has fewer parameters than that of
Dawid and Skene, so it needs fewer labels for each annotator; it can't say which labels an annotator confuses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rightreasons.scoring.dawid_skene import (
    MAX_ITERATIONS,
    RESTARTS,
    TOLERANCE,
    choose_best_fit,
    draw_label_starts,
    normalize_scores,
)

if TYPE_CHECKING:
    from rightreasons.scoring.annotations import Annotations, Floats

SMOOTHING = 0.1  # of a judgement, divided by the number of labels
_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class MaceFit:
    """A fitted model: posteriors by item and label; the spamming probability and the strategy of each annotator."""

    posteriors: Floats
    spamming: Floats
    strategy: Floats  # by annotator and label
    log_likelihood: float  # with the penalty of smoothing, if there is any
    iterations: int
    converged: bool

    @property
    def competence(self) -> Floats:
        """The probability that an annotator does not spam."""
        return np.asarray(1 - self.spamming)


def fit_mace(
    annotations: Annotations,
    *,
    smoothing: float = SMOOTHING,
    restarts: int = RESTARTS,
    seed: int = 0,
    iterations: int = MAX_ITERATIONS,
    tolerance: float = TOLERANCE,
) -> MaceFit:
    """Fit the model; `smoothing`, divided by the number of labels, is added to every count."""
    added = smoothing / max(1, len(annotations.labels))
    fits = (
        _run_mace(annotations, start, added, iterations, tolerance)
        for start in draw_label_starts(annotations, restarts, seed)
    )
    return choose_best_fit(fits, lambda fit: fit.log_likelihood)


def _run_mace(
    annotations: Annotations, start: Floats, added: float, iterations: int, tolerance: float
) -> MaceFit:
    posteriors, converged, done, likelihood = start, False, 0, -np.inf
    # At first, each annotator is taken to spam half of the time, and to prefer no label.
    spamming = np.full(len(annotations.annotators), 0.5)
    strategy = np.full(
        (len(annotations.annotators), len(annotations.labels)), 1 / len(annotations.labels or "1")
    )
    spamming, strategy = _estimate_spamming(annotations, posteriors, spamming, strategy, added)
    while done < iterations and not converged:
        new, likelihood = infer_labels_with_spam(annotations, spamming, strategy)
        likelihood += _compute_penalty(spamming, strategy, added)
        changes = [np.abs(new - posteriors).max(initial=0)]
        posteriors, done = new, done + 1
        # Even with certain labels, it takes several steps to divide labels into spam and knowledge.
        known_spamming, known_strategy = spamming, strategy
        spamming, strategy = _estimate_spamming(annotations, posteriors, spamming, strategy, added)
        changes += [
            np.abs(spamming - known_spamming).max(initial=0),
            np.abs(strategy - known_strategy).max(initial=0),
        ]
        converged = bool(max(changes) < tolerance)
    return MaceFit(posteriors, spamming, strategy, likelihood, done, converged)


def infer_labels_with_spam(
    annotations: Annotations, spamming: Floats, strategy: Floats
) -> tuple[Floats, float]:
    """Infer how probable each label of each item is, and the logarithm of the likelihood: the E-step.

    A label that is not the true one is spam; so a label only changes the probability that it is true itself.
    """
    spam, copied = spamming[:, None] * strategy, 1 - spamming[:, None]
    constant = np.log(np.maximum(spam, _TINY))
    gain = np.log(np.maximum(spam + copied, _TINY)) - constant
    posteriors, likelihood = normalize_scores(
        annotations.sum_over_items(gain.ravel()[annotations.annotator_label])
    )
    likelihood += float((annotations.sum_over_annotators() * constant).sum())
    return posteriors, likelihood - len(annotations.items) * float(np.log(len(annotations.labels or "1")))


def _estimate_spamming(
    annotations: Annotations, posteriors: Floats, spamming: Floats, strategy: Floats, added: float
) -> tuple[Floats, Floats]:
    """Estimate spamming probabilities and strategies: the M-step."""
    spam, copied = spamming[:, None] * strategy, 1 - spamming[:, None]
    copied_share = copied / np.maximum(spam + copied, _TINY)
    true = annotations.sum_over_annotators(posteriors.ravel()[annotations.item_label])
    known = true * copied_share
    spammed = annotations.sum_over_annotators() - known
    often, knowing = spammed.sum(axis=1) + added, known.sum(axis=1) + added
    total = spammed.sum(axis=1, keepdims=True) + added * spammed.shape[1]
    even = 1 / max(1, spammed.shape[1])
    new_strategy = np.where(total > 0, (spammed + added) / np.maximum(total, _TINY), even)
    return often / np.maximum(often + knowing, _TINY), new_strategy


def _compute_penalty(spamming: Floats, strategy: Floats, added: float) -> float:
    """Return the logarithm of the prior that smoothing stands for."""
    if not added:
        return 0.0
    probabilities = np.concatenate([spamming, 1 - spamming, strategy.ravel()])
    return added * float(np.log(np.maximum(probabilities, _TINY)).sum())
