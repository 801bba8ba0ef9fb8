"""`hans-augmented`: MultiNLI plus HANS-like pairs, none of them with a premise of HANS itself (Table 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.experiments import hans
from rightreasons.experiments.hans_main import subcases
from rightreasons.experiments.plan import Experiment
from rightreasons.experiments.tables import TableHeading, lying, published_lines

if TYPE_CHECKING:
    from rightreasons.experiments.found import ExperimentResults
    from rightreasons.experiments.plan import ExperimentPart, Setting
    from rightreasons.experiments.tables import ExperimentTable

LABEL = (
    "HANS-like pairs have two labels; in training, non-entailment is called neutral, which is what these sentences "
    "mean. The paper doesn't say what it did."
)


def parts(setting: Setting) -> list[ExperimentPart]:
    """Train each model without and with HANS-like pairs."""
    added = f"augment:size={setting.scale.augmented}"
    return [
        hans.part(model, seed, **how)
        for model in setting.models
        for how in ({}, {"edits": (added,), "of": "augmented"})
        for seed in setting.seeds
    ]


def tables(found: ExperimentResults) -> list[ExperimentTable]:
    """Show Table 4, with the rows of Table 3 above it, and our rows by subcase."""
    ours = [found.line(row, hans.cells(found, row), _trained_on(found, row)) for row in found.rows]
    paper = hans.table_3() + published_lines("hans", ["4"])
    title = "HANS after training with HANS-like pairs: Table 4 of the paper"
    main = lying(
        TableHeading("hans-augmented", title, hans.RULE), hans.COLUMNS, [*paper, *ours], (hans.NOT_TEST,)
    )
    return [main, subcases(found)]


def _trained_on(found: ExperimentResults, row: str) -> str:
    augmented = any(part.edits for part, _ in found.parts(row))
    more = f" + {found.setting.scale.augmented:,} HANS-like" if augmented else ""
    return f"{found.trained_on(row)}{more}"


EXPERIMENT = Experiment(
    "hans-augmented",
    "MultiNLI plus HANS-like pairs",
    hans.tests,
    parts,
    tables,
    models=hans.MODELS,
    paper_models=hans.PAPER_MODELS,
    notes=(LABEL,),
)
