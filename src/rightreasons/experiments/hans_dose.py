"""`hans-dose`: the number of pairs against the heuristics that it takes, which the paper leaves open (footnote 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.experiments import hans_main
from rightreasons.experiments.hans_augmented import LABEL
from rightreasons.experiments.learners import CHEAP_MODELS
from rightreasons.experiments.tables import ExperimentTable, read_published_rows
from rightreasons.reports.exhibits.published_comparison import TableHeading

if TYPE_CHECKING:
    from rightreasons.experiments.declaration import ExperimentPart, Setting
    from rightreasons.experiments.results import ExperimentResults

ONE_SIDED = (
    "Only pairs that contradict the heuristics (non-entailment) are added, so a model may also learn to predict "
    "non-entailment for all HANS-like pairs: read both labels together."
)


class HansDose(hans_main.HansExperiment):
    """The cells of Table 3 by the number of added pairs."""

    name = "hans-dose"
    about = "how many contradicting pairs it takes"
    models = CHEAP_MODELS
    paper_models = hans_main.PAPER_MODELS
    notes = (LABEL,)

    def parts(self, setting: Setting) -> list[ExperimentPart]:
        """Train each model with an increasing number of contradicting pairs."""
        size = setting.scale.many_pairs
        return [
            hans_main.make_hans_part(model, seed, **_make_dose_fields(dose), size=size)
            for model in setting.models
            for dose in setting.scale.doses
            for seed in setting.seeds
        ]

    def tables(self, results: ExperimentResults) -> list[ExperimentTable]:
        """Our figures by dose; the paper has no such table, so Tables 3 and 4 stand above as the two extremes."""
        title = "HANS by the number of contradicting training pairs"
        heading = TableHeading(self.name, title, hans_main.RULE)
        rows = [
            *hans_main.read_table_3(),
            *read_published_rows("hans", ["4"]),
            *(
                results.make_row(
                    row, hans_main.read_hans_cells(results, row), _describe_dosed_training(results, row)
                )
                for row in results.rows
            ),
        ]
        halves = (
            "The second row of each model from the paper is for 30,000 added pairs, half of them entailed."
        )
        notes = (ONE_SIDED, hans_main.NOT_TEST, halves)
        return [ExperimentTable.build_with_models_as_rows(heading, hans_main.COLUMNS, rows, notes)]


def _make_dose_fields(dose: int) -> dict[str, object]:
    if not dose:
        return {}
    edit = f"augment:size={dose},only=non-entailment"
    return {"edits": (edit,), "variant": f"{dose:,} contradicting"}


def _describe_dosed_training(results: ExperimentResults, row: str) -> str:
    part, _ = results.list_parts(row)[0]
    return f"{results.describe_training(row)}{f' + {part.variant}' if part.variant else ''}"
