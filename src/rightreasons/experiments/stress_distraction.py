"""`stress-distraction`: trained with the clause of the negation test, asked that test and another clause (Table 5)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rightreasons.experiments import stress
from rightreasons.experiments.plan import Experiment
from rightreasons.experiments.tables import TableHeading, lying
from rightreasons.reports import published

if TYPE_CHECKING:
    from rightreasons.experiments.found import ExperimentResults
    from rightreasons.experiments.plan import ExperimentPart, Setting, Test
    from rightreasons.experiments.tables import ExperimentTable, FigureRow, Value

DOUBLED = "distract:test=negation,keep=true"
OF = "with the clause"
OTHER = "green is not red"
NEGATION, GREEN = "negation", "green_is_not_red"
TESTS = {published.DEV: "dev", NEGATION: "false is not true", GREEN: OTHER}
MODELS = ("bilstm", "nb")


def tests(setting: Setting) -> list[Test]:  # noqa: ARG001 - the same for all models
    """Ask the dev sets, the negation test, and one with another clause."""
    own = stress.made(NEGATION, "stress/negation")
    return [*stress.devs(), *own, *stress.made(GREEN, "stress/negation", tautology=OTHER)]


def parts(setting: Setting) -> list[ExperimentPart]:
    """Train each model on MultiNLI as it is, and doubled by pairs with the clause of the negation test."""
    asked = tests(setting)
    return [
        stress.part(model, seed, asked, **how)
        for model in setting.models
        for how in ({}, {"edits": (DOUBLED,), "of": OF})
        for seed in setting.seeds
    ]


def tables(found: ExperimentResults) -> list[ExperimentTable]:
    """Show Table 5, with the models that were trained without the clause above it."""
    columns = {
        stress.column(test, split): f"{shown}, {stress.SHORT[split]}"
        for test, shown in TESTS.items()
        for split in stress.SPLITS
    }
    ours = [_line(found, row) for row in found.rows]
    five = published.rows("stress_more", ["5"])
    has = {row.model for row in five}
    plain = [row for row in published.rows("stress", ["3"]) if row.model in has]
    paper = [*stress.having(stress.printed(plain), columns), *stress.printed(five)]
    caption = f"Accuracy on the dev sets as they are, and with a clause after each hypothesis {stress.ENDS}."
    title = "Trained with a distracting clause: Table 5 of the paper"
    heading = TableHeading("stress-distraction", title, caption)
    notes = (stress.NAMES, stress.made_from(found))
    return [lying(heading, columns, [_only(line, columns) for line in paper] + ours, notes)]


def _only(line: FigureRow, columns: dict[str, str]) -> FigureRow:
    return replace(line, values={key: value for key, value in line.values.items() if key in columns})


def _line(found: ExperimentResults, row: str) -> FigureRow:
    values: dict[str, Value] = {}
    for test in TESTS:
        for split in stress.SPLITS:
            asked = stress.dev_name(split) if test == published.DEV else stress.name(test, split)
            values[stress.column(test, split)] = found.accuracy(row, asked)
    doubled = any(part.edits for part, _ in found.parts(row))
    return found.line(row, values, f"{found.trained_on(row)}{', doubled' if doubled else ''}")


EXPERIMENT = Experiment(
    "stress-distraction",
    "trained with a distracting clause, asked it and another",
    tests,
    parts,
    tables,
    models=stress.beside(MODELS),
    paper_models=MODELS,
    notes=(stress.CORRECTED,),
)
