"""`stress-spelling`: four kinds of misspelling (Table 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.experiments import stress_main
from rightreasons.experiments.declaration import Experiment
from rightreasons.experiments.learners import CHEAP_MODELS
from rightreasons.experiments.tables import ExperimentTable, read_published_notes
from rightreasons.reports import published
from rightreasons.reports.exhibits.published_comparison import TableHeading
from rightreasons.scoring.accuracy import ALL

if TYPE_CHECKING:
    from rightreasons.experiments.declaration import ExperimentPart, Setting, TestSet
    from rightreasons.experiments.results import ExperimentResults
    from rightreasons.reports.exhibits.published_comparison import FigureRow, FigureValue

SPELLING = "spelling_each"
MODELS = ("nb", "ch", "rc", "infersent")
LITERAL = (
    "The paper explains CH's robustness to misspellings by its character encoder. In CH's released code, a word "
    "outside the training vocabulary is replaced by the unknown token, so the character encoder does not receive its "
    "letters; here it receives them. At the scale of the paper, CH is trained in both ways."
)


class StressSpelling(Experiment):
    """Four kinds of misspelling: Table 8 of the paper."""

    name = "stress-spelling"
    about = "four kinds of misspelling"
    models = tuple(dict.fromkeys([*MODELS, *CHEAP_MODELS]))
    paper_models = MODELS
    notes = (stress_main.CORRECTED, LITERAL)

    def test_sets(self, setting: Setting) -> list[TestSet]:  # noqa: ARG002 - the same for all models
        """The dev sets, and each of them with one word misspelt in four ways."""
        misspelt = stress_main.make_stress_tests(SPELLING, "stress/spelling", variant="each")
        return [*stress_main.list_dev_sets(), *misspelt]

    def parts(self, setting: Setting) -> list[ExperimentPart]:
        """Train each model on MultiNLI; at the scale of the paper, CH also with the mistake of its released code."""
        tests = self.test_sets(setting)
        parts = [
            stress_main.make_stress_part(model, seed, tests)
            for model in setting.models
            for seed in setting.seeds
        ]
        if setting.scale.name == "paper" and "ch" in setting.models:
            literal = {"variant": "as released", "options": {"literal": True}}
            parts += [stress_main.make_stress_part("ch", seed, tests, **literal) for seed in setting.seeds]
        return parts

    def tables(self, results: ExperimentResults) -> list[ExperimentTable]:
        """Build Table 8, with columns for the dev sets."""
        tests = {published.DEV: "dev", **{kind: kind.replace("_", " ") for kind in published.VARIANTS}}
        columns = {
            stress_main.name_column(test, split): f"{text}, {stress_main.SPLIT_HEADINGS[split]}"
            for test, text in tests.items()
            for split in stress_main.SPLITS
        }
        caption = (
            "Accuracy by the type of misspelling: adjacent letters swapped, neighbouring key, in content or function "
            f"words {stress_main.ABBREVIATIONS}."
        )
        heading = TableHeading(self.name, "Misspelt words: Table 8 of the paper", caption)
        ours = [results.make_row(row, _read_spelling_cells(results, row)) for row in results.rows]
        notes = read_published_notes("stress", ["8"], published.VARIANTS)
        notes = (stress_main.NAMES, stress_main.describe_test_sources(results), *notes)
        return [ExperimentTable.build_with_models_as_rows(heading, columns, [*_read_table_8(), *ours], notes)]


def _read_table_8() -> list[FigureRow]:
    """Read Table 8, with the accuracies of the same models on the dev sets from Table 3."""
    spelling = published.read_rows("stress", ["8"])
    models = {row.model for row in spelling}
    dev = [
        row._replace(values={published.DEV: row.values[published.DEV]})
        for row in published.read_rows("stress", ["3"])
        if row.split and row.model in models
    ]
    return stress_main.merge_splits([*dev, *spelling], cited="Tables 3 and 8")


def _read_spelling_cells(results: ExperimentResults, row: str) -> dict[str, FigureValue]:
    cells = {}
    for split in stress_main.SPLITS:
        dev = results.compute_accuracy(row, stress_main.name_dev_set(split))
        cells[stress_main.name_column(published.DEV, split)] = dev
        by_kind = results.compute_accuracies(row, stress_main.name_stress_test(SPELLING, split), "subcase")
        for kind, place in published.VARIANTS.items():
            if (place.value, ALL) in by_kind:
                cells[stress_main.name_column(kind, split)] = by_kind[place.value, ALL]
    return cells
