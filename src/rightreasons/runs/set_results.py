"""The results on one set: its pairs and, aligned with them, the predictions of every model."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from rightreasons.core import labels
from rightreasons.core.pairs import PARSE_COLUMNS
from rightreasons.io.polars_io import read_parquet, read_parquet_schema
from rightreasons.scoring.accuracy import align_predictions, find_majority_label
from rightreasons.scoring.rule_choice import choose_set_rule, counts_for_rule_choice
from rightreasons.scoring.sharing import find_sharing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from rightreasons.scoring.accuracy import AlignedPredictions
    from rightreasons.scoring.rule_choice import SetRule
    from rightreasons.scoring.sharing import Sharing

MAJORITY = "majority"  # the baseline that predicts the most frequent gold label of each set


@dataclass(frozen=True)
class RunModel:
    """A model of one run; where two runs have models of one name, the name includes the run."""

    name: str
    baseline: bool
    folder: Path  # of the run
    card: Mapping[str, Any]  # its entry in the run's card

    @property
    def is_majority(self) -> bool:
        """Whether this is the majority baseline, whose predictions follow from the gold labels."""
        return self.baseline and self.card["given"] == MAJORITY


class ModelPredictions(NamedTuple):
    """The predictions of one model on one set, and the label rule of its run; the majority baseline has no table."""

    model: RunModel
    rule: str
    table: pl.DataFrame
    path: Path | None = None


@dataclass(frozen=True)
class SetResults:
    """One set with the predictions of all models that were run on it.

    Each table of predictions has a row per pair, in the order of the pairs: `gold` and `prediction` as they were
    compared, `right`, and the known probabilities (p_entailment, ...).
    """

    name: str
    card: Mapping[str, Any]  # its entry in the run's card
    file: Path
    models: tuple[RunModel, ...]
    label_rule: str
    predictions: Mapping[str, pl.DataFrame]
    rules: Mapping[str, str] = field(default_factory=dict)  # that reduced the labels of each model to two
    remarks: tuple[str, ...] = ()  # on that rule
    table: pl.DataFrame | None = None  # the pairs, if they are in memory

    @cached_property
    def pairs(self) -> pl.DataFrame:
        """Read the pairs with their tags, without parses, which are large."""
        if self.table is not None:
            return self.table
        columns = [name for name in read_parquet_schema(self.file) if name not in PARSE_COLUMNS]
        return read_parquet(self.file, columns=columns)

    @cached_property
    def sharing(self) -> Sharing:
        """Find which pairs share a group, a source or a premise."""
        return find_sharing(self.pairs)

    @property
    def clusters(self) -> pl.DataFrame | None:
        """Number the cluster of each pair; null for a pair that shares nothing."""
        return self.sharing.clusters

    @property
    def requested_models(self) -> list[str]:
        """Name the models that were requested, without added baselines."""
        return [model.name for model in self.models if not model.baseline]

    @property
    def gold_labels(self) -> list[str]:
        """List the gold labels of the set as they were compared, in the usual order."""
        present = set(next(iter(self.predictions.values()))["gold"].unique())
        return [label for label in labels.LABELS if label in present]


@dataclass(frozen=True)
class LabelDecisions:
    """How the labels of one set are compared: merged or not, and the rule for each model."""

    gold: pl.Series  # merged if the labels are
    merging: tuple[str, ...]  # models whose predictions require merged labels
    left_out: frozenset[str]  # baselines whose labels don't fit
    rules: Mapping[str, SetRule]


def decide_label_merging(pairs: pl.DataFrame, given: Sequence[ModelPredictions]) -> LabelDecisions:
    """Decide whether the labels of a set are merged, and by which rule three labels become two for each model.

    Labels are merged for all models or for none, so that all figures are about the same labels. Added baselines are no
    reason to merge. All models of runs with the rule `auto` get the same rule, whichever run they are from.
    """
    gold = labels.resolve_labels(pairs["label"])
    tables = {each.model.name: each.table for each in given if not each.model.is_majority}
    requested = {each.model.name for each in given if not each.model.baseline} or set(tables)
    coarse = [
        name
        for name, table in tables.items()
        if labels.must_merge_labels(gold, labels.resolve_predictions(table["label"]))
    ]
    merging = tuple(name for name in coarse if name in requested)
    merged = bool(merging) or set(gold.unique()) <= set(labels.TWO_LABELS)
    rules: dict[str, SetRule] = {}
    for rule in {each.rule for each in given}:
        own = [each.model for each in given if each.rule == rule]
        counted = {
            model.name: tables[model.name]
            for model in own
            if counts_for_rule_choice(str(model.card["given"]), baseline=model.baseline)
        }
        rules |= dict.fromkeys((model.name for model in own), choose_set_rule(rule, counted, merged=merged))
    left_out = frozenset() if merging else frozenset(coarse)
    return LabelDecisions(labels.merge_labels(gold) if merging else gold, merging, left_out, rules)


@dataclass(frozen=True)
class AlignedSet:
    """The predictions of all models on one set, each aligned with the pairs once."""

    decisions: LabelDecisions
    models: tuple[RunModel, ...]
    aligned: Mapping[str, AlignedPredictions]
    rules: Mapping[str, str]  # that was applied to each model
    label_rules: Mapping[str, str]  # the rule applied to each model, in words

    @property
    def remarks(self) -> tuple[str, ...]:
        """List the remarks on the rules, each once."""
        return tuple(dict.fromkeys(text for rule in self.decisions.rules.values() for text in rule.remarks))

    def to_results(self, name: str, card: Mapping[str, Any], file: Path) -> SetResults:
        """Keep what reports need."""
        tables = {model: aligned.table for model, aligned in self.aligned.items()}
        label_rule = _describe_label_rules(self.models, self.label_rules)
        return SetResults(name, card, file, self.models, label_rule, tables, self.rules, self.remarks)


def align_set_predictions(pairs: pl.DataFrame, given: Sequence[ModelPredictions]) -> AlignedSet:
    """Align the predictions of all models with the pairs of a set, and reduce them to the same labels."""
    decisions = decide_label_merging(pairs, given)
    shown = [each for each in given if each.model.name not in decisions.left_out]
    aligned: dict[str, AlignedPredictions] = {}
    rules: dict[str, str] = {}
    for model, _, given_table, path in shown:
        table = predict_majority_label(pairs, decisions.gold) if model.is_majority else given_table
        rules[model.name] = decisions.rules[model.name].choose_model_rule(table, baseline=model.baseline)
        aligned[model.name] = align_predictions(
            pairs, table, rule=rules[model.name], path=path, merge=bool(decisions.merging)
        )
    described = {name: decisions.rules[name].describe(each.label_rule) for name, each in aligned.items()}
    return AlignedSet(decisions, tuple(each.model for each in shown), aligned, rules, described)


def predict_majority_label(pairs: pl.DataFrame, gold: pl.Series) -> pl.DataFrame:
    """Predict the most frequent gold label for every pair."""
    return pairs.select(pl.col("id").cast(pl.String), label=pl.lit(find_majority_label(gold)))


def _describe_label_rules(models: Sequence[RunModel], rules: Mapping[str, str]) -> str:
    """Describe how labels were compared: in one sentence, or by model where runs differ."""
    shown = [model.name for model in models if not model.baseline] or list(rules)
    if len({rules[name] for name in shown}) == 1:
        return rules[shown[0]]
    return "; ".join(f"{name}: {rules[name]}" for name in shown)
