"""`stress-main`: the six stress tests: accuracy, false neutrals, errors on antonyms (Tables 3, 4, 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.core.labels import CONTRADICTION, ENTAILMENT, NEUTRAL
from rightreasons.experiments import stress
from rightreasons.experiments.plan import Experiment, RoleFile, Test
from rightreasons.experiments.shares import called
from rightreasons.experiments.tables import TableHeading, lying
from rightreasons.reports import published

if TYPE_CHECKING:
    from rightreasons.experiments.found import ExperimentResults
    from rightreasons.experiments.plan import ExperimentPart, Setting
    from rightreasons.experiments.shares import Among
    from rightreasons.experiments.tables import ExperimentTable, FigureRow

NUMERICAL = "numerical"
TESTS = {key: place.set for key, place in published.TESTS.items() if key != NUMERICAL}
FALSE_NEUTRAL = (published.DEV, "word_overlap", "length_mismatch")
NEGATION = (published.DEV, "negation")
ERRORS = {"C->E": ENTAILMENT, "C->N": NEUTRAL}
RULE = "Accuracy on each test."
SPELLING = "Spelling is about content words, and numerical of no split, as in the paper's Table 3."
PROBLEMS = "The paper's numerical test is made from AQuA-RAT."


def tests(setting: Setting) -> list[Test]:  # noqa: ARG001 - the same for all models
    """Ask the dev sets, five tests made from each, and the numerical test."""
    numerical = Test(
        NUMERICAL,
        set=published.TESTS[NUMERICAL].set,
        role="stress-numerical",
        options={"corpus": RoleFile("word-problems")},
    )
    return [*stress.devs(), *(one for key, of in TESTS.items() for one in stress.made(key, of)), numerical]


def parts(setting: Setting) -> list[ExperimentPart]:
    """Train each model on MultiNLI."""
    asked = tests(setting)
    return [stress.part(model, seed, asked) for model in setting.models for seed in setting.seeds]


def tables(found: ExperimentResults) -> list[ExperimentTable]:
    """Show Table 3 for each split, then Tables 4 and 7."""
    accuracy = [_accuracy(found, split) for split in stress.SPLITS]
    return [*accuracy, _false_neutral(found), _negation(found), _antonyms(found)]


def test_name(test: str, split: str) -> str:
    """Name what is asked for a column of the paper."""
    return {published.DEV: stress.dev_name(split), NUMERICAL: NUMERICAL}.get(test, stress.name(test, split))


def _accuracy(found: ExperimentResults, split: str) -> ExperimentTable:
    shown = (published.DEV, *published.TESTS)
    columns = {
        stress.column(test, "" if test == NUMERICAL else split): test.replace("_", " ") for test in shown
    }
    ours = []
    for row in found.rows:
        values = [found.accuracy(row, test_name(test, split)) for test in shown]
        ours.append(found.line(row, dict(zip(columns, values, strict=True))))
    paper = stress.printed([one for one in published.rows("stress", ["3"]) if one.split in {split, ""}])
    heading = TableHeading(f"stress-main-{split}", f"Stress tests, {split}: Table 3 of the paper", RULE)
    notes = (stress.NAMES, SPELLING, stress.made_from(found), PROBLEMS)
    return lying(heading, columns, [*paper, *ours], notes)


def _false_neutral(found: ExperimentResults) -> ExperimentTable:
    heading = TableHeading(
        "stress-false-neutral",
        "False neutrals: Table 4 of the paper",
        f"Share of the errors in which the answer is neutral {stress.ENDS}.",
        counted="errors",
    )
    cells = {(test, test.replace("_", " ")): (test, NEUTRAL) for test in FALSE_NEUTRAL}
    return _errors(found, heading, cells, stress.printed(published.rows("stress", ["4"], "false neutral")))


def _negation(found: ExperimentResults) -> ExperimentTable:
    heading = TableHeading(
        "stress-negation-errors",
        "What negation is taken for: section 4.4 of the paper",
        f"Share of the pairs that are wrongly called contradiction or neutral {stress.ENDS}. The paper finds no more "
        "false contradictions with the negated clause than without, but more false neutrals.",
    )
    cells = {
        (f"{test}/{answer}", f"{answer}, {test}"): (test, answer)
        for answer in (CONTRADICTION, NEUTRAL)
        for test in NEGATION
    }
    return _errors(found, heading, cells, [], "pairs, wrongly")


def _antonyms(found: ExperimentResults) -> ExperimentTable:
    heading = TableHeading(
        "stress-antonymy-errors",
        "Errors on antonyms: Table 7 of the paper",
        f"Share of the errors in which a contradiction is called entailment (C->E) or neutral (C->N) {stress.ENDS}.",
        counted="errors",
    )
    cells = {(kind, kind): ("antonymy", answer) for kind, answer in ERRORS.items()}
    return _errors(found, heading, cells, stress.printed(published.rows_by_figure("stress", "7")))


def _errors(
    found: ExperimentResults,
    heading: TableHeading,
    cells: dict[tuple[str, str], tuple[str, str]],
    paper: list[FigureRow],
    among: Among = "errors",
) -> ExperimentTable:
    """Show shares of wrong answers, both splits of each; `cells` has column and heading, then test and answer."""
    columns = {
        stress.column(key, split): f"{head}, {stress.SHORT[split]}"
        for key, head in cells
        for split in stress.SPLITS
    }
    ours = []
    for row in found.rows:
        shares = {
            stress.column(key, split): called(found, row, test_name(test, split), answer, among)
            for (key, _), (test, answer) in cells.items()
            for split in stress.SPLITS
        }
        ours.append(found.line(row, stress.known(shares)))
    return lying(heading, columns, [*paper, *ours])


EXPERIMENT = Experiment(
    "stress-main",
    "trained on MultiNLI, asked the six stress tests",
    tests,
    parts,
    tables,
    models=stress.beside(stress.MODELS),
    paper_models=stress.MODELS,
    notes=(stress.CORRECTED,),
)
