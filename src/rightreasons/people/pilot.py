"""What a pilot study says about participants and items: accuracy, how much both differ, and the share of exclusions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.people.exclusion import find_excluded
from rightreasons.people.power import PowerAssumptions
from rightreasons.people.probit import convert_correlations, find_correlation
from rightreasons.people.study import ITEM

if TYPE_CHECKING:
    from rightreasons.people.judgements import Judgements
    from rightreasons.people.protocol import Protocol
    from rightreasons.people.questions import Question

_BOUNDS = (
    0.001,
    0.999,
)  # of an accuracy: a pilot in which all is right does not show that nothing ever is wrong


def estimate_from_pilot(judgements: Judgements, question: str | None = None) -> PowerAssumptions:
    """Estimate the assumptions from the judgements of a pilot study, after its planned exclusions.

    A question without a gold answer is measured against the most frequent answer to each item.
    """
    protocol = judgements.study.protocol
    asked = protocol.find_question(question) if question else _choose_question(protocol)
    excluded = find_excluded(judgements, protocol.exclude)["participant"].unique()
    people = judgements.answers["participant"].n_unique()
    right = _mark_right_answers(judgements, asked).filter(~pl.col("participant").is_in(excluded.implode()))
    if right.is_empty():
        raise InputError(
            f"The pilot study {str(judgements.study.folder)!r} has no judgements after exclusions. Use another study."
        )
    accuracy = min(max(float(right["right"].sum()) / right.height, _BOUNDS[0]), _BOUNDS[1])
    found = [
        find_correlation(accuracy, _measure_joint_accuracy(right, column))
        for column in ("participant", "item")
    ]
    return PowerAssumptions(
        accuracy,
        convert_correlations(*found),
        excluded.len() / people,
        len(asked.choices),
        protocol.items_per_participant,
    )


def _choose_question(protocol: Protocol) -> Question:
    chosen = [each for each in protocol.questions if each.gold] or [
        each for each in protocol.questions if each.kind == "choice"
    ]
    if not chosen:
        raise InputError("The pilot study has no question with choices, so nothing can be estimated from it.")
    return chosen[0]


def _mark_right_answers(judgements: Judgements, question: Question) -> pl.DataFrame:
    """Mark which answers are the gold answer, or without one the most frequent answer of the item."""
    items = judgements.study.items.filter(pl.col("kind") == ITEM)
    gold = items[question.gold].cast(pl.String) if question.gold else None
    keyed = items.select("item", target=gold if gold is not None else pl.lit(None, pl.String))
    of_question = judgements.answers.filter((pl.col("question") == question.name) & (pl.col("answer") != ""))
    joined = of_question.select("participant", "item", "answer").join(keyed, on="item", how="inner")
    if gold is None:
        joined = joined.with_columns(target=pl.col("answer").mode().sort().first().over("item"))
    return joined.drop_nulls("target").select(
        "participant", "item", right=pl.col("answer") == pl.col("target")
    )


def _measure_joint_accuracy(right: pl.DataFrame, column: str) -> float:
    """Measure how often two judgements of one participant, or of one item, are both right."""
    counts = right.group_by(column).agg(
        n=pl.len().cast(pl.Float64), right=pl.col("right").sum().cast(pl.Float64)
    )
    pairs = float((counts["n"] * (counts["n"] - 1)).sum())
    if not pairs:
        raise InputError(
            f"In the pilot study, no {column} has two judgements, so how much they differ can't be estimated. State "
            "assumptions instead of --from."
        )
    return float((counts["right"] * (counts["right"] - 1)).sum()) / pairs
