"""`hans-main`: trained on MultiNLI, tested on HANS by heuristic (Table 3) and by subcase (Tables 9 and 10).

The other HANS experiments change the training data and use the test sets and tables of this one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rightreasons.core.labels import TWO_LABELS
from rightreasons.experiments.declaration import Experiment, ExperimentPart, TestSet
from rightreasons.experiments.learners import CHEAP_MODELS, find_learner
from rightreasons.experiments.tables import (
    ExperimentTable,
    merge_rows,
    read_published_notes,
    read_published_rows,
)
from rightreasons.reports.exhibits.published_comparison import TableHeading
from rightreasons.reports.published import name_figure_column
from rightreasons.scoring.accuracy import ALL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rightreasons.experiments.declaration import Setting
    from rightreasons.experiments.results import ExperimentResults
    from rightreasons.reports.exhibits.published_comparison import FigureRow, FigureValue

HANS, DEV, PARSED_DEV = "hans", "mnli_dev_matched", "mnli_dev_matched_parsed"
PAPER_MODELS = ("da", "esim", "spinn", "bert")
_SHORT_NAMES = {"lexical_overlap": "lexical", "subsequence": "subseq.", "constituent": "const."}
CELLS = {
    name_figure_column(heuristic, gold): f"{short_name}, {gold}"
    for gold in TWO_LABELS
    for heuristic, short_name in _SHORT_NAMES.items()
}
MNLI = "mnli"
COLUMNS = {MNLI: "MNLI", **CELLS}
RULE = (
    "Accuracy by heuristic and gold label. The most probable of three labels is the prediction; neutral and "
    "contradiction count as non-entailment."
)
NOT_TEST = "MNLI is the matched dev set here, and the test set in the paper."


class HansExperiment(Experiment):
    """What the HANS experiments share: their test sets."""

    def test_sets(self, setting: Setting) -> list[TestSet]:
        """HANS and the matched dev set of MultiNLI, with parses for models that read trees."""
        tests = [TestSet(HANS, set="hans-released", role="hans-eval")]
        if any(not find_learner(model).reads_parses for model in setting.models):
            tests.append(TestSet(DEV, role="mnli-dev-matched"))
        if any(find_learner(model).reads_parses for model in setting.models):
            tests.append(TestSet(PARSED_DEV, role="parsed-dev-matched", parses=True))
        return tests


class HansMain(HansExperiment):
    """HANS after training on MultiNLI: Tables 3, 9 and 10 of the paper."""

    name = "hans-main"
    about = "trained on MultiNLI, tested on HANS"
    models = (*CHEAP_MODELS, "spinn", "minilm")
    paper_models = PAPER_MODELS

    def parts(self, setting: Setting) -> list[ExperimentPart]:
        """Train each model on MultiNLI without changes."""
        return [make_hans_part(model, seed) for model in setting.models for seed in setting.seeds]

    def tables(self, results: ExperimentResults) -> list[ExperimentTable]:
        """Build Table 3 by heuristic, then Tables 9 and 10 by subcase."""
        heading = TableHeading(self.name, "HANS by heuristic: Table 3 of the paper", RULE)
        ours = [results.make_row(row, read_hans_cells(results, row)) for row in results.rows]
        notes = (NOT_TEST, *read_published_notes("hans", ["3"], CELLS))
        rows = [*read_table_3(), *ours]
        by_heuristic = ExperimentTable.build_with_models_as_rows(heading, COLUMNS, rows, notes)
        return [by_heuristic, make_subcase_table(results)]


def make_hans_part(model: str, seed: int, **more: Any) -> ExperimentPart:
    """Train a model on MultiNLI, and test it on HANS and the dev set."""
    trees = find_learner(model).reads_parses
    dev = PARSED_DEV if trees else DEV
    train = "parsed-train" if trees else "mnli-train"
    return ExperimentPart(model, train, seed, tests=(HANS, dev), claim=dev, **more)


def read_table_3() -> list[FigureRow]:
    """Read Table 3, with the accuracies on MultiNLI."""
    return merge_rows([*read_published_rows("hans", ["3"]), *read_published_rows("hans_more", ["3"])])


def read_hans_cells(results: ExperimentResults, row: str) -> dict[str, FigureValue]:
    """The accuracies of a row by heuristic and gold label, and on MultiNLI."""
    dev = next(part.claim for part, _ in results.list_parts(row))
    by_heuristic = results.compute_accuracies(row, HANS, "heuristic")
    cells = {
        name_figure_column(tag, gold): value for (tag, gold), value in by_heuristic.items() if gold != ALL
    }
    return {MNLI: results.compute_accuracy(row, dev), **cells}


def make_subcase_table(results: ExperimentResults) -> ExperimentTable:
    """Build Tables 9 and 10: a row per subcase of HANS."""
    pairs = results.read_pairs(HANS).select("heuristic", "subcase", "label").unique(maintain_order=True)
    columns = {
        name_figure_column(subcase, gold): f"{subcase} ({heuristic}, {gold})"
        for heuristic, subcase, gold in pairs.iter_rows()
    }
    title = "HANS by subcase: Tables 9 and 10 of the paper"
    heading = TableHeading("hans-subcases", title, "Accuracy by subcase.", "subcase")
    rows: Sequence[FigureRow] = [
        *read_published_rows("hans", ["9", "10"], cited="Tables 9 and 10"),
        *(results.make_row(row, _read_subcase_cells(results, row)) for row in results.rows),
    ]
    notes = read_published_notes("hans", ["9", "10"], columns)
    return ExperimentTable.build_with_models_as_columns(heading, columns, rows, notes)


def _read_subcase_cells(results: ExperimentResults, row: str) -> dict[str, FigureValue]:
    by_subcase = results.compute_accuracies(row, HANS, "subcase")
    return {
        name_figure_column(subcase, gold): value
        for (subcase, gold), value in by_subcase.items()
        if gold != ALL
    }
