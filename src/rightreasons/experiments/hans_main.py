"""`hans-main`: trained on MultiNLI, asked HANS, by heuristic (Table 3) and by subcase (Tables 9 and 10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.experiments import hans
from rightreasons.experiments.plan import Experiment
from rightreasons.experiments.tables import TableHeading, lying, published_lines, published_notes, standing
from rightreasons.reports.published import column_of
from rightreasons.scoring.accuracy import ALL

if TYPE_CHECKING:
    from rightreasons.experiments.found import ExperimentResults
    from rightreasons.experiments.plan import ExperimentPart, Setting
    from rightreasons.experiments.tables import ExperimentTable, Value


def parts(setting: Setting) -> list[ExperimentPart]:
    """Train each model on MultiNLI as it is."""
    return [hans.part(model, seed) for model in setting.models for seed in setting.seeds]


def tables(found: ExperimentResults) -> list[ExperimentTable]:
    """Show Table 3, then Tables 9 and 10."""
    ours = [found.line(row, hans.cells(found, row)) for row in found.rows]
    paper = hans.table_3()
    notes = (hans.NOT_TEST, *published_notes("hans", ["3"], hans.CELLS))
    main = lying(
        TableHeading("hans-main", "HANS by heuristic: Table 3 of the paper", hans.RULE),
        hans.COLUMNS,
        [*paper, *ours],
        notes,
    )
    return [main, subcases(found)]


def subcases(found: ExperimentResults) -> ExperimentTable:
    """Show Tables 9 and 10: a row per subcase."""
    pairs = found.pairs(hans.HANS).select("heuristic", "subcase", "label").unique(maintain_order=True)
    columns = {
        column_of(sub, gold): f"{sub} ({heuristic}, {gold})" for heuristic, sub, gold in pairs.iter_rows()
    }
    ours = [found.line(row, _by_subcase(found, row)) for row in found.rows]
    notes = published_notes("hans", ["9", "10"], columns)
    return standing(
        TableHeading(
            "hans-subcases",
            "HANS by subcase: Tables 9 and 10 of the paper",
            "Accuracy by subcase.",
            "subcase",
        ),
        columns,
        [*published_lines("hans", ["9", "10"], cited="Tables 9 and 10"), *ours],
        notes,
    )


def _by_subcase(found: ExperimentResults, row: str) -> dict[str, Value]:
    figures = found.values(row, hans.HANS, "subcase")
    return {column_of(sub, gold): value for (sub, gold), value in figures.items() if gold != ALL}


EXPERIMENT = Experiment(
    "hans-main",
    "trained on MultiNLI, asked HANS",
    hans.tests,
    parts,
    tables,
    models=hans.MODELS,
    paper_models=hans.PAPER_MODELS,
)
