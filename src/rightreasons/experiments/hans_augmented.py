"""`hans-augmented`: MultiNLI plus HANS-like pairs, none of them with a premise of HANS itself (Table 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.experiments import hans_main
from rightreasons.experiments.tables import ExperimentTable, read_published_rows
from rightreasons.reports.exhibits.published_comparison import TableHeading

if TYPE_CHECKING:
    from rightreasons.experiments.declaration import ExperimentPart, Setting
    from rightreasons.experiments.results import ExperimentResults

LABEL = (
    "HANS-like pairs have two labels; in training, non-entailment is replaced by neutral, because the "
    "hypotheses are neutral given their premises. The paper does not state what it did."
)


class HansAugmented(hans_main.HansExperiment):
    """HANS after training with HANS-like pairs: Table 4 of the paper."""

    name = "hans-augmented"
    about = "MultiNLI plus HANS-like pairs"
    models = hans_main.HansMain.models
    paper_models = hans_main.PAPER_MODELS
    notes = (LABEL,)

    def parts(self, setting: Setting) -> list[ExperimentPart]:
        """Train each model without and with HANS-like pairs."""
        augment = f"augment:size={setting.scale.augmented}"
        return [
            hans_main.make_hans_part(model, seed, **how)
            for model in setting.models
            for how in ({}, {"edits": (augment,), "variant": "augmented"})
            for seed in setting.seeds
        ]

    def tables(self, results: ExperimentResults) -> list[ExperimentTable]:
        """Build Table 4, with HANS-like pairs, below the rows of Table 3, and a table of our rows by subcase."""
        title = "HANS after training with HANS-like pairs: Table 4 of the paper"
        heading = TableHeading(self.name, title, hans_main.RULE)
        rows = [
            *hans_main.read_table_3(),
            *read_published_rows("hans", ["4"]),
            *(
                results.make_row(
                    row, hans_main.read_hans_cells(results, row), _describe_augmented_training(results, row)
                )
                for row in results.rows
            ),
        ]
        by_heuristic = ExperimentTable.build_with_models_as_rows(
            heading, hans_main.COLUMNS, rows, (hans_main.NOT_TEST,)
        )
        return [by_heuristic, hans_main.make_subcase_table(results)]


def _describe_augmented_training(results: ExperimentResults, row: str) -> str:
    augmented = any(part.edits for part, _ in results.list_parts(row))
    more = f" + {results.setting.scale.augmented:,} HANS-like" if augmented else ""
    return f"{results.describe_training(row)}{more}"
