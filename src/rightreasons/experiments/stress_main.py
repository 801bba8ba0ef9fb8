"""`stress-main`: the six stress tests: accuracy, false neutrals, errors on antonyms (Tables 3, 4, 7).

The other stress-test experiments use the helpers of this one: test sets made from both dev sets of MultiNLI, and
published rows with a column per split.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rightreasons.core.labels import CONTRADICTION, ENTAILMENT, NEUTRAL
from rightreasons.experiments.declaration import Experiment, ExperimentPart, RoleFile, TestSet
from rightreasons.experiments.learners import CHEAP_MODELS
from rightreasons.experiments.results import measure_predicted_share
from rightreasons.experiments.tables import ExperimentTable, merge_rows
from rightreasons.reports import published
from rightreasons.reports.exhibits.published_comparison import FigureRow, FigureValue, TableHeading

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rightreasons.experiments.declaration import Setting
    from rightreasons.experiments.results import Among, ExperimentResults
    from rightreasons.reports.published import PublishedRow

SPLITS = (published.MATCHED, published.MISMATCHED)
SPLIT_HEADINGS = {published.MATCHED: "m.", published.MISMATCHED: "mm."}
MODELS = ("nb", "ch", "rc", "infersent", "bilstm", "cbow")
CORRECTED = (
    "Our test sets use the corrected constructions of this package; the paper's scripts truncate some sentences and "
    "misplace some words, so the pairs are not the same."
)
NAMES = "NB is the encoder of Nie and Bansal, CH that of Chen et al., RC that of Balazs et al., IS InferSent."
ABBREVIATIONS = "(m. matched, mm. mismatched)"
NUMERICAL = "numerical"
TESTS = {key: place.set for key, place in published.TESTS.items() if key != NUMERICAL}
FALSE_NEUTRAL = (published.DEV, "word_overlap", "length_mismatch")
NEGATION = (published.DEV, "negation")
ERRORS = {"C->E": ENTAILMENT, "C->N": NEUTRAL}
SPELLING = "As in the paper's Table 3, spelling is about content words, and numerical has no splits."
PROBLEMS = "The paper's numerical test is made from AQuA-RAT."


class StressMain(Experiment):
    """The six stress tests: Tables 3, 4 and 7, and section 4.4 of the paper."""

    name = "stress-main"
    about = "trained on MultiNLI, tested on the six stress tests"
    models = tuple(dict.fromkeys([*MODELS, *CHEAP_MODELS]))
    paper_models = MODELS
    notes = (CORRECTED,)

    def test_sets(self, setting: Setting) -> list[TestSet]:  # noqa: ARG002 - the same for all models
        """The dev sets, five stress tests made from each, and the numerical test."""
        numerical = TestSet(
            NUMERICAL,
            set=published.TESTS[NUMERICAL].set,
            role="stress-numerical",
            options={"corpus": RoleFile("word-problems")},
        )
        stressed = [test for key, set_name in TESTS.items() for test in make_stress_tests(key, set_name)]
        return [*list_dev_sets(), *stressed, numerical]

    def parts(self, setting: Setting) -> list[ExperimentPart]:
        """Train each model on MultiNLI."""
        tests = self.test_sets(setting)
        return [make_stress_part(model, seed, tests) for model in setting.models for seed in setting.seeds]

    def tables(self, results: ExperimentResults) -> list[ExperimentTable]:
        """Build Table 3 for each split, Table 4, section 4.4 and Table 7."""
        by_split = [_make_accuracy_table(results, split) for split in SPLITS]
        return [
            *by_split,
            _make_false_neutral_table(results),
            _make_negation_table(results),
            _make_antonym_table(results),
        ]


def name_dev_set(split: str) -> str:
    """The name of a dev set of MultiNLI itself."""
    return f"mnli_dev_{split}"


def name_stress_test(test: str, split: str) -> str:
    """The name of a stress test made from a dev set."""
    return f"mnli_dev_{test}_{split}"


def name_column(test: str, split: str) -> str:
    """The name of the column of a test and a split."""
    return f"{test}/{split}"


def list_dev_sets() -> list[TestSet]:
    """List both dev sets of MultiNLI as test sets."""
    return [TestSet(name_dev_set(split), role=f"mnli-dev-{split}") for split in SPLITS]


def make_stress_tests(test: str, set_name: str, **options: Any) -> list[TestSet]:
    """A stress test made from each of the dev sets."""
    return [
        TestSet(
            name_stress_test(test, split),
            set=set_name,
            options={**options, "corpus": RoleFile(f"mnli-dev-{split}")},
        )
        for split in SPLITS
    ]


def make_stress_part(model: str, seed: int, tests: Iterable[TestSet], **more: Any) -> ExperimentPart:
    """Train a model on MultiNLI and test it."""
    names = tuple(test.name for test in tests)
    claim = name_dev_set(published.MATCHED)
    return ExperimentPart(model, "mnli-train", seed, tests=names, claim=claim, **more)


def merge_splits(rows: Sequence[PublishedRow], *, cited: str = "") -> list[FigureRow]:
    """Put the splits of a published model into one row, with a column per test and split."""
    return merge_rows(
        [
            FigureRow(
                row.model,
                {name_column(test, row.split): FigureValue(value) for test, value in row.values.items()},
                f"{row.source}, {cited}" if cited else row.citation,
                row.trained_on,
            )
            for row in rows
        ]
    )


def describe_test_sources(results: ExperimentResults) -> str:
    """Name the files that the test sets were made from."""
    files = dict.fromkeys(file for test in results.tests.values() for file in test.card.sources)
    return f"The test sets are generated or read from {', '.join(files)}."


def _map_column_to_test_set(test: str, split: str) -> str:
    """The name of the test set that a column of the paper is about."""
    named = {published.DEV: name_dev_set(split), NUMERICAL: NUMERICAL}
    return named.get(test, name_stress_test(test, split))


def _make_accuracy_table(results: ExperimentResults, split: str) -> ExperimentTable:
    tests = (published.DEV, *published.TESTS)
    columns = {
        name_column(test, "" if test == NUMERICAL else split): test.replace("_", " ") for test in tests
    }
    ours = []
    for row in results.rows:
        values = [results.compute_accuracy(row, _map_column_to_test_set(test, split)) for test in tests]
        ours.append(results.make_row(row, dict(zip(columns, values, strict=True))))
    paper = merge_splits([row for row in published.read_rows("stress", ["3"]) if row.split in {split, ""}])
    title = f"Stress tests, {split}: Table 3 of the paper"
    heading = TableHeading(f"stress-main-{split}", title, "Accuracy on each test.")
    notes = (NAMES, SPELLING, describe_test_sources(results), PROBLEMS)
    return ExperimentTable.build_with_models_as_rows(heading, columns, [*paper, *ours], notes)


def _make_false_neutral_table(results: ExperimentResults) -> ExperimentTable:
    heading = TableHeading(
        "stress-false-neutral",
        "False neutrals: Table 4 of the paper",
        f"Proportion of the errors in which neutral is predicted {ABBREVIATIONS}.",
        counted="errors",
    )
    cells = {(test, test.replace("_", " ")): (test, NEUTRAL) for test in FALSE_NEUTRAL}
    paper = merge_splits(published.read_rows("stress", ["4"], "false neutral"))
    return _make_error_table(results, heading, cells, paper)


def _make_negation_table(results: ExperimentResults) -> ExperimentTable:
    heading = TableHeading(
        "stress-negation-errors",
        "Errors on negation: section 4.4 of the paper",
        f"Proportion of all pairs wrongly predicted as contradiction, and proportion wrongly "
        f"predicted as neutral {ABBREVIATIONS}. The paper "
        "finds no more false contradictions with the negated clause than without, but more false neutrals.",
    )
    cells = {
        (f"{test}/{label}", f"{label}, {test}"): (test, label)
        for label in (CONTRADICTION, NEUTRAL)
        for test in NEGATION
    }
    return _make_error_table(results, heading, cells, [], "pairs, wrongly")


def _make_antonym_table(results: ExperimentResults) -> ExperimentTable:
    heading = TableHeading(
        "stress-antonymy-errors",
        "Errors on antonyms: Table 7 of the paper",
        "Proportion of the errors in which entailment (C->E) or neutral (C->N) is predicted for a contradiction "
        f"{ABBREVIATIONS}.",
        counted="errors",
    )
    cells = {(kind, kind): ("antonymy", label) for kind, label in ERRORS.items()}
    return _make_error_table(
        results, heading, cells, merge_splits(published.read_rows_by_figure("stress", "7"))
    )


def _make_error_table(
    results: ExperimentResults,
    heading: TableHeading,
    cells: Mapping[tuple[str, str], tuple[str, str]],
    paper: Sequence[FigureRow],
    among: Among = "errors",
) -> ExperimentTable:
    """A table of shares of wrong predictions; `cells` maps column and heading to test and predicted label."""
    columns = {
        name_column(key, split): f"{text}, {SPLIT_HEADINGS[split]}" for key, text in cells for split in SPLITS
    }
    ours = []
    for row in results.rows:
        shares = {
            name_column(key, split): measure_predicted_share(
                results, row, _map_column_to_test_set(test, split), label, among
            )
            for (key, _), (test, label) in cells.items()
            for split in SPLITS
        }
        known = {key: share for key, share in shares.items() if share is not None}
        ours.append(results.make_row(row, known))
    return ExperimentTable.build_with_models_as_rows(heading, columns, [*paper, *ours])
