"""`pairs-random`: trained on MNLI, SNLI or SICK, tested on pairs of unrelated sentences (Table 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.core.labels import CONTRADICTION, ENTAILMENT
from rightreasons.experiments import pairs_common
from rightreasons.experiments.declaration import Experiment
from rightreasons.experiments.results import compute_mean_accuracy, measure_predicted_share
from rightreasons.experiments.tables import ExperimentTable, merge_rows, read_published_rows
from rightreasons.reports.exhibits.published_comparison import TableHeading

if TYPE_CHECKING:
    from rightreasons.experiments.declaration import ExperimentPart, Setting, TestSet
    from rightreasons.experiments.results import ExperimentResults
    from rightreasons.reports.exhibits.published_comparison import FigureRow, FigureValue

LIMIT = 5_000  # of each of the two sets
BOTH = pairs_common.name_neutral_column("random_pair")
CITED = "Table 1 and Appendix Table 1"
SHARES = (
    "Proportions of the predictions. In the paper, models trained on MNLI predict contradiction for over 32.8% of the "
    "pairs and models trained on SNLI for over 69.3%, and at most 77.6%."
)


class PairsRandom(Experiment):
    """Random Pair: Table 1 of the paper."""

    name = "pairs-random"
    about = "trained on MNLI, SNLI or SICK, tested on Random Pair"
    models = pairs_common.MODELS
    paper_models = pairs_common.PAPER_MODELS
    notes = (pairs_common.STANDS_IN,)

    def test_sets(self, setting: Setting) -> list[TestSet]:
        """Both sets of Random Pair, and the test sets of the training corpora."""
        random = pairs_common.make_random_tests(setting, LIMIT)
        return [*random, *pairs_common.list_own_test_sets(pairs_common.CORPORA)]

    def parts(self, setting: Setting) -> list[ExperimentPart]:
        """Train each model on each corpus."""
        return pairs_common.make_parts_per_corpus(setting, self.test_sets(setting))

    def tables(self, results: ExperimentResults) -> list[ExperimentTable]:
        """Build Table 1 on Random Pair, then a table of the labels that are predicted instead of neutral."""
        columns = {pairs_common.OWN: "own test", BOTH: "Random Pair"}
        columns |= {test: f"premises of {test[-4:].upper()}" for test in pairs_common.RANDOM.values()}
        heading = TableHeading(self.name, "Random Pair: Table 1 of the paper", pairs_common.RULE)
        ours = [results.make_row(row, _read_random_cells(results, row)) for row in results.rows]
        notes = ("Random Pair is the mean of its two sets, as in the paper.", pairs_common.OWN_NOTE)
        rows = [*_read_table_1(), *ours]
        accuracies = ExperimentTable.build_with_models_as_rows(heading, columns, rows, notes)
        return [accuracies, _make_neutral_share_table(results)]


def _read_table_1() -> list[FigureRow]:
    table = read_published_rows("pairs", ["1"], cited=CITED)
    return merge_rows([*table, *read_published_rows("pairs_more", ["Appendix Table 1"], cited=CITED)])


def _read_random_cells(results: ExperimentResults, row: str) -> dict[str, FigureValue]:
    each = {test: results.compute_accuracy(row, test) for test in pairs_common.RANDOM.values()}
    mean = compute_mean_accuracy(results, row, list(each))
    own = pairs_common.compute_own_accuracy(results, row)
    return {pairs_common.OWN: own, **each, **({BOTH: mean} if mean else {})}


def _make_neutral_share_table(results: ExperimentResults) -> ExperimentTable:
    cells = {
        f"{test}/{label}": (test, label)
        for label in (CONTRADICTION, ENTAILMENT)
        for test in pairs_common.RANDOM.values()
    }
    columns = {key: f"{label}, premises of {test[-4:].upper()}" for key, (test, label) in cells.items()}
    ours = []
    for row in results.rows:
        shares = {
            key: measure_predicted_share(results, row, test, label) for key, (test, label) in cells.items()
        }
        ours.append(results.make_row(row, {key: share for key, share in shares.items() if share}))
    heading = TableHeading("pairs-random-called", "Labels predicted for random pairs", SHARES)
    return ExperimentTable.build_with_models_as_rows(heading, columns, ours)
