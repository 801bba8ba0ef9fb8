"""What the stress-test experiments share: tests made from MultiNLI's dev sets, and the paper's figures by split."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rightreasons.experiments.learners import EVERYWHERE
from rightreasons.experiments.plan import ExperimentPart, RoleFile, Test
from rightreasons.experiments.tables import FigureRow, Value, joined_lines
from rightreasons.reports import published

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rightreasons.experiments.found import ExperimentResults
    from rightreasons.reports.published import Published

SPLITS = (published.MATCHED, published.MISMATCHED)
SHORT = {published.MATCHED: "m.", published.MISMATCHED: "mm."}
MODELS = ("nb", "ch", "rc", "infersent", "bilstm", "cbow")
CORRECTED = (
    "The tests are made anew by the corrected constructions of this package, and the paper's by its scripts, which "
    "cut some sentences short and misplace some words: the pairs are not the same."
)
NAMES = "NB is the encoder of Nie and Bansal, CH that of Chen and others, RC that of Balazs and others, IS InferSent."
ENDS = "(m. matched, mm. mismatched)"


def beside(models: Iterable[str]) -> tuple[str, ...]:
    """Put the models that are in every experiment after those of the paper."""
    return tuple(dict.fromkeys([*models, *EVERYWHERE]))


def dev_name(split: str) -> str:
    """Name the test that is a dev set of MultiNLI itself."""
    return f"mnli_dev_{split}"


def name(test: str, split: str) -> str:
    """Name a stress test made from a dev set."""
    return f"mnli_dev_{test}_{split}"


def column(test: str, split: str) -> str:
    """Name the column of a test and split."""
    return f"{test}/{split}"


def devs() -> list[Test]:
    """Ask both dev sets."""
    return [Test(dev_name(split), role=f"mnli-dev-{split}") for split in SPLITS]


def made(test: str, of: str, **options: Any) -> list[Test]:
    """Make a stress test from both dev sets, by the name of its set."""
    return [
        Test(name(test, split), set=of, options={**options, "corpus": RoleFile(f"mnli-dev-{split}")})
        for split in SPLITS
    ]


def part(model: str, seed: int, tests: Iterable[Test], **more: Any) -> ExperimentPart:
    """Train a model on MultiNLI and ask it tests."""
    names = tuple(test.name for test in tests)
    return ExperimentPart(model, "mnli-train", seed, tests=names, claim=dev_name(published.MATCHED), **more)


def printed(rows: Sequence[Published], *, cited: str = "") -> list[FigureRow]:
    """Make lines of published rows: the splits of a model side by side, in columns of their own."""
    lines = [
        FigureRow(
            row.model,
            {column(test, row.split): Value(value) for test, value in row.values.items()},
            f"{row.source}, {cited}" if cited else row.cited,
            row.trained_on,
        )
        for row in rows
    ]
    return joined_lines(lines)


def having(lines: Sequence[FigureRow], columns: Mapping[str, str]) -> list[FigureRow]:
    """Choose the lines that have a figure in one of some columns."""
    return [line for line in lines if set(line.values) & set(columns)]


def known(values: Mapping[str, Value | None]) -> dict[str, Value]:
    """Leave out what there is no figure of."""
    return {key: value for key, value in values.items() if value is not None}


def made_from(found: ExperimentResults) -> str:
    """Say which files the tests were made from."""
    files = dict.fromkeys(file for one in found.tests.values() for file in one.card.sources)
    return f"The tests are made or read from {', '.join(files)}."
