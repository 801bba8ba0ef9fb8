"""`hans-dose`: how many pairs that contradict the heuristics it takes, which the paper leaves open (footnote 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.experiments import hans
from rightreasons.experiments.hans_augmented import LABEL
from rightreasons.experiments.learners import EVERYWHERE
from rightreasons.experiments.plan import Experiment
from rightreasons.experiments.tables import TableHeading, lying, published_lines

if TYPE_CHECKING:
    from rightreasons.experiments.found import ExperimentResults
    from rightreasons.experiments.plan import ExperimentPart, Setting
    from rightreasons.experiments.tables import ExperimentTable

ONE_SIDED = (
    "Only pairs that contradict the heuristics (non-entailment) are added, so a model may also learn to call all "
    "HANS-like pairs not entailed: read both labels together."
)


def parts(setting: Setting) -> list[ExperimentPart]:
    """Train each model with more and more contradicting pairs."""
    return [
        hans.part(model, seed, edits=_edits(dose), of=_named(dose), size=setting.scale.many_pairs)
        for model in setting.models
        for dose in setting.scale.doses
        for seed in setting.seeds
    ]


def _edits(dose: int) -> tuple[str, ...]:
    return (f"augment:size={dose},only=non-entailment",) if dose else ()


def _named(dose: int) -> str:
    return f"{dose:,} contradicting" if dose else ""


def tables(found: ExperimentResults) -> list[ExperimentTable]:
    """Show the cells of Table 3 by dose; no table of the paper has these figures, so its ends stand above."""
    ours = [found.line(row, hans.cells(found, row), _trained_on(found, row)) for row in found.rows]
    paper = hans.table_3() + published_lines("hans", ["4"])
    title = "HANS by the number of contradicting training pairs"
    notes = (ONE_SIDED, hans.NOT_TEST, "The paper's second rows are of 30,000 pairs, half of them entailed.")
    return [lying(TableHeading("hans-dose", title, hans.RULE), hans.COLUMNS, [*paper, *ours], notes)]


def _trained_on(found: ExperimentResults, row: str) -> str:
    part, _ = found.parts(row)[0]
    return f"{found.trained_on(row)}{f' + {part.of}' if part.of else ''}"


EXPERIMENT = Experiment(
    "hans-dose",
    "how many contradicting pairs it takes",
    hans.tests,
    parts,
    tables,
    models=EVERYWHERE,
    paper_models=hans.PAPER_MODELS,
    notes=(LABEL,),
)
