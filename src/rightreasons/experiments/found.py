"""The figures of all parts, from their answers: what the tables of an experiment are made of."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING, Any

from rightreasons.core.labels import THREE
from rightreasons.core.pairs import PARSES
from rightreasons.experiments.tables import FigureRow, Value
from rightreasons.io.polars_io import read_parquet, read_parquet_schema
from rightreasons.scoring.accuracy import ALL, align_predictions, count_correct

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from rightreasons.experiments.asked import GeneratedTest
    from rightreasons.experiments.jobs import ExperimentJob
    from rightreasons.experiments.plan import ExperimentPart, Setting

LEAST = 0.5  # the accuracy on three labels below which nothing is claimed about a model
LEAST_OF_TWO = 0.625  # as far above chance, as the mean over two labels
_TRAINED = ("seconds", "threads", "best", "best_step", "steps")


@dataclass
class ExperimentResults:
    """The parts of an experiment with their answers; `values` and `line` make figures of them."""

    setting: Setting
    jobs: Sequence[tuple[ExperimentPart, ExperimentJob]]
    tests: Mapping[str, GeneratedTest]
    _scores: dict[tuple[str, ...], pl.DataFrame] = field(default_factory=dict)

    @property
    def rows(self) -> list[str]:
        """Name the rows of a table: parts that differ in their seed alone are one."""
        return list(dict.fromkeys(part.row for part, _ in self.jobs))

    def parts(self, row: str) -> list[tuple[ExperimentPart, ExperimentJob]]:
        """List the parts of a row, one for each seed."""
        return [(part, job) for part, job in self.jobs if part.row == row]

    def pairs(self, test: str) -> pl.DataFrame:
        """Read the pairs of a test, without their parses."""
        file = self.tests[test].file
        columns = [name for name in read_parquet_schema(file) if name not in PARSES]
        return read_parquet(file, columns=columns)

    def answers(self, job: ExperimentJob, test: str) -> pl.DataFrame:
        """Read the answers of a job beside the pairs of a test: `gold` and `prediction` as compared, and `right`."""
        pairs = self.pairs(test)
        given = read_parquet(job.answers(self.tests[test]))
        aligned = align_predictions(pairs, given, rule="argmax").table
        return pairs.hstack(aligned.select("gold", "prediction", "right"))

    def scores(self, part: ExperimentPart, job: ExperimentJob, test: str, *by: str) -> pl.DataFrame:
        """Count a part's right answers by tags and true label, with intervals."""
        key = (part.name, test, *by)
        if key not in self._scores:
            table = self.answers(job, test)
            self._scores[key] = count_correct(self.pairs(test), table.select("gold", "prediction"), by)
        return self._scores[key]

    def values(self, row: str, test: str, *by: str) -> dict[tuple[str, ...], Value]:
        """Give the accuracy of a row on a test, over all its seeds, by values of tags and true label."""
        counted = [self.scores(part, job, test, *by) for part, job in self.parts(row) if test in part.tests]
        found: dict[tuple[str, ...], list[Value]] = {}
        for scores in counted:
            for *cell, n, mean, low, high in scores.select(
                *by, "gold", "n", "accuracy", "low", "high"
            ).iter_rows():
                found.setdefault(tuple(map(str, cell)), []).append(Value(mean, low, high, n))
        return {cell: over_seeds(values) for cell, values in found.items()}

    def accuracy(self, row: str, test: str) -> Value:
        """Give the accuracy of a row on all pairs of a test."""
        return self.values(row, test)[(ALL,)]

    def asked(self, row: str, test: str) -> bool:
        """Tell whether a row was asked a test."""
        return any(test in part.tests for part, _ in self.parts(row))

    def line(self, row: str, values: Mapping[str, Value], trained_on: str = "") -> FigureRow:
        """Make a line of a table from figures of a row by column."""
        return FigureRow(row, values, trained_on=trained_on or self.trained_on(row), weak=self.weak(row))

    def trained_on(self, row: str) -> str:
        """Say what a row was trained on, before edits."""
        part, job = self.parts(row)[0]
        return f"{job.training.facts['train']:,} of {part.train}"

    def weak(self, row: str) -> bool:
        """Tell whether a row is too near to chance for any claim, by the test that its parts name for that."""
        tests = {part.claim for part, _ in self.parts(row) if part.claim}
        return any(self._weak(row, test) for test in tests)

    def _weak(self, row: str, test: str) -> bool:
        values = self.values(row, test)
        labels = [label for (label,) in values if label != ALL]
        if set(labels) <= set(THREE):
            return values[(ALL,)].mean < LEAST
        return fmean(values[(label,)].mean for label in labels) < LEAST_OF_TWO

    def trained(self, job: ExperimentJob) -> dict[str, Any]:
        """Read how a part's training went; its model's card knows, where a kill came before that was noted."""
        noted = job.folder / "trained.json"
        place = noted if noted.exists() else job.folder / "model" / "training.json"
        facts: dict[str, Any] = json.loads(place.read_text(encoding="utf-8"))
        return {name: facts[name] for name in _TRAINED if name in facts}


def over_seeds(values: Sequence[Value]) -> Value:
    """Sum up the figures of several seeds by their mean and range; one keeps its interval."""
    if len(values) == 1:
        return values[0]
    means = [value.mean for value in values]
    return Value(fmean(means), min(means), max(means), values[0].n, len(values))
