"""`pairs-simple`: trained on MNLI, SNLI or SICK, tested on simple sentences and two of them joined (Tables 2, 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.experiments import pairs_common
from rightreasons.experiments.declaration import Experiment
from rightreasons.experiments.tables import ExperimentTable, merge_rows, read_published_rows
from rightreasons.reports import published
from rightreasons.reports.exhibits.published_comparison import TableHeading

if TYPE_CHECKING:
    from rightreasons.experiments.declaration import ExperimentPart, Setting, TestSet
    from rightreasons.experiments.results import ExperimentResults

LIMIT = 10_000  # a thousand of each kind
CITED = "Table 2 and Appendix Table 1"
LOST = "Two figures of RoBERTa on SICK in Table 3 are not legible in the paper's text."


class PairsSimple(Experiment):
    """Simple Pair: Tables 2 and 3 of the paper."""

    name = "pairs-simple"
    about = "trained on MNLI, SNLI or SICK, tested on Simple Pair"
    models = pairs_common.MODELS
    paper_models = pairs_common.PAPER_MODELS
    notes = (pairs_common.STANDS_IN,)

    def test_sets(self, setting: Setting) -> list[TestSet]:
        """Simple Pair, and the test sets of the training corpora."""
        simple = pairs_common.make_simple_test(setting, LIMIT)
        return [simple, *pairs_common.list_own_test_sets(pairs_common.CORPORA)]

    def parts(self, setting: Setting) -> list[ExperimentPart]:
        """Train each model on each corpus."""
        return pairs_common.make_parts_per_corpus(setting, self.test_sets(setting))

    def tables(self, results: ExperimentResults) -> list[ExperimentTable]:
        """Build Table 2 for single sentences, then Table 3 for two joined."""
        return [_make_sentence_table(results), _make_joined_table(results)]


def _make_sentence_table(results: ExperimentResults) -> ExperimentTable:
    columns = {pairs_common.OWN: "own test", **pairs_common.make_subset_headings(published.SENTENCES)}
    ours = []
    for row in results.rows:
        own = pairs_common.compute_own_accuracy(results, row)
        cells = pairs_common.read_simple_cells(results, row, published.SENTENCES)
        ours.append(results.make_row(row, {pairs_common.OWN: own, **cells}))
    own_rows = read_published_rows("pairs_more", ["Appendix Table 1"], cited=CITED)
    paper = merge_rows([*read_published_rows("pairs", ["2"], cited=CITED), *own_rows])
    title = "Simple Pair, one sentence: Table 2 of the paper"
    heading = TableHeading("pairs-simple", title, pairs_common.RULE)
    notes = (pairs_common.OWN_NOTE,)
    return ExperimentTable.build_with_models_as_rows(heading, columns, [*paper, *ours], notes)


def _make_joined_table(results: ExperimentResults) -> ExperimentTable:
    columns = pairs_common.make_subset_headings(published.JOINED)
    ours = [
        results.make_row(row, pairs_common.read_simple_cells(results, row, published.JOINED))
        for row in results.rows
    ]
    title = "Simple Pair, two sentences joined: Table 3 of the paper"
    heading = TableHeading("pairs-joined", title, pairs_common.RULE)
    rows = [*read_published_rows("pairs", ["3"]), *ours]
    return ExperimentTable.build_with_models_as_rows(heading, columns, rows, (LOST,))
