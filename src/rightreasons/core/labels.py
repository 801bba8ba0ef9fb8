"""Label names, the words that stand for them, and how three labels become two.

Labels are resolved by name and never guessed: a number is not a label because models order labels differently.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import polars as pl

from rightreasons.core.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable

ENTAILMENT = "entailment"
NEUTRAL = "neutral"
CONTRADICTION = "contradiction"
NON_ENTAILMENT = "non-entailment"

LABELS = (ENTAILMENT, NEUTRAL, CONTRADICTION, NON_ENTAILMENT)
THREE_LABELS = (ENTAILMENT, NEUTRAL, CONTRADICTION)
TWO_LABELS = (ENTAILMENT, NON_ENTAILMENT)
# The predicted label where a prediction has none: it is never correct, and is counted separately.
UNREADABLE = "unreadable"  # the model returned something that is not a label
REFUSED = "refused"  # the pair could not be put to the model
NO_LABEL = (UNREADABLE, REFUSED)
PROBABILITIES = {label: f"p_{label.replace('-', '_')}" for label in LABELS}

NO_GOLD = ("", "-", "-1")

RULES = {
    "argmax": "argmax: the most probable label, then neutral and contradiction count as non-entailment",
    "sum": "sum: the probabilities of neutral and contradiction together against that of entailment",
}
# By default the probabilities decide wherever there are any, so that a model of three labels and one of two that have
# the same probability of entailment decide alike.
AUTO = "auto"
RULE_NAMES = (AUTO, *RULES)
NO_PROBABILITIES = "; the predictions have no probabilities"
SOME_PROBABILITIES = "; some predictions have no probabilities"
DIRECT = "direct: three labels, compared without merging"
GOLD_MERGED_TOO = "; the set's own labels are merged in the same way"

# Spaces, hyphens, underscores and case are dropped before a word is looked up here.
_ALIASES = {
    ENTAILMENT: "e entail entails entailed entailing",
    NEUTRAL: "n neutrals",
    CONTRADICTION: "c contradict contradicts contradicted contradictory contradicting contradictions",
    NON_ENTAILMENT: "nonentailed nonentailing notentailment notentailed notentails noentailment",
}
_LABEL_OF_ALIAS = {alias: label for label, aliases in _ALIASES.items() for alias in aliases.split()}
_LABEL_OF_ALIAS |= {label.replace("-", ""): label for label in LABELS}

Labels = TypeVar("Labels", pl.Series, pl.Expr)


@dataclass(frozen=True)
class Comparison:
    """Gold labels and predictions made comparable: `gold` and `prediction` columns, and how that was done.

    `used_rule` is the rule that decided, argmax or sum.
    """

    table: pl.DataFrame
    rule: str
    warnings: tuple[str, ...] = ()
    used_rule: str = "argmax"


def find_label(word: str) -> str | None:
    """Return the label that a word stands for, or None."""
    if word.strip() in NO_GOLD:
        return None
    return _LABEL_OF_ALIAS.get("".join(word.casefold().replace("-", "").replace("_", "").split()))


def find_predicted_label(word: str) -> str | None:
    """Return the label that a word stands for, or the word itself where it stands for no label."""
    normalised = word.strip().casefold()
    return normalised if normalised in NO_LABEL else find_label(word)


def resolve_label(word: str) -> str:
    """Return the label that a word stands for; an unknown word is an error."""
    label = find_label(word)
    if label is None:
        raise InputError(explain_unknown_label(word))
    return label


def explain_unknown_label(word: str | None) -> str:
    """Explain why a word is not a label and what to use instead."""
    if word is None or word.strip() in NO_GOLD:
        return f"The label {word or ''!r} means that there is no label. Remove the pair, or give it a label."
    return (
        f"The word {word!r} is not a label. "
        f"Use one of {', '.join(LABELS)}; numbers are not accepted because their order differs between models."
    )


def resolve_labels(words: pl.Series) -> pl.Series:
    """Resolve a column of words, each different word once; the error names the first wrong row."""
    return _resolve_label_words(words, find_label)


def resolve_predictions(words: pl.Series) -> pl.Series:
    """Resolve a column of predictions, some of which may have no label; the error names the first wrong row."""
    return _resolve_label_words(words, find_predicted_label)


def _resolve_label_words(words: pl.Series, meaning: Callable[[str], str | None]) -> pl.Series:
    different = words.unique(maintain_order=True)
    meanings = [None if word is None else meaning(word) for word in different]
    if None in meanings:
        word = different[meanings.index(None)]
        row = words.eq_missing(word).arg_true()[0] + 1
        raise InputError(f"Column {words.name!r}, row {row}: {explain_unknown_label(word)}")
    if different.to_list() == meanings:
        return words
    return words.replace_strict(different, pl.Series(meanings, dtype=pl.String), return_dtype=pl.String)


def merge_labels(labels: Labels) -> Labels:
    """Turn three labels into two: neutral and contradiction are non-entailment, words without a label stay."""
    return labels.replace({NEUTRAL: NON_ENTAILMENT, CONTRADICTION: NON_ENTAILMENT})


def has_label(answers: Labels) -> Labels:
    """Return which predictions have a label."""
    return ~answers.is_in(NO_LABEL)


def check_label_rule(rule: str) -> None:
    """Refuse a label rule that doesn't exist."""
    if rule not in RULE_NAMES:
        raise UnknownNameError("label rule", rule, RULE_NAMES)


def get_rule_without_probabilities(rule: str) -> str:
    """Return the rule for predictions that never have probabilities, as those of baselines."""
    return "argmax" if rule == "sum" else rule


def choose_label_rule(answers: pl.DataFrame, rule: str, label: str = "label") -> str:
    """Return the rule that decides: sum or argmax as given, or by default sum if all predictions have probabilities."""
    check_label_rule(rule)
    if rule != AUTO:
        return rule
    labelled = add_missing_probability_columns(answers).filter(has_label(pl.col(label)))
    unknown = labelled.select(
        (pl.col(PROBABILITIES[ENTAILMENT]) + _sum_non_entailment_probabilities()).is_null().any()
    ).item()
    return "argmax" if unknown or labelled.is_empty() else "sum"


def _describe_label_rule(answers: pl.DataFrame, rule: str, used: str) -> str:
    """Describe which rule decided, and why it is argmax where probabilities were to decide."""
    if rule != AUTO or used == "sum":
        return RULES[used]
    columns = [name for name in PROBABILITIES.values() if name in answers.columns]
    some = any(answers[name].null_count() < answers.height for name in columns)
    return RULES[used] + (SOME_PROBABILITIES if some else NO_PROBABILITIES)


def apply_label_rule(answers: pl.DataFrame, rule: str = AUTO, label: str = "label") -> pl.Series:
    """Reduce predictions to two labels by a rule; `label` names the column that holds the predicted labels.

    Predictions without a label stay so under any rule.
    """
    merged = merge_labels(answers[label])
    if choose_label_rule(answers, rule, label) == "argmax":
        return merged
    table = add_missing_probability_columns(answers).with_columns(merged=merged)
    yes, no = pl.col(PROBABILITIES[ENTAILMENT]), _sum_non_entailment_probabilities()
    labelled = has_label(pl.col("merged"))
    if table.select((labelled & (yes + no).is_null()).any()).item():
        raise InputError(
            "The rule 'sum' needs the probabilities of all labels for every prediction, but some have none. "
            "Use the rule 'argmax', or add the probabilities."
        )
    decision = (
        pl.when(labelled & (yes > no))
        .then(pl.lit(ENTAILMENT))
        .when(labelled & (yes < no))
        .then(pl.lit(NON_ENTAILMENT))
    )
    return table.select(decision.otherwise("merged").alias(label))[label]


def add_missing_probability_columns(answers: pl.DataFrame) -> pl.DataFrame:
    """Add the probability columns that the predictions don't have, as nulls."""
    missing = [name for name in PROBABILITIES.values() if name not in answers.columns]
    return answers.with_columns(pl.lit(None, dtype=pl.Float64).alias(name) for name in missing)


def _sum_non_entailment_probabilities() -> pl.Expr:
    """Add the probabilities of the labels that aren't entailment."""
    three = pl.col(PROBABILITIES[NEUTRAL]) + pl.col(PROBABILITIES[CONTRADICTION])
    return pl.coalesce(three, pl.col(PROBABILITIES[NON_ENTAILMENT]))


def must_merge_labels(gold: pl.Series, given: pl.Series) -> bool:
    """Return whether the labels of a set must be merged before these predictions can be compared with them."""
    true = set(gold.unique())
    return not true <= set(TWO_LABELS) and NON_ENTAILMENT in true | set(given.unique())


def compare_labels(
    gold: pl.Series,
    answers: pl.DataFrame,
    rule: str = AUTO,
    label: str = "label",
    *,
    merged: bool = False,
) -> Comparison:
    """Bring gold labels and predictions to the same labels; the set's own labels decide whether to merge.

    With `merged`, three labels become two even where they could be compared as they are.
    """
    used, true = choose_label_rule(answers, rule, label), set(gold.unique())
    rule_text = _describe_label_rule(answers, rule, used)
    if true <= set(TWO_LABELS):
        table = pl.DataFrame({"gold": gold, "prediction": apply_label_rule(answers, used, label)})
        return Comparison(table, rule_text, (), used)
    if merged or must_merge_labels(gold, answers[label]):
        table = pl.DataFrame(
            {"gold": merge_labels(gold), "prediction": apply_label_rule(answers, used, label)}
        )
        # Whoever asked for it need not be warned of it.
        return Comparison(
            table, rule_text + GOLD_MERGED_TOO, () if merged else (_describe_label_merging(true),), used
        )
    unused = (
        f"The rule {rule!r} was not used: the set and the predictions have three labels, "
        "which were compared without merging."
    )
    table = pl.DataFrame({"gold": gold, "prediction": answers[label]})
    return Comparison(table, DIRECT, (unused,) if rule == "sum" else ())


def _describe_label_merging(true: set[str]) -> str:
    """Describe that the set's labels were merged too."""
    names = ", ".join(label for label in LABELS if label in true)
    return (
        f"The gold labels are {names}, and {NON_ENTAILMENT} occurs in the set or the predictions: "
        "the labels of both were merged into entailment and non-entailment before the comparison."
    )
