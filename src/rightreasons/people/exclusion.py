"""Exclusion rules: which participants the analysis leaves out, fixed when the study is planned.

A rule compares a measure of a participant with a number, such as `controls_wrong > 0`. A participant without the
measure, such as the median time of someone who judged nothing, is not excluded by the rule.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import polars as pl

from rightreasons.core.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rightreasons.people.judgements import Judgements
    from rightreasons.people.questions import Question

Comparison = Literal["<=", ">=", "==", "!=", "<", ">"]
MEASURES = {
    "controls_wrong": "controls answered incorrectly",
    "controls_wrong_share": "controls answered incorrectly, as a share of those answered",
    "controls_judged": "controls answered",
    "judged": "items answered, without controls",
    "median_seconds": "median time per item, controls included, in seconds",
    "mean_seconds": "mean time per item, controls included, in seconds",
    "minimum_seconds": "shortest time on an item, controls included, in seconds",
    "same_answer_share": "share of the most frequent answer to the first question with choices, without controls",
    "accuracy": "share of items whose gold answer was given, without controls",
}
_COMPARE: dict[str, Callable[[pl.Expr, float], pl.Expr]] = {
    "<=": lambda value, number: value <= number,
    ">=": lambda value, number: value >= number,
    "==": lambda value, number: value == number,
    "!=": lambda value, number: value != number,
    "<": lambda value, number: value < number,
    ">": lambda value, number: value > number,
}
_PATTERN = re.compile(r"\s*([A-Za-z_]+)\s*(<=|>=|==|!=|<|>)\s*(\d+(?:\.\d+)?|\.\d+)\s*")
_CONTROL, _ITEM = "control", "item"  # kinds of items
EXCLUSION_COLUMNS = {"participant": pl.String, "rule": pl.String, "value": pl.Float64}


@dataclass(frozen=True)
class ExclusionRule:
    """A rule: the participants whose measure compares so with the number are excluded."""

    measure: str
    comparison: str
    number: float

    def __str__(self) -> str:
        """Write the rule as in a protocol."""
        return f"{self.measure} {self.comparison} {self.number:g}"

    def build_condition(self) -> pl.Expr:
        """Build the condition on a table with a column for each measure."""
        return _COMPARE[self.comparison](pl.col(self.measure), self.number)


def parse_exclusion_rule(text: str) -> ExclusionRule:
    """Parse a rule of the form MEASURE COMPARISON NUMBER."""
    match = _PATTERN.fullmatch(text)
    if match is None:
        raise InputError(
            f"The exclusion rule {text!r} is not of the form MEASURE COMPARISON NUMBER, as in controls_wrong > 0. "
            f"Comparisons are {' '.join(_COMPARE)}; measures are {', '.join(MEASURES)}."
        )
    measure, comparison, number = match.groups()
    if measure not in MEASURES:
        raise UnknownNameError("measure for exclusion rules", measure, MEASURES)
    return ExclusionRule(measure, comparison, float(number))


def find_excluded(judgements: Judgements, rules: Sequence[str | ExclusionRule]) -> pl.DataFrame:
    """Find the participants that rules exclude: EXCLUSION_COLUMNS, a row for each rule that holds for a participant."""
    parsed = [rule if isinstance(rule, ExclusionRule) else parse_exclusion_rule(rule) for rule in rules]
    measured = measure_participants(judgements)
    parts = [
        measured.filter(rule.build_condition()).select(
            "participant", rule=pl.lit(str(rule)), value=pl.col(rule.measure).cast(pl.Float64)
        )
        for rule in parsed
    ]
    return pl.concat([pl.DataFrame(schema=EXCLUSION_COLUMNS), *parts])


def measure_participants(judgements: Judgements) -> pl.DataFrame:
    """Compute MEASURES of all participants, in their order; what is unknown is null."""
    answers = _compare_with_gold(judgements)
    # Of several questions, those without a gold answer don't count.
    right = pl.when(pl.col("right").is_not_null().any()).then(pl.col("right").all())
    entries = answers.group_by("participant", "item", maintain_order=True).agg(
        pl.col("kind").first(), pl.col("seconds").first(), right=right
    )
    is_control, is_item = pl.col("kind") == _CONTROL, pl.col("kind") == _ITEM
    wrong = (is_control & pl.col("right").not_()).sum()
    measured = entries.group_by("participant").agg(
        controls_wrong=wrong.cast(pl.Float64),
        controls_wrong_share=wrong / is_control.sum(),
        controls_judged=is_control.sum().cast(pl.Float64),
        judged=is_item.sum().cast(pl.Float64),
        median_seconds=pl.col("seconds").median(),
        mean_seconds=pl.col("seconds").mean(),
        minimum_seconds=pl.col("seconds").min(),
        accuracy=pl.col("right").filter(is_item).mean(),
    )
    same = _measure_repetition(answers, judgements.study.protocol.questions)
    counts = ("controls_wrong", "controls_judged", "judged")
    whole = (
        judgements.participants.select("participant")
        .join(measured, on="participant", how="left", maintain_order="left")
        .join(same, on="participant", how="left", maintain_order="left")
        .with_columns(pl.col(counts).fill_null(0.0))
    )
    return whole.select("participant", *(pl.col(name).fill_nan(None) for name in MEASURES))


def _compare_with_gold(judgements: Judgements) -> pl.DataFrame:
    """Add the kind of the item, and whether each answer is the gold answer; null without one."""
    questions = [question for question in judgements.study.protocol.questions if question.gold]
    items = judgements.study.items
    joined = judgements.answers.join(items, on="item", how="left", maintain_order="left")
    right = pl.lit(None, pl.Boolean)
    for question in questions:
        given = pl.col("answer") == pl.col(question.gold).cast(pl.String)
        right = pl.when(pl.col("question") == question.name).then(given).otherwise(right)
    return joined.select("participant", "item", "kind", "question", "answer", "seconds", right=right)


def _measure_repetition(answers: pl.DataFrame, questions: Sequence[Question]) -> pl.DataFrame:
    """Compute the share of each participant's most frequent answer to the first question with choices."""
    named = next((question.name for question in questions if question.kind == "choice"), "")
    of_items = answers.filter((pl.col("kind") == _ITEM) & (pl.col("question") == named))
    counts = of_items.group_by("participant", "answer").len()
    return counts.group_by("participant").agg(same_answer_share=pl.col("len").max() / pl.col("len").sum())
