"""`stress-distraction`: trained with the clause of the negation test, tested with it and another clause (Table 5)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rightreasons.experiments import stress_main
from rightreasons.experiments.declaration import Experiment
from rightreasons.experiments.learners import CHEAP_MODELS
from rightreasons.experiments.tables import ExperimentTable
from rightreasons.reports import published
from rightreasons.reports.exhibits.published_comparison import TableHeading

if TYPE_CHECKING:
    from collections.abc import Collection

    from rightreasons.experiments.declaration import ExperimentPart, Setting, TestSet
    from rightreasons.experiments.results import ExperimentResults
    from rightreasons.reports.exhibits.published_comparison import FigureRow

DOUBLED = "distract:test=negation,keep=true"
OTHER_CLAUSE = "green is not red"
NEGATION, GREEN = "negation", "green_is_not_red"
TESTS = {published.DEV: "dev", NEGATION: "false is not true", GREEN: OTHER_CLAUSE}
MODELS = ("bilstm", "nb")


class StressDistraction(Experiment):
    """Training with a distracting clause: Table 5 of the paper."""

    name = "stress-distraction"
    about = "trained with a distracting clause, tested with it and another"
    models = tuple(dict.fromkeys([*MODELS, *CHEAP_MODELS]))
    paper_models = MODELS
    notes = (stress_main.CORRECTED,)

    def test_sets(self, setting: Setting) -> list[TestSet]:  # noqa: ARG002 - the same for all models
        """The dev sets, the negation test, and a test with another clause."""
        return [
            *stress_main.list_dev_sets(),
            *stress_main.make_stress_tests(NEGATION, "stress/negation"),
            *stress_main.make_stress_tests(GREEN, "stress/negation", tautology=OTHER_CLAUSE),
        ]

    def parts(self, setting: Setting) -> list[ExperimentPart]:
        """Train each model on MultiNLI, and on MultiNLI doubled by pairs with the clause of the negation test."""
        tests = self.test_sets(setting)
        return [
            stress_main.make_stress_part(model, seed, tests, **how)
            for model in setting.models
            for how in ({}, {"edits": (DOUBLED,), "variant": "with the clause"})
            for seed in setting.seeds
        ]

    def tables(self, results: ExperimentResults) -> list[ExperimentTable]:
        """Build Table 5 below the same models trained without the clause."""
        columns = {
            stress_main.name_column(test, split): f"{text}, {stress_main.SPLIT_HEADINGS[split]}"
            for test, text in TESTS.items()
            for split in stress_main.SPLITS
        }
        caption = (
            "Accuracy on the dev sets without changes, and with a clause appended to each hypothesis "
            f"{stress_main.ABBREVIATIONS}."
        )
        title = "Trained with a distracting clause: Table 5 of the paper"
        heading = TableHeading(self.name, title, caption)
        ours = [_make_distraction_row(results, row) for row in results.rows]
        notes = (stress_main.NAMES, stress_main.describe_test_sources(results))
        rows = [*_read_table_5(columns), *ours]
        return [ExperimentTable.build_with_models_as_rows(heading, columns, rows, notes)]


def _read_table_5(columns: Collection[str]) -> list[FigureRow]:
    """Read Table 5, with the rows of the same models in Table 3."""
    distracted = published.read_rows("stress_more", ["5"])
    models = {row.model for row in distracted}
    plain = [row for row in published.read_rows("stress", ["3"]) if row.model in models]
    return [
        replace(row, values={key: value for key, value in row.values.items() if key in columns})
        for row in (*stress_main.merge_splits(plain), *stress_main.merge_splits(distracted))
        if set(columns) & set(row.values)
    ]


def _make_distraction_row(results: ExperimentResults, row: str) -> FigureRow:
    names = {
        stress_main.name_column(test, split): (
            stress_main.name_dev_set(split)
            if test == published.DEV
            else stress_main.name_stress_test(test, split)
        )
        for test in TESTS
        for split in stress_main.SPLITS
    }
    values = {column: results.compute_accuracy(row, name) for column, name in names.items()}
    doubled = any(part.edits for part, _ in results.list_parts(row))
    return results.make_row(row, values, f"{results.describe_training(row)}{', doubled' if doubled else ''}")
