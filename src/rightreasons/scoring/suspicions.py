"""Signs that the answers aren't what they seem: all the same, or with their label names mixed up."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import polars as pl

from rightreasons import labels
from rightreasons.scoring.intervals import half_up

LIFT = Fraction(20, 100)


def suspicions(compared: pl.DataFrame, answers: pl.DataFrame, rule: str) -> tuple[str, ...]:
    """Warn of constant answers and of mixed-up label names; a set with one true label shows neither.

    `compared` has gold and answer as they were compared, `answers` the same rows as they were given. Answers
    without a label are nobody's label by another name: they are told apart, and are no sign of either.
    """
    labelled = labels.has_label(compared["answer"])
    if compared["gold"].filter(labelled).n_unique() <= 1:
        return ()
    constant = _constant(compared["answer"].filter(labelled))
    # Another name for the only label there is would lift an uneven set, and says nothing new.
    nothing_new = constant and rule == "argmax" and answers["label"].filter(labelled).n_unique() == 1
    mixed_up = None if nothing_new else _mixed_up(compared["gold"], answers, rule)
    return tuple(warning for warning in (constant, mixed_up) if warning)


def _constant(given: pl.Series) -> str | None:
    """Warn if there is but one answer."""
    if given.n_unique() > 1:
        return None
    return (
        f"All {given.len():,} answers are {given[0]!r}, and the set has other labels too: "
        "the model may be broken, or its labels misread."
    )


def _mixed_up(gold: pl.Series, answers: pl.DataFrame, rule: str) -> str | None:
    """Warn if the answers would be far better under other label names."""
    if rule == "sum" and not _knows_three(answers):
        answers, rule = answers.select(labels.decide(answers, rule)), "argmax"
    names = labels.TWO if rule == "argmax" and _has_two(answers) else labels.THREE
    table = _cells(gold, answers, rule)
    right = {
        order: _right(table, dict(zip(names, order, strict=True)), rule) for order in permutations(names)
    }
    # Of equally good orders the one that changes least is told, and the first of these.
    best = max(right, key=lambda order: (right[order], sum(map(str.__eq__, order, names))))
    if right[best] - right[names] < LIFT * answers.height:
        return None
    return _advice(dict(zip(names, best, strict=True)), right[names], right[best], answers.height)


def _knows_three(answers: pl.DataFrame) -> bool:
    """Say whether every answer with a label has the probabilities of all three."""
    columns = [labels.PROBABILITIES[label] for label in labels.THREE]
    labelled = answers.filter(labels.has_label(pl.col("label")))
    return set(columns) <= set(answers.columns) and not any(labelled[name].null_count() for name in columns)


def _has_two(answers: pl.DataFrame) -> bool:
    """Say whether the answers speak of non-entailment."""
    return labels.NON_ENTAILMENT in answers["label"].unique()


def _cells(gold: pl.Series, answers: pl.DataFrame, rule: str) -> pl.DataFrame:
    """Count equal rows together, which leaves a dozen for the rule that reads labels only."""
    if rule == "sum":
        return answers.with_columns(gold=gold, weight=pl.lit(1, dtype=pl.Int64))
    given = labels.merge(answers["label"]) if _has_two(answers) else answers["label"]
    table = pl.DataFrame({"gold": gold, "label": given})
    return table.group_by("gold", "label", maintain_order=True).agg(weight=pl.len().cast(pl.Int64))


def _right(table: pl.DataFrame, names: dict[str, str], rule: str) -> int:
    """Count right answers if each label were called by its other name."""
    columns = {labels.PROBABILITIES[old]: labels.PROBABILITIES[new] for old, new in names.items()}
    renamed = table.rename(columns, strict=False).with_columns(pl.col("label").replace(names))
    compared = labels.compare(table["gold"], renamed, rule).table
    return int(table["weight"].filter(compared["gold"] == compared["answer"]).sum())


def _advice(names: dict[str, str], now: int, then: int, n: int) -> str:
    """Say which names would be better and by how much."""
    changes = ", ".join(f"{old} as {new}" for old, new in names.items() if old != new)
    before, after, lift = (half_up(Fraction(100 * count, n), 1) for count in (now, then, then - now))
    return (
        f"Reading {changes} would lift the accuracy from {before}% to {after}% (by {lift} points): "
        "the label names of the answers may be mixed up."
    )
