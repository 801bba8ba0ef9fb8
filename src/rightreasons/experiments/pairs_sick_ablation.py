"""`pairs-sick-rules`: SICK without the pairs of one expansion rule at a time (Table 4)."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.experiments import pairs_common
from rightreasons.experiments.declaration import Experiment
from rightreasons.experiments.learners import TRANSFORMER, find_learner
from rightreasons.experiments.results import average_over_parts, measure_accuracy_change
from rightreasons.experiments.tables import ExperimentTable, read_published_notes, read_published_rows
from rightreasons.io.polars_io import read_parquet
from rightreasons.reports import published
from rightreasons.reports.exhibits.published_comparison import FigureRow, FigureValue, TableHeading
from rightreasons.training.edits import apply_edit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rightreasons.experiments.declaration import ExperimentPart, Setting, TestSet
    from rightreasons.experiments.results import ExperimentResults
    from rightreasons.experiments.training_jobs import ExperimentJob

# The paper's rules with their codes in SICK, in the order of its table.
RULES = {
    "unrelated sentences": "unrel",
    "replace words": "lex,so",
    "scramble words": "ws",
    "turn adjectives into relative clauses": "expa",
    "replace quantifiers": "det",
    "change determiners with opposites": "od",
    "add modifiers": "aa",
    "turn active sentences into passive": "top",
    "turn compounds into relative clauses": "expc",
    "turn passive sentences into active": "toa",
    "insert a negation": "inv",
}
FEW = ("unrelated sentences", "replace words", "scramble words")  # the most important ones in the paper
RANDOM_LIMIT, SIMPLE_LIMIT, OWN_LIMIT = 1_000, 3_000, 2_000
FULL = "SICK"
MEAN = "mean"
ONE = (
    "One rule's pairs are left out at a time, and all other pairs are kept; the paper leaves open whether unrelated "
    "pairs were put back for the other rows. Pairs made by two rules are left out with either."
)
LESS = (
    "To save time below the scale of the paper, transformers are trained only on all of SICK and, in turn, without "
    f"each of three rules: {', '.join(FEW[:-1])} and {FEW[-1]}."
)


class PairsSickRules(Experiment):
    """SICK without one expansion rule: Table 4 of the paper."""

    name = "pairs-sick-rules"
    about = "SICK without one expansion rule at a time"
    models = pairs_common.MODELS
    paper_models = ("albert",)
    notes = (pairs_common.STANDS_IN, ONE, LESS)

    def test_sets(self, setting: Setting) -> list[TestSet]:
        """Small samples of Random Pair and Simple Pair, since there are many models, and the test part of SICK."""
        simple = pairs_common.make_simple_test(setting, SIMPLE_LIMIT)
        own = pairs_common.list_own_test_sets(["sick"], pairs_common.get_pair_limit(setting, OWN_LIMIT))
        return [*pairs_common.make_random_tests(setting, RANDOM_LIMIT), simple, *own]

    def parts(self, setting: Setting) -> list[ExperimentPart]:
        """Train each model on all of SICK, and without each rule."""
        tests = self.test_sets(setting)
        return [
            pairs_common.make_pairs_part(setting, model, "sick", seed, tests, **how)
            for model in setting.models
            for how in ({}, *(_make_rule_fields(rule) for rule in _list_dropped_rules(setting, model)))
            for seed in setting.seeds
        ]

    def tables(self, results: ExperimentResults) -> list[ExperimentTable]:
        """Build the accuracies of Table 4, then their changes from all of SICK."""
        paper = sorted(read_published_rows("pairs_more", ["4"]), key=lambda row: row.trained_on != FULL)
        ours = [
            results.make_row(
                row, pairs_common.read_all_cells(results, row), _describe_remaining_pairs(results, row)
            )
            for row in results.rows
        ]
        heading = TableHeading(self.name, "SICK without one rule: Table 4 of the paper", pairs_common.RULE)
        implied = "The paper's row for training on all of SICK is computed from the changes that its Table 4 prints."
        rows, notes = [*paper, *ours], (implied, pairs_common.OWN_NOTE)
        main = ExperimentTable.build_with_models_as_rows(heading, pairs_common.ALL_COLUMNS, rows, notes)
        return [main, _make_change_table(results, paper, ours)]


def _list_dropped_rules(setting: Setting, model: str) -> Sequence[str]:
    scale = setting.scale.name
    few = scale == "tiny" or (scale != "paper" and find_learner(model).trainer == TRANSFORMER)
    return FEW if few else list(RULES)


def _make_rule_fields(rule: str) -> dict[str, object]:
    return {"edits": (f"drop-rule:rules={RULES[rule]}",), "variant": f"{FULL} without: {rule}"}


def _describe_remaining_pairs(results: ExperimentResults, row: str) -> str:
    part, job = results.list_parts(row)[0]
    pairs = read_parquet(job.training.train)
    for edit in part.edits:
        pairs = apply_edit(pairs, edit)
    return f"{pairs.height:,} of sick-train"


def _make_change_table(
    results: ExperimentResults, paper: Sequence[FigureRow], ours: Sequence[FigureRow]
) -> ExperimentTable:
    every = pairs_common.ALL_COLUMNS
    columns = {MEAN: "mean", **{key: text for key, text in every.items() if key != pairs_common.OWN}}
    full = next(row for row in paper if row.trained_on == FULL)
    published_changes = [_subtract_published_row(row, full) for row in paper if row is not full]
    our_changes = [_compute_row_changes(results, row, columns) for row in ours if "without" in row.model]
    heading = TableHeading(
        "pairs-sick-rules-changes",
        "SICK without one rule: changes, as in Table 4 of the paper",
        "Change of accuracy in percentage points relative to training on all of SICK, on the same pairs; the mean is "
        "over the eight columns.",
        shown="points",
    )
    misprints = [note for note in read_published_notes("pairs_more", ["4"], columns) if "doesn't fit" in note]
    notes = ("The paper's changes are recomputed from its accuracies.", *misprints)
    rows = [*published_changes, *our_changes]
    return ExperimentTable.build_with_models_as_rows(heading, columns, rows, notes)


def _subtract_published_row(row: FigureRow, full: FigureRow) -> FigureRow:
    values = {key: FigureValue(value.mean - full.values[key].mean) for key, value in row.values.items()}
    return FigureRow(row.model, _add_mean_column(values), row.source, row.trained_on)


def _compute_row_changes(results: ExperimentResults, row: FigureRow, columns: dict[str, str]) -> FigureRow:
    base = next(part.learner.display_name for part, _ in results.list_parts(row.model)) + f", {FULL}"
    before = {part.seed: job for part, job in results.list_parts(base)}
    values: dict[str, FigureValue] = {}
    for key in columns:
        if key in row.values:
            test, within = _locate_column(key)

            def count(
                part: ExperimentPart, job: ExperimentJob, test: str = test, within: pl.Expr = within
            ) -> FigureValue:
                after, first = (
                    results.read_predictions(either, test).filter(within)
                    for either in (job, before[part.seed])
                )
                return measure_accuracy_change(after["right"], first["right"])

            value = average_over_parts(results, row.model, count)
            values |= {key: value} if value else {}
    return FigureRow(row.model, _add_mean_column(values), row.source, row.trained_on, row.weak)


def _add_mean_column(values: dict[str, FigureValue]) -> dict[str, FigureValue]:
    if not values:
        return {}
    pairs = sum(value.n or 0 for value in values.values()) or None
    return {MEAN: FigureValue(fmean(value.mean for value in values.values()), n=pairs), **values}


def _locate_column(key: str) -> tuple[str, pl.Expr]:
    """The test set of a column, and which of its pairs the column is about."""
    name = published.parse_subset_name(key)
    if name in pairs_common.RANDOM:
        return pairs_common.RANDOM[name], pl.lit(value=True)
    return pairs_common.SIMPLE, {**published.SENTENCES, **published.JOINED_LATER}[name].make_filter()
