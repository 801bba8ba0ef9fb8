"""Cross-validation on the pairs of a corpus: folds that share no premise and no group, predictions out of fold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rightreasons.core.keyed_random import draw_numbers
from rightreasons.scoring.logistic_regression import fit_logistic_regression
from rightreasons.scoring.sharing import (
    COLUMNS,
    MIN_CLUSTERS,
    number_connected_components,
    number_shared_values,
)

if TYPE_CHECKING:
    import numpy.typing as npt

    from rightreasons.audits.audit_corpus import AuditCorpus

    Floats = npt.NDArray[np.float64]
    Numbers = npt.NDArray[np.int64]

# On the SNLI and MNLI pairs of the tests, accuracy varies by less than half a point between penalties of 5 and 20,
# and does not rise after 12 steps.
_PENALTY = 10.0
_STEPS = 12
_STRENGTHS = np.linspace(0, 1.2, 13)  # 0: the shares of the labels, 1: the prediction as it is
_LEAST_GAIN = 2.0  # in log-likelihood; less is not distinguishable from 0 at 95%


@dataclass(frozen=True, eq=False)
class Folds:
    """The fold of each pair, and how many there are: at most as many as groups."""

    numbers: Numbers
    count: int
    joined: tuple[str, ...]  # pairs that share a value of these columns are in one fold
    crossed: tuple[str, ...] = ()  # columns that would join nearly all pairs, and are therefore not respected


def assign_folds(corpus: AuditCorpus, count: int, seed: int) -> Folds:
    """Assign the pairs to folds of about equal size: pairs that share a premise, or a group or source, to the same.

    Folds depend on the seed and the premises, not on the order of the pairs.
    """
    groups, joined, crossed = _join_groups(corpus)
    premises = pl.DataFrame({"group": groups, "premise": corpus.pairs["premise"]})
    by_group = premises.group_by("group").agg(pl.len(), pl.col("premise").min())
    drawn = pl.Series("drawn", draw_numbers(by_group["premise"], "folds", seed))
    # Dealt out by size, so that the folds are of about equal size even if some groups are large.
    dealt = by_group.with_columns(drawn).sort("len", "drawn", descending=[True, False])["group"].to_numpy()
    folds = np.empty(len(dealt), np.int64)
    folds[dealt] = np.arange(len(dealt)) % count
    return Folds(folds[groups], min(count, len(dealt)), tuple(joined), tuple(crossed))


def _join_groups(corpus: AuditCorpus) -> tuple[Numbers, list[str], list[str]]:
    """Number the groups that no fold may split, with the columns that pairs share within them, and those left out."""
    groups, joined, crossed = corpus.premise_groups, ["premise"], []
    for name in COLUMNS:
        if name != "premise" and corpus.has_values(name):
            shared = [number_shared_values(each) for each in (pl.Series(groups), corpus.pairs[name])]
            whole = number_connected_components(shared)
            sizes = np.bincount(whole).astype(np.float64)
            if sizes.sum() ** 2 / (sizes @ sizes) >= MIN_CLUSTERS:
                groups, joined = whole, [*joined, name]
            else:
                crossed.append(name)
    return groups, joined, crossed


def predict_out_of_fold(features: Any, gold: Numbers, labels: int, folds: Folds) -> Floats:
    """Predict each pair with a logistic regression that was trained on the other folds: log-probabilities.

    Every label must occur. A classifier that has learnt nothing predicts the shares of the labels.
    """
    predicted = np.empty((len(gold), labels))
    for fold in range(folds.count):
        mine, others = np.flatnonzero(folds.numbers == fold), np.flatnonzero(folds.numbers != fold)
        fitted = fit_logistic_regression(
            features[others], gold[others], labels, penalty=_PENALTY, steps=_STEPS
        )
        predicted[mine] = fitted.predict_log_probabilities(features[mine])
    return _shrink_towards_shares(predicted, gold, folds)


def _shrink_towards_shares(predicted: Floats, gold: Numbers, folds: Folds) -> Floats:
    """Shrink the predictions of each fold towards the shares of the labels, as far as suits the other folds best.

    Without this, a classifier that has learnt noise alone would be below the majority baseline, and look as if it had
    learnt something.
    """
    shares = np.log(np.bincount(gold, minlength=predicted.shape[1]) / len(gold))
    likelihoods = np.empty((len(_STRENGTHS), folds.count))
    for place, strength in enumerate(_STRENGTHS):
        own = np.take_along_axis(_shrink(predicted, shares, strength), gold[:, None], axis=1)[:, 0]
        likelihoods[place] = np.bincount(folds.numbers, weights=own, minlength=folds.count)
    of_others = likelihoods.sum(axis=1, keepdims=True) - likelihoods
    of_others[1:] -= _LEAST_GAIN
    strengths = _STRENGTHS[of_others.argmax(axis=0)]
    return _shrink(predicted, shares, strengths[folds.numbers, None])


def _shrink(predicted: Floats, shares: Floats, strength: Floats | float) -> Floats:
    scores = shares + strength * (predicted - shares)
    return np.asarray(scores - np.log(np.exp(scores).sum(axis=1, keepdims=True)))
