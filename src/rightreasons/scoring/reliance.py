"""Reliance on a heuristic: does a model predict entailment where the heuristic alone does?

A heuristic predicts entailment where it applies. Where it applies and is wrong, it misleads. Predicting entailment
there is an error, which a model may also make without any heuristic. So the share of misleading pairs that are
predicted entailed is reduced by another share: that of pairs with the same gold label to which the heuristic does not
apply.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot
from typing import TYPE_CHECKING, Literal, TypeAlias

from rightreasons.core.labels import ENTAILMENT
from rightreasons.scoring.proportion import Proportion, compute_clustered_proportion

if TYPE_CHECKING:
    import polars as pl

    from rightreasons.scoring.sharing import Clusters

MIN_PAIRS = 5  # pairs: fewer are there by accident, and stand for nothing
# Where the mistakes that a model makes anyway are counted: on pairs that aren't entailed and where the heuristic is
# silent; or, where a set has none, on pairs where it is right; or nowhere.
Control: TypeAlias = Literal["silent", "right", "none"]


@dataclass(frozen=True)
class Reliance:
    """What is called entailed of three kinds of pairs, and the figure with its interval; None if it can't be told."""

    misled: Proportion  # where the heuristic says entailment and is wrong
    helped: Proportion  # where it says entailment and is right
    silent: Proportion  # where it does not apply, and the pair isn't entailed
    control: Control
    figure: float | None = None
    low: float | None = None
    high: float | None = None


def measure_reliance(
    predictions: pl.DataFrame, applies: pl.Series, clusters: Clusters | None = None
) -> Reliance | None:
    """Measure how far predictions follow a heuristic; None if it misleads on no pair.

    `predictions` has gold and prediction; `applies` says for each row whether the heuristic predicts entailment;
    `clusters` which rows belong together.
    """
    true, predicted = predictions["gold"] == ENTAILMENT, predictions["prediction"] == ENTAILMENT
    here = applies.fill_null(value=False)
    if not (here & ~true).any():
        return None
    misled, helped, silent = (
        compute_clustered_proportion(
            predicted.filter(rows), None if clusters is None else clusters.filter(rows)
        )
        for rows in (here & ~true, here & true, ~here & ~true)
    )
    if silent.n >= MIN_PAIRS:
        return Reliance(misled, helped, silent, "silent", *_compute_newcombe_difference(misled, silent))
    if helped.n:
        return Reliance(
            misled, helped, silent, "right", *_compute_newcombe_difference(misled, _take_complement(helped))
        )
    return Reliance(misled, helped, silent, "none")


def _take_complement(portion: Proportion) -> Proportion:
    """Turn a portion into that of all others."""
    low, high = (None if end is None else 1 - end for end in (portion.high, portion.low))
    return Proportion(portion.n - portion.hits, portion.n, low, high)


def _compute_newcombe_difference(first: Proportion, second: Proportion) -> tuple[float, float, float]:
    """Return the difference of two shares, clipped to 0 to 1, with Newcombe's interval (his method 10)."""
    (a, a_low, a_high), (b, b_low, b_high) = (
        (portion.share or 0.0, portion.low or 0.0, 1.0 if portion.high is None else portion.high)
        for portion in (first, second)
    )
    ends = (a - b, a - b - hypot(a - a_low, b_high - b), a - b + hypot(a_high - a, b - b_low))
    figure, low, high = (min(1.0, max(0.0, end)) for end in ends)
    return figure, low, high
