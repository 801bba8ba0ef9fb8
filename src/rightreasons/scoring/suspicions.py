"""Signs that the predictions aren't what they seem: all the same, or with their label names mixed up."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons.core import labels
from rightreasons.core.formatting import half_up
from rightreasons.scoring.permuted import PermutedNames, exceeds_chance

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LIFT = Fraction(20, 100)


def find_suspicions(
    compared: pl.DataFrame,
    answers: pl.DataFrame,
    rule: str,
    clusters: Callable[[], pl.Series | None] = lambda: None,
) -> tuple[str, ...]:
    """Warn of constant predictions and of mixed-up label names; a set with one gold label shows neither.

    `compared` has gold and answer as they were compared by the rule, argmax or sum, `answers` the same rows as they
    were given. Predictions without a label are nobody's label by another name: they are counted apart, and are no
    sign of either. `clusters` finds out which pairs belong together, and is called only where that matters.
    """
    labelled = labels.has_label(compared["prediction"])
    if compared["gold"].filter(labelled).n_unique() <= 1:
        return ()
    constant = _warn_of_constant(compared["prediction"].filter(labelled))
    mixed_up = _warn_of_mixed_names(compared["gold"], answers, rule, clusters)
    return tuple(warning for warning in (constant, mixed_up) if warning)


def _warn_of_constant(given: pl.Series) -> str | None:
    """Warn if there is but one prediction."""
    if given.n_unique() > 1:
        return None
    return (
        f"All {given.len():,} answers are {given[0]!r}, and the set has other labels too: "
        "the model may be broken, or its labels misread."
    )


def _warn_of_mixed_names(
    gold: pl.Series, answers: pl.DataFrame, rule: str, clusters: Callable[[], pl.Series | None]
) -> str | None:
    """Warn if the predictions would be far better under other label names, by more than chance explains."""
    if rule == "sum" and not _knows_three(answers):
        answers, rule = answers.select(labels.decide(answers, rule)), "argmax"
    names = labels.TWO if rule == "argmax" and _has_two(answers) else labels.THREE
    orders = list(permutations(names))  # the first leaves every name as it is
    found = _permute_names(gold, answers, rule, orders)
    # Of orders that tell as much the one that changes least is told, and the first of these.
    best = max(
        range(1, len(orders)), key=lambda at: (found.excess[at], sum(map(str.__eq__, orders[at], names)))
    )
    now, then = int(found.right[0]), int(found.right[best])
    if then - now < LIFT * answers.height or not exceeds_chance(found, clusters()):
        return None
    return _describe_lift(dict(zip(names, orders[best], strict=True)), now, then, answers.height)


def _knows_three(answers: pl.DataFrame) -> bool:
    """Say whether every prediction with a label has the probabilities of all three."""
    columns = [labels.PROBABILITIES[label] for label in labels.THREE]
    labelled = answers.filter(labels.has_label(pl.col("label")))
    return set(columns) <= set(answers.columns) and not any(labelled[name].null_count() for name in columns)


def _has_two(answers: pl.DataFrame) -> bool:
    """Say whether the predictions speak of non-entailment."""
    return labels.NON_ENTAILMENT in answers["label"].unique()


def _permute_names(
    gold: pl.Series, answers: pl.DataFrame, rule: str, orders: Sequence[tuple[str, ...]]
) -> PermutedNames:
    """Decide each pair under each order of the names; pairs with the same decisions are of one kind."""
    names = orders[0]
    if rule == "argmax" and _has_two(answers):
        answers = answers.select(labels.merge(pl.col("label")))
    distinct = answers if rule == "sum" else answers.select("label").unique(maintain_order=True)
    decisions = pl.DataFrame(
        [
            _decide_renamed(gold, distinct, dict(zip(names, order, strict=True)), rule).alias(str(place))
            for place, order in enumerate(orders)
        ]
    )
    kinds = decisions.unique(maintain_order=True)
    if rule == "sum":
        code = decisions.join(kinds.with_row_index("_kind"), on=kinds.columns, maintain_order="left")["_kind"]
    else:
        kinds = decisions
        code = answers["label"].replace_strict(distinct["label"], pl.int_range(distinct.height, eager=True))
    golds = gold.unique(maintain_order=True)
    gold_code = gold.replace_strict(golds, pl.int_range(golds.len(), eager=True))
    hits = [np.asarray([list(kinds[name] == word) for word in golds]).T for name in kinds.columns]
    return PermutedNames(
        code.to_numpy().astype(np.int64), gold_code.to_numpy().astype(np.int64), np.stack(hits)
    )


def _decide_renamed(gold: pl.Series, answers: pl.DataFrame, names: dict[str, str], rule: str) -> pl.Series:
    """Decide predictions if each label were called by its other name."""
    columns = {labels.PROBABILITIES[old]: labels.PROBABILITIES[new] for old, new in names.items()}
    renamed = answers.rename(columns, strict=False).with_columns(pl.col("label").replace(names))
    if set(gold.unique()) <= set(labels.TWO):
        return labels.decide(renamed, rule)
    return renamed["label"]


def _describe_lift(names: dict[str, str], now: int, then: int, n: int) -> str:
    """Say which names would be better and by how much."""
    changes = ", ".join(f"{old} as {new}" for old, new in names.items() if old != new)
    before, after, lift = (half_up(Fraction(100 * count, n), 1) for count in (now, then, then - now))
    return (
        f"Reading {changes} would lift the accuracy from {before}% to {after}% (by {lift} points), "
        "which chance does in fewer than 1% of such sets: the label names of the answers may be mixed up."
    )
