"""`hans-merged`: neutral and contradiction merged before training (Table 11)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.experiments import hans
from rightreasons.experiments.learners import EVERYWHERE
from rightreasons.experiments.plan import Experiment
from rightreasons.experiments.tables import TableHeading, lying, published_lines

if TYPE_CHECKING:
    from rightreasons.experiments.found import ExperimentResults
    from rightreasons.experiments.plan import ExperimentPart, Setting
    from rightreasons.experiments.tables import ExperimentTable

MERGED = "merged"
TWO_LABELS = "Of the models trained on two labels, the accuracy on MNLI is that on two labels."


def parts(setting: Setting) -> list[ExperimentPart]:
    """Train each model on MultiNLI with three labels and with two."""
    return [
        hans.part(model, seed, **how)
        for model in setting.models
        for how in ({"of": "three labels"}, {"edits": ("merge",), "of": MERGED})
        for seed in setting.seeds
    ]


def tables(found: ExperimentResults) -> list[ExperimentTable]:
    """Show Table 11, with the rows of Table 3 above it."""
    ours = [found.line(row, hans.cells(found, row)) for row in found.rows]
    paper = hans.table_3() + published_lines("hans", ["11"])
    title = "HANS after training on two labels: Table 11 of the paper"
    return [
        lying(
            TableHeading("hans-merged", title, hans.RULE),
            hans.COLUMNS,
            [*paper, *ours],
            (hans.NOT_TEST, TWO_LABELS),
        )
    ]


EXPERIMENT = Experiment(
    "hans-merged",
    "neutral and contradiction merged before training",
    hans.tests,
    parts,
    tables,
    models=(*EVERYWHERE, "spinn"),
    paper_models=hans.PAPER_MODELS,
)
