"""What the HANS experiments share: what they train on and ask, and the columns of the paper's tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rightreasons.core.labels import TWO
from rightreasons.experiments.learners import EVERYWHERE, learner
from rightreasons.experiments.plan import ExperimentPart, Test
from rightreasons.experiments.tables import joined_lines, published_lines
from rightreasons.reports import published
from rightreasons.scoring.accuracy import ALL

if TYPE_CHECKING:
    from rightreasons.experiments.found import ExperimentResults
    from rightreasons.experiments.plan import Setting
    from rightreasons.experiments.tables import FigureRow, Value

HANS, DEV, PARSED_DEV = "hans", "mnli_dev_matched", "mnli_dev_matched_parsed"
MODELS = (*EVERYWHERE, "spinn", "minilm")
PAPER_MODELS = ("da", "esim", "spinn", "bert")
_WORDS = {"lexical_overlap": "lexical", "subsequence": "subseq.", "constituent": "const."}
CELLS = {
    published.column_of(heuristic, gold): f"{word}, {gold}"
    for gold in TWO
    for heuristic, word in _WORDS.items()
}
MNLI = "mnli"
COLUMNS = {MNLI: "MNLI", **CELLS}
RULE = "Accuracy by heuristic and true label; the most probable label, then neutral and contradiction are merged."
NOT_TEST = "MNLI is the matched dev set here, and the test set in the paper."


def tests(setting: Setting) -> list[Test]:
    """Ask HANS, and the matched dev set of MultiNLI; models that read trees are asked a copy with parses."""
    asked = [Test(HANS, set="hans-released", role="hans-eval")]
    if any(not reads_trees(model) for model in setting.models):
        asked.append(Test(DEV, role="mnli-dev-matched"))
    if any(reads_trees(model) for model in setting.models):
        asked.append(Test(PARSED_DEV, role="parsed-dev-matched", parses=True))
    return asked


def reads_trees(model: str) -> bool:
    """Tell whether a model needs parses."""
    return learner(model).parses


def part(model: str, seed: int, **more: Any) -> ExperimentPart:
    """Train a model on MultiNLI, and ask it HANS and the dev set."""
    trees = reads_trees(model)
    dev = PARSED_DEV if trees else DEV
    train = "parsed-train" if trees else "mnli-train"
    return ExperimentPart(model, train, seed, tests=(HANS, dev), claim=dev, **more)


def table_3() -> list[FigureRow]:
    """Give the rows of Table 3, with the accuracies on MultiNLI beside those on HANS."""
    return joined_lines([*published_lines("hans", ["3"]), *published_lines("hans_more", ["3"])])


def cells(found: ExperimentResults, row: str) -> dict[str, Value]:
    """Give the figures of a row by heuristic and true label, and its accuracy on MultiNLI."""
    dev = next(part.claim for part, _ in found.parts(row))
    figures = found.values(row, HANS, "heuristic")
    named = {published.column_of(tag, gold): value for (tag, gold), value in figures.items() if gold != ALL}
    return {MNLI: found.accuracy(row, dev), **named}
