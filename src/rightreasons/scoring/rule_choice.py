"""One rule for all models on a set: with `auto`, whether sum or argmax reduces three labels to two.

A model that returns labels only can't be scored by the sum of its probabilities: its label is the most probable of
three. Next to a model that is scored by the sum, the two would differ by their rules even with the same probabilities.
So the sum is used only if every model with three labels returns probabilities; otherwise all are scored by argmax.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rightreasons.core import labels

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import polars as pl

SOME_MODELS = "; some models return no probabilities"
# Built-in models that don't compute probabilities: no rule changes their predictions.
_BUILT_IN = ("majority", "constant", "random", "rules")


@dataclass(frozen=True)
class SetRule:
    """How three labels become two on one set: the rule that was asked for, and the one that decides all models.

    `used` is None where the labels are compared as they are. `without` names the models without probabilities that
    are the reason for argmax though others have them, `two` the models of two labels among these others.
    """

    requested: str
    used: str | None
    why: str = ""
    without: tuple[str, ...] = ()
    two: tuple[str, ...] = ()

    def choose_model_rule(self, predictions: pl.DataFrame, *, baseline: bool) -> str:
        """Return the rule to score one model by; labels that have no probabilities are taken as they are."""
        if self.requested != labels.AUTO or self.used is None:
            return labels.get_rule_without_probabilities(self.requested) if baseline else self.requested
        return "sum" if self.used == "sum" and has_probabilities(predictions) else "argmax"

    def describe(self, description: str) -> str:
        """Describe how the labels of the set were compared, for all models, given the description for one model."""
        if self.requested != labels.AUTO or self.used is None:
            return description
        return (
            labels.RULES[self.used]
            + self.why
            + (labels.GOLD_MERGED_TOO if description.endswith(labels.GOLD_MERGED_TOO) else "")
        )

    @property
    def remarks(self) -> list[str]:
        """Explain why the probabilities of some models were not used, and the consequences."""
        if not self.without:
            return []
        names, is_single = ", ".join(self.without), len(self.without) == 1
        reason = (
            f"All models were scored by argmax, because {names} {'returns' if is_single else 'return'} no "
            f"probabilities for some or all pairs. A run without {'this model' if is_single else 'these models'} is "
            "scored by the sum of the probabilities."
        )
        if not self.two:
            return [reason]
        have = "has two labels and predicts" if len(self.two) == 1 else "have two labels and predict"
        threshold = (
            f"{', '.join(self.two)} {have} entailment above a probability of 1/2; a three-label model scored by argmax "
            "may predict entailment from 1/3 on. This may explain part of the difference."
        )
        return [reason, threshold]


def choose_set_rule(rule: str, predictions: Mapping[str, pl.DataFrame], *, merged: bool) -> SetRule:
    """Choose the rule that decides all models of a set, given the predictions of those that count for the choice.

    With `merged`, the labels are compared as two; else there is nothing to decide.
    """
    labels.check_label_rule(rule)
    if rule != labels.AUTO or not merged:
        return SetRule(rule, rule if merged else None)
    have = [name for name, table in predictions.items() if has_probabilities(table)]
    two = [name for name, table in predictions.items() if _predicts_two_labels(table)]
    without = [name for name in predictions if name not in (*have, *two)]
    if have and not without:
        return SetRule(rule, "sum")
    if have:
        both = tuple(name for name in have if name in two)
        return SetRule(rule, "argmax", SOME_MODELS, tuple(without), both)
    some = any(_has_some_probability(table) for table in predictions.values())
    return SetRule(rule, "argmax", labels.SOME_PROBABILITIES if some else labels.NO_PROBABILITIES)


def counts_for_rule_choice(given: str, *, baseline: bool) -> bool:
    """Whether a model counts for the choice of the rule; `given` is its name as requested."""
    return not baseline and given.partition(":")[0] not in _BUILT_IN


def depends_on_rule(predictions: pl.DataFrame) -> bool:
    """Whether the rule affects these predictions; two labels without probabilities are the same under any rule."""
    return has_probabilities(predictions) or not _predicts_two_labels(predictions)


def has_probabilities(predictions: pl.DataFrame) -> bool:
    """Whether every prediction that has a label has its probabilities."""
    return labels.choose_label_rule(_resolve_predicted_labels(predictions), labels.AUTO) == "sum"


def _predicts_two_labels(predictions: pl.DataFrame) -> bool:
    """Whether a model predicts non-entailment itself; if it always predicts entailment, it may have three labels."""
    predicted = set(_resolve_predicted_labels(predictions)["label"].unique()) - set(labels.NO_LABEL)
    return not predicted or (predicted <= set(labels.TWO_LABELS) and labels.NON_ENTAILMENT in predicted)


def _has_some_probability(predictions: pl.DataFrame) -> bool:
    known: Iterable[str] = (name for name in labels.PROBABILITIES.values() if name in predictions.columns)
    return any(predictions[name].null_count() < predictions.height for name in known)


def _resolve_predicted_labels(predictions: pl.DataFrame) -> pl.DataFrame:
    return predictions.with_columns(labels.resolve_predictions(predictions["label"]))
