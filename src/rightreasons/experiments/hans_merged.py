"""`hans-merged`: neutral and contradiction merged before training (Table 11)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.experiments import hans_main
from rightreasons.experiments.learners import CHEAP_MODELS
from rightreasons.experiments.tables import ExperimentTable, read_published_rows
from rightreasons.reports.exhibits.published_comparison import TableHeading

if TYPE_CHECKING:
    from rightreasons.experiments.declaration import ExperimentPart, Setting
    from rightreasons.experiments.results import ExperimentResults

TWO_LABELS = "For models trained on two labels, the accuracy on MNLI is that on two labels."


class HansMerged(hans_main.HansExperiment):
    """HANS after training on two labels: Table 11 of the paper."""

    name = "hans-merged"
    about = "neutral and contradiction merged before training"
    models = (*CHEAP_MODELS, "spinn")
    paper_models = hans_main.PAPER_MODELS

    def parts(self, setting: Setting) -> list[ExperimentPart]:
        """Train each model on MultiNLI with three labels and with two."""
        return [
            hans_main.make_hans_part(model, seed, **how)
            for model in setting.models
            for how in ({"variant": "three labels"}, {"edits": ("merge",), "variant": "merged"})
            for seed in setting.seeds
        ]

    def tables(self, results: ExperimentResults) -> list[ExperimentTable]:
        """Build Table 11, training on two labels, below the rows of Table 3."""
        title = "HANS after training on two labels: Table 11 of the paper"
        heading = TableHeading(self.name, title, hans_main.RULE)
        rows = [
            *hans_main.read_table_3(),
            *read_published_rows("hans", ["11"]),
            *(results.make_row(row, hans_main.read_hans_cells(results, row)) for row in results.rows),
        ]
        notes = (hans_main.NOT_TEST, TWO_LABELS)
        return [ExperimentTable.build_with_models_as_rows(heading, hans_main.COLUMNS, rows, notes)]
