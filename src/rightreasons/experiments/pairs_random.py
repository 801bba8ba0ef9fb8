"""`pairs-random`: trained on MNLI, SNLI or SICK, asked pairs that have nothing to do with each other (Table 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.core.labels import CONTRADICTION, ENTAILMENT
from rightreasons.experiments import pairs
from rightreasons.experiments.plan import Experiment
from rightreasons.experiments.shares import called, mean_accuracy
from rightreasons.experiments.tables import TableHeading, joined_lines, lying, published_lines

if TYPE_CHECKING:
    from rightreasons.experiments.found import ExperimentResults
    from rightreasons.experiments.plan import ExperimentPart, Setting, Test
    from rightreasons.experiments.tables import ExperimentTable, FigureRow, Value

LIMIT = 5_000  # of each of the two sets
CITED = "Table 1 and Appendix Table 1"
CALLED = (
    "Shares of the answers. In the paper, models of MNLI call over 32.8% and models of SNLI over 69.3% of the pairs "
    "contradictions, and at most 77.6%."
)


def tests(setting: Setting) -> list[Test]:
    """Ask both sets of Random Pair, and the test sets of the training corpora."""
    return [*pairs.random_tests(setting, LIMIT), *pairs.own_tests(pairs.CORPORA)]


def parts(setting: Setting) -> list[ExperimentPart]:
    """Train each model on each corpus."""
    return pairs.on_each_corpus(setting, tests(setting))


def tables(found: ExperimentResults) -> list[ExperimentTable]:
    """Show Table 1, then what is answered instead of neutral."""
    both = pairs.neutral("random_pair")
    columns = {pairs.OWN: "own test", both: "Random Pair"}
    columns |= {test: f"premises of {test[-4:].upper()}" for test in pairs.RANDOM.values()}
    ours = [found.line(row, _cells(found, row, both)) for row in found.rows]
    heading = TableHeading("pairs-random", "Random Pair: Table 1 of the paper", pairs.RULE)
    notes = ("Random Pair is the mean of its two sets, as in the paper.", pairs.OWN_NOTE)
    return [lying(heading, columns, [*_printed(), *ours], notes), _called(found)]


def _printed() -> list[FigureRow]:
    one = published_lines("pairs", ["1"], cited=CITED)
    return joined_lines([*one, *published_lines("pairs_more", ["Appendix Table 1"], cited=CITED)])


def _cells(found: ExperimentResults, row: str, both: str) -> dict[str, Value]:
    each = {test: found.accuracy(row, test) for test in pairs.RANDOM.values()}
    mean = mean_accuracy(found, row, list(each))
    return {pairs.OWN: pairs.own(found, row), **each, **({both: mean} if mean else {})}


def _called(found: ExperimentResults) -> ExperimentTable:
    columns, cells = {}, {}
    for answer in (CONTRADICTION, ENTAILMENT):
        for test in pairs.RANDOM.values():
            columns[f"{test}/{answer}"] = f"{answer}, premises of {test[-4:].upper()}"
            cells[f"{test}/{answer}"] = (test, answer)
    ours = []
    for row in found.rows:
        shares = {key: called(found, row, test, answer) for key, (test, answer) in cells.items()}
        ours.append(found.line(row, {key: value for key, value in shares.items() if value}))
    return lying(TableHeading("pairs-random-called", "What random pairs are called", CALLED), columns, ours)


EXPERIMENT = Experiment(
    "pairs-random",
    "trained on MNLI, SNLI or SICK, asked Random Pair",
    tests,
    parts,
    tables,
    models=pairs.MODELS,
    paper_models=pairs.PAPER_MODELS,
    notes=(pairs.STANDS_IN,),
)
