"""`pairs-simple`: trained on MNLI, SNLI or SICK, asked simple sentences and two of them joined (Tables 2 and 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.experiments import pairs
from rightreasons.experiments.plan import Experiment
from rightreasons.experiments.tables import TableHeading, joined_lines, lying, published_lines
from rightreasons.reports import published

if TYPE_CHECKING:
    from rightreasons.experiments.found import ExperimentResults
    from rightreasons.experiments.plan import ExperimentPart, Setting, Test
    from rightreasons.experiments.tables import ExperimentTable

LIMIT = 10_000  # a thousand of each kind
CITED = "Table 2 and Appendix Table 1"
LOST = "Two figures of RoBERTa on SICK in Table 3 can't be read in the paper's text."


def tests(setting: Setting) -> list[Test]:
    """Ask Simple Pair, and the test sets of the training corpora."""
    return [pairs.simple_test(setting, LIMIT), *pairs.own_tests(pairs.CORPORA)]


def parts(setting: Setting) -> list[ExperimentPart]:
    """Train each model on each corpus."""
    return pairs.on_each_corpus(setting, tests(setting))


def tables(found: ExperimentResults) -> list[ExperimentTable]:
    """Show Table 2, then Table 3."""
    return [_sentences(found), _joined(found)]


def _sentences(found: ExperimentResults) -> ExperimentTable:
    columns = {pairs.OWN: "own test", **pairs.headed(published.SENTENCES)}
    ours = [
        found.line(
            row,
            {
                pairs.OWN: pairs.own(found, row),
                **pairs.simple_cells(found, row, published.SENTENCES),
            },
        )
        for row in found.rows
    ]
    own = published_lines("pairs_more", ["Appendix Table 1"], cited=CITED)
    paper = joined_lines([*published_lines("pairs", ["2"], cited=CITED), *own])
    heading = TableHeading("pairs-simple", "Simple Pair, one sentence: Table 2 of the paper", pairs.RULE)
    return lying(heading, columns, [*paper, *ours], (pairs.OWN_NOTE,))


def _joined(found: ExperimentResults) -> ExperimentTable:
    columns = pairs.headed(published.JOINED)
    ours = [found.line(row, pairs.simple_cells(found, row, published.JOINED)) for row in found.rows]
    heading = TableHeading(
        "pairs-joined", "Simple Pair, two sentences joined: Table 3 of the paper", pairs.RULE
    )
    return lying(heading, columns, [*published_lines("pairs", ["3"]), *ours], (LOST,))


EXPERIMENT = Experiment(
    "pairs-simple",
    "trained on MNLI, SNLI or SICK, asked Simple Pair",
    tests,
    parts,
    tables,
    models=pairs.MODELS,
    paper_models=pairs.PAPER_MODELS,
    notes=(pairs.STANDS_IN,),
)
