"""The results of an experiment: accuracies, shares of predictions and changes, by table row."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from math import hypot, sqrt
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from rightreasons.core.labels import THREE_LABELS
from rightreasons.core.pairs import PARSE_COLUMNS
from rightreasons.io.polars_io import read_parquet, read_parquet_schema
from rightreasons.reports.exhibits.published_comparison import FigureRow, FigureValue
from rightreasons.scoring.accuracy import ALL, align_predictions, make_score_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rightreasons.experiments.declaration import ExperimentPart, Setting
    from rightreasons.experiments.testsets import WrittenTestSet
    from rightreasons.experiments.training_jobs import ExperimentJob

LEAST = 0.5  # the accuracy on three labels below which nothing is claimed about a model
LEAST_OF_TWO = 0.625  # the same for the mean over two labels, as far above chance
HELD_OUT = "held-out pairs"  # a part may name these, of its training file, as the test for any claim about it
Among = Literal["pairs", "pairs, wrongly", "errors"]
_Z = 1.959964  # of a 95% confidence interval
_TRAINED = ("seconds", "threads", "best", "best_step", "steps")


@dataclass
class ExperimentResults:
    """The parts of an experiment with their predictions on the test sets."""

    setting: Setting
    jobs: Sequence[tuple[ExperimentPart, ExperimentJob]]
    tests: Mapping[str, WrittenTestSet]
    _scores: dict[tuple[str, ...], pl.DataFrame] = field(default_factory=dict)

    @property
    def rows(self) -> list[str]:
        """The names of the table rows; parts that differ only in their seed share one."""
        return list(dict.fromkeys(part.row for part, _ in self.jobs))

    def list_parts(self, row: str) -> list[tuple[ExperimentPart, ExperimentJob]]:
        """List the parts of a row, one per seed."""
        return [(part, job) for part, job in self.jobs if part.row == row]

    def read_pairs(self, test: str) -> pl.DataFrame:
        """Read the pairs of a test set, without parses."""
        file = self.tests[test].file
        columns = [name for name in read_parquet_schema(file) if name not in PARSE_COLUMNS]
        return read_parquet(file, columns=columns)

    def read_predictions(self, job: ExperimentJob, test: str) -> pl.DataFrame:
        """Read the pairs of a test set with a job's predictions: columns `gold`, `prediction` and `right` are added."""
        pairs = self.read_pairs(test)
        predictions = read_parquet(job.get_predictions_path(self.tests[test]))
        aligned = align_predictions(pairs, predictions, rule="argmax").table
        return pairs.hstack(aligned.select("gold", "prediction", "right"))

    def score_part(self, part: ExperimentPart, job: ExperimentJob, test: str, *by: str) -> pl.DataFrame:
        """Score a part on a test set by tags and gold label, with confidence intervals."""
        key = (part.name, test, *by)
        if key not in self._scores:
            table = self.read_predictions(job, test)
            self._scores[key] = make_score_rows(self.read_pairs(test), table.select("gold", "prediction"), by)
        return self._scores[key]

    def compute_accuracies(self, row: str, test: str, *by: str) -> dict[tuple[str, ...], FigureValue]:
        """The accuracies of a row on a test set over its seeds, by values of tags and gold label."""
        per_seed = [
            self.score_part(part, job, test, *by) for part, job in self.list_parts(row) if test in part.tests
        ]
        by_cell: dict[tuple[str, ...], list[FigureValue]] = {}
        for scores in per_seed:
            for *cell, n, mean, low, high in scores.select(
                *by, "gold", "n", "accuracy", "low", "high"
            ).iter_rows():
                by_cell.setdefault(tuple(map(str, cell)), []).append(FigureValue(mean, low, high, n))
        return {cell: summarize_seeds(values) for cell, values in by_cell.items()}

    def compute_accuracy(self, row: str, test: str) -> FigureValue:
        """The accuracy of a row on all pairs of a test set."""
        return self.compute_accuracies(row, test)[(ALL,)]

    def make_row(self, row: str, values: Mapping[str, FigureValue], trained_on: str = "") -> FigureRow:
        """Make a table row from its figures by column."""
        training = trained_on or self.describe_training(row)
        return FigureRow(row, values, trained_on=training, weak=self.is_weak(row))

    def describe_training(self, row: str) -> str:
        """Describe the training data of a row, before edits."""
        part, job = self.list_parts(row)[0]
        return f"{job.training.facts['train']:,} of {part.train}"

    def is_weak(self, row: str) -> bool:
        """Whether a row is too close to chance for any claim, by the test set that its parts name for that."""
        tests = {part.claim for part, _ in self.list_parts(row) if part.claim}
        return any(
            self.compute_held_out_accuracy(row).mean < LEAST
            if test == HELD_OUT
            else self._is_near_chance(row, test)
            for test in tests
        )

    def compute_held_out_accuracy(self, row: str) -> FigureValue:
        """The accuracy of a row on the pairs held out of its training file, by which the checkpoint was selected."""
        return summarize_seeds(
            [
                FigureValue(self.read_training_facts(job)["best"], n=job.training.facts["dev"])
                for _, job in self.list_parts(row)
            ]
        )

    def _is_near_chance(self, row: str, test: str) -> bool:
        values = self.compute_accuracies(row, test)
        labels = [label for (label,) in values if label != ALL]
        if set(labels) <= set(THREE_LABELS):
            return values[(ALL,)].mean < LEAST
        return fmean(values[(label,)].mean for label in labels) < LEAST_OF_TWO

    def read_training_facts(self, job: ExperimentJob) -> dict[str, Any]:
        """Read time and steps of a training; from the model's own card if a kill came before they were written."""
        written = job.folder / "trained.json"
        place = written if written.exists() else job.folder / "model" / "training.json"
        facts: dict[str, Any] = json.loads(place.read_text(encoding="utf-8"))
        return {name: facts[name] for name in _TRAINED if name in facts}


def summarize_seeds(values: Sequence[FigureValue]) -> FigureValue:
    """Summarize several seeds by mean and range; a single one keeps its confidence interval."""
    if len(values) == 1:
        return values[0]
    means = [value.mean for value in values]
    return FigureValue(fmean(means), min(means), max(means), values[0].n, len(values))


def average_over_parts(
    results: ExperimentResults,
    row: str,
    measure: Callable[[ExperimentPart, ExperimentJob], FigureValue | None],
) -> FigureValue | None:
    """Average a figure over the parts of a row; None if no part has it."""
    values = [measure(part, job) for part, job in results.list_parts(row)]
    known = [value for value in values if value is not None]
    return summarize_seeds(known) if known else None


def measure_predicted_share(
    results: ExperimentResults, row: str, test: str, label: str, among: Among = "pairs"
) -> FigureValue | None:
    """The share of a label among a row's predictions, among its wrong predictions over all pairs, or its errors."""

    def measure_part(part: ExperimentPart, job: ExperimentJob) -> FigureValue | None:
        if test not in part.tests:
            return None
        table, wrong = results.read_predictions(job, test), ~pl.col("right")
        if among == "errors":
            table = table.filter(wrong)
        if among == "pairs, wrongly":
            table = table.with_columns(
                pl.when(wrong).then("prediction").otherwise(pl.lit("")).alias("prediction")
            )
        return measure_label_share(table, label)

    return average_over_parts(results, row, measure_part)


def measure_label_share(table: pl.DataFrame, label: str) -> FigureValue | None:
    """The share of a label among predictions, with a cluster-aware confidence interval; None if there are no pairs."""
    if table.is_empty():
        return None
    # As if it were the gold label of all pairs.
    rows = make_score_rows(table, table.select(pl.lit(label).alias("gold"), "prediction"))
    n, mean, low, high = rows.filter(gold=ALL).select("n", "accuracy", "low", "high").row(0)
    return FigureValue(mean, low, high, n)


def compute_mean_accuracy(results: ExperimentResults, row: str, tests: Sequence[str]) -> FigureValue | None:
    """The unweighted mean of a row's accuracies on several test sets."""

    def measure_part(part: ExperimentPart, job: ExperimentJob) -> FigureValue | None:
        if not set(tests) <= set(part.tests):
            return None
        rows = [results.score_part(part, job, test).filter(gold=ALL) for test in tests]
        each = [FigureValue(*one.select("accuracy", "low", "high", "n").row(0)) for one in rows]
        return average_values(each)

    return average_over_parts(results, row, measure_part)


def average_values(values: Sequence[FigureValue]) -> FigureValue:
    """Average figures of different pairs; their errors are combined as independent."""
    mean = fmean(value.mean for value in values)
    below = hypot(*(value.mean - (value.low or 0.0) for value in values)) / len(values)
    above = hypot(*((value.high or 0.0) - value.mean for value in values)) / len(values)
    return FigureValue(mean, mean - below, mean + above, sum(value.n or 0 for value in values))


def measure_accuracy_change(after: pl.Series, before: pl.Series) -> FigureValue:
    """The change of accuracy on the same pairs, given whether each is correct, with a paired confidence interval."""
    differences = after.cast(pl.Float64) - before.cast(pl.Float64)
    mean, spread = differences.mean(), differences.std()
    around = _Z * float(spread or 0.0) / sqrt(differences.len())  # type: ignore[arg-type]
    middle = float(mean)  # type: ignore[arg-type]
    return FigureValue(middle, max(-1.0, middle - around), min(1.0, middle + around), differences.len())
