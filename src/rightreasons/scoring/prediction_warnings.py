"""Signs that predictions are not what they seem: missing labels, one label throughout, swapped label names.

Would other label names lift the accuracy by more than chance does? That is a permutation test over the gold labels.
Under the null hypothesis, predictions are independent of gold labels. Then every pairing of the two is as likely as
the observed one, whatever the label shares: a model that always predicts one label, or a set with one frequent label,
lifts the accuracy under other names as much in every pairing, and raises no alarm. Pairs of one cluster stay together:
whole clusters of one size exchange their gold labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons.core import labels
from rightreasons.core.formatting import round_half_up

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Counts = npt.NDArray[np.int64]

MIN_LIFT = Fraction(20, 100)  # of the accuracy, below which swapped names are not suspected
LEVEL = 0.01  # the share of false alarms
SHUFFLES = 999
SEED = 0
MISSING_TEXTS = {
    labels.UNREADABLE: "{part:,} of {n:,} predictions ({share}%) could not be parsed as a label",
    labels.REFUSED: "{part:,} of {n:,} pairs ({share}%) were refused by the model",
}


def warn_of_missing_labels(compared: pl.DataFrame) -> tuple[str, ...]:
    """Warn of predictions without a label, which count as wrong, if there are any."""
    n = compared.height
    counts = {word: int((compared["prediction"] == word).sum()) for word in labels.NO_LABEL}
    counted = [
        MISSING_TEXTS[word].format(part=part, n=n, share=_format_percent(part, n))
        for word, part in counts.items()
        if part
    ]
    if not counted:
        return ()
    wrong = "Predictions without a label count as wrong."
    return (f"{', and '.join(counted)}. {wrong}{_describe_labelled_accuracy(compared)}",)


def _describe_labelled_accuracy(compared: pl.DataFrame) -> str:
    """Report how many of the predictions with a label are correct."""
    rest = compared.filter(labels.has_label(pl.col("prediction")))
    if rest.is_empty():
        return ""
    right = int((rest["gold"] == rest["prediction"]).sum())
    return f" Of the {rest.height:,} predictions with a label, {_format_percent(right, rest.height)}% are correct."


def _format_percent(part: int, whole: int) -> str:
    return round_half_up(Fraction(100 * part, whole), 1)


def warn_of_suspicious_labels(
    compared: pl.DataFrame,
    predictions: pl.DataFrame,
    rule: str,
    clusters: Callable[[], pl.Series | None] = lambda: None,
) -> tuple[str, ...]:
    """Warn of constant predictions and of mixed-up label names; a set with one gold label shows neither.

    `compared` has gold and prediction as compared by the rule, argmax or sum, `predictions` the same rows as given.
    Predictions without a label are counted separately, and are no sign of either. `clusters` finds which pairs belong
    together, and is called only if needed.
    """
    labelled = labels.has_label(compared["prediction"])
    if compared["gold"].filter(labelled).n_unique() <= 1:
        return ()
    constant = _warn_of_constant_label(compared["prediction"].filter(labelled))
    mixed_up = _warn_of_swapped_names(compared["gold"], predictions, rule, clusters)
    return tuple(warning for warning in (constant, mixed_up) if warning)


def _warn_of_constant_label(given: pl.Series) -> str | None:
    """Warn if all predictions are the same."""
    if given.n_unique() > 1:
        return None
    return (
        f"All {given.len():,} predictions are {given[0]!r}, although the set has other labels: "
        "the model may be broken, or its label order wrong."
    )


def _warn_of_swapped_names(
    gold: pl.Series, predictions: pl.DataFrame, rule: str, clusters: Callable[[], pl.Series | None]
) -> str | None:
    """Warn if the predictions would be far better under other label names, by more than chance explains."""
    if rule == "sum" and not _has_all_probabilities(predictions):
        predictions, rule = predictions.select(labels.apply_label_rule(predictions, rule)), "argmax"
    names = (
        labels.TWO_LABELS
        if rule == "argmax" and _predicts_non_entailment(predictions)
        else labels.THREE_LABELS
    )
    orders = list(permutations(names))  # the first leaves every name as it is
    found = _build_label_permutations(gold, predictions, rule, orders)
    # Of equally good orders, report the one that changes least, and the first of these.
    best = max(
        range(1, len(orders)),
        key=lambda at: (found.excess_by_order[at], sum(map(str.__eq__, orders[at], names))),
    )
    now, then = int(found.correct_by_order[0]), int(found.correct_by_order[best])
    if then - now < MIN_LIFT * predictions.height or not lift_exceeds_chance(found, clusters()):
        return None
    return _describe_accuracy_lift(dict(zip(names, orders[best], strict=True)), now, then, predictions.height)


def _has_all_probabilities(predictions: pl.DataFrame) -> bool:
    """Whether every prediction with a label has the probabilities of all three labels."""
    columns = [labels.PROBABILITIES[label] for label in labels.THREE_LABELS]
    labelled = predictions.filter(labels.has_label(pl.col("label")))
    return set(columns) <= set(predictions.columns) and not any(
        labelled[name].null_count() for name in columns
    )


def _predicts_non_entailment(predictions: pl.DataFrame) -> bool:
    """Whether any prediction is non-entailment."""
    return labels.NON_ENTAILMENT in predictions["label"].unique()


def _build_label_permutations(
    gold: pl.Series, predictions: pl.DataFrame, rule: str, orders: Sequence[tuple[str, ...]]
) -> LabelPermutations:
    """Decide each pair under each order of the names; pairs with the same decisions are of one kind."""
    names = orders[0]
    if rule == "argmax" and _predicts_non_entailment(predictions):
        predictions = predictions.select(labels.merge_labels(pl.col("label")))
    distinct = predictions if rule == "sum" else predictions.select("label").unique(maintain_order=True)
    decisions = pl.DataFrame(
        [
            _relabel_predictions(gold, distinct, dict(zip(names, order, strict=True)), rule).alias(str(place))
            for place, order in enumerate(orders)
        ]
    )
    kinds = decisions.unique(maintain_order=True)
    if rule == "sum":
        code = decisions.join(kinds.with_row_index("_kind"), on=kinds.columns, maintain_order="left")["_kind"]
    else:
        kinds = decisions
        code = predictions["label"].replace_strict(
            distinct["label"], pl.int_range(distinct.height, eager=True)
        )
    golds = gold.unique(maintain_order=True)
    gold_code = gold.replace_strict(golds, pl.int_range(golds.len(), eager=True))
    hits = [np.asarray([list(kinds[name] == word) for word in golds]).T for name in kinds.columns]
    return LabelPermutations(
        code.to_numpy().astype(np.int64), gold_code.to_numpy().astype(np.int64), np.stack(hits)
    )


def _relabel_predictions(
    gold: pl.Series, predictions: pl.DataFrame, names: dict[str, str], rule: str
) -> pl.Series:
    """Decide predictions if each label were called by its other name."""
    columns = {labels.PROBABILITIES[old]: labels.PROBABILITIES[new] for old, new in names.items()}
    renamed = predictions.rename(columns, strict=False).with_columns(pl.col("label").replace(names))
    if set(gold.unique()) <= set(labels.TWO_LABELS):
        return labels.apply_label_rule(renamed, rule)
    return renamed["label"]


def _describe_accuracy_lift(names: dict[str, str], now: int, then: int, n: int) -> str:
    """Describe which names would be better and by how much."""
    changes = ", ".join(f"{old} as {new}" for old, new in names.items() if old != new)
    before, after, lift = (round_half_up(Fraction(100 * count, n), 1) for count in (now, then, then - now))
    return (
        f"Reading {changes} would raise the accuracy from {before}% to {after}% (by {lift} percentage "
        "points), which happens by chance in fewer than 1% of such sets: the label names may be mixed up."
    )


@dataclass(frozen=True)
class LabelPermutations:
    """The kind of prediction and the gold label of each pair, and which kind is right on which under each order.

    The first order leaves the names as they are.
    """

    kind: Counts
    gold: Counts
    hits: npt.NDArray[np.bool_]  # orders x kinds x gold labels

    def count_correct_by_order(self, gold: Counts) -> Counts:
        """Count the correct predictions under each order, given the gold labels."""
        kinds, golds = self.hits.shape[1:]
        table = np.bincount(self.kind * golds + gold, minlength=kinds * golds)
        return np.asarray(self.hits.reshape(len(self.hits), -1) @ table)

    @cached_property
    def correct_by_order(self) -> Counts:
        """The correct predictions under each order."""
        return self.count_correct_by_order(self.gold)

    @cached_property
    def expected_lift_by_order(self) -> Floats:
        """By how much each order raises the count on average over all pairings of predictions and gold labels."""
        kinds, golds = (
            np.bincount(codes, minlength=size) for codes, size in self._iterate_codes_with_sizes()
        )
        means = self.hits.astype(np.float64) @ golds @ kinds / len(self.kind)
        return np.asarray(means - means[0])

    def _iterate_codes_with_sizes(self) -> Iterator[tuple[Counts, int]]:
        yield self.kind, self.hits.shape[1]
        yield self.gold, self.hits.shape[2]

    def compute_excess(self, right: Counts) -> Floats:
        """Return how many more predictions are right under each order than the shares of the labels explain."""
        return np.asarray(right - right[0] - self.expected_lift_by_order)

    @property
    def excess_by_order(self) -> Floats:
        """By how much each order raises the count beyond expectation, with the gold labels at hand."""
        return self.compute_excess(self.correct_by_order)


def lift_exceeds_chance(
    found: LabelPermutations, clusters: pl.Series | None = None, *, level: float = LEVEL
) -> bool:
    """Whether some order raises the accuracy by more than the best order does in all but 1% of the pairings."""
    rng = np.random.default_rng(SEED)
    blocks = list(_group_clusters_by_size(len(found.kind), clusters))
    observed = float(found.excess_by_order.max())
    allowed = int(level * (SHUFFLES + 1)) - 1  # the pairing at hand is one of them
    for _ in range(SHUFFLES):
        gold = found.gold.copy()
        for block in blocks:
            gold[block.ravel()] = found.gold[block[rng.permutation(len(block))].ravel()]
        if found.compute_excess(found.count_correct_by_order(gold)).max() >= observed - 1e-9:
            allowed -= 1
            if allowed < 0:
                return False
    return True


def _group_clusters_by_size(n: int, clusters: pl.Series | None) -> Iterator[Counts]:
    """Collect clusters by their size: a table with a row of pairs for each cluster."""
    numbers = np.full(n, -1) if clusters is None else clusters.fill_null(-1).to_numpy()
    alone = np.flatnonzero(numbers == -1)
    if len(alone):
        yield alone[:, None]
    together = np.flatnonzero(numbers != -1)
    ordered = together[np.argsort(numbers[together], kind="stable")]
    _, starts, sizes = np.unique(numbers[ordered], return_index=True, return_counts=True)
    for size in np.unique(sizes):
        yield ordered[starts[sizes == size][:, None] + np.arange(size)[None, :]]
