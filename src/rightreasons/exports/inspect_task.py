"""Sets as tasks of Inspect: a file of Python for each, which reads the JSONL beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons import __version__
from rightreasons.core.errors import InputError
from rightreasons.core.formatting import plain
from rightreasons.exports.questions import QUESTIONS, identifiers, label_order, rows
from rightreasons.io.table_writer import stream_table

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from rightreasons.exports.source import ExportSet, ExportSource

TAG = "rightreasons"
# The first of these that pairs share is what their answers are clustered by.
_CLUSTERS = ("group", "source_id")
_GROUPED = ("heuristic", "subcase")
_MOST_GROUPS = 100
_FILE = '''"""A challenge set as a task of Inspect, made with rightreasons {version}.

    inspect eval {name}.py --model MODEL
"""

import json
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import accuracy, choice, grouped, stderr
from inspect_ai.solver import multiple_choice

FILE = Path(__file__).with_name({file})
QUESTION = {question}
CHOICES = {choices}
GROUPED = {grouped}  # accuracies are also given for each value of these
CLUSTER = {cluster}  # pairs that share it belong together, which the standard error takes into account


@task
def {name}():
    """Ask whether each hypothesis is true, given its premise."""
    with FILE.open(encoding="utf-8") as lines:
        samples = [_sample(json.loads(line)) for line in lines]
    parts = [grouped(accuracy(), tag, all=False, name_template=tag + ": {{group_name}}") for tag in GROUPED]
    return Task(
        dataset=MemoryDataset(samples, name={name!r}),
        solver=multiple_choice(),
        scorer=choice(),
        metrics=[accuracy(), stderr(cluster=CLUSTER), *parts],
        metadata={{"digest": {digest}, "set": {title}}},
        version={number},
    )


def _sample(row):
    """Put a pair as a question; its tags go along."""
    tags = {{**row.get("tags", {{}}), "part": row["part"]}}
    return Sample(
        input=f"{{row['premise']}}\\nQuestion: {{row['hypothesis']}} {{QUESTION}}",
        target="ABC"[row["label"]],
        choices=CHOICES,
        id=row["id"],
        metadata={{key: "none" if value is None else value for key, value in tags.items()}},
    )
'''


def write(source: ExportSource, folder: Path | None) -> list[str]:
    """Write a task file and its pairs for each set."""
    if folder is None:
        raise InputError("The target 'inspect' needs a folder to write. Name one.")
    names = identifiers([one.name for one in source.sets])
    for one, name in zip(source.sets, names, strict=True):
        _write_set(one, f"{TAG}_{name}", folder)
    return []


def _write_set(one: ExportSet, name: str, folder: Path) -> None:
    made = one.load()
    names = label_order(one.name, made)
    stream_table(rows(made, names), folder / f"{name}.jsonl", "jsonl")
    question, choices = QUESTIONS[names]
    # Texts from outside stand in the file as literals of ASCII, whatever is in them.
    text = _FILE.format(
        name=name,
        title=ascii(plain(one.name)),
        version=__version__,
        file=ascii(f"{name}.jsonl"),
        question=ascii(question),
        choices=ascii(list(choices)),
        grouped=ascii(["part", *(tag for tag in _GROUPED if _is_grouping(made.pairs, tag))]),
        cluster=ascii(next((tag for tag in _CLUSTERS if _is_shared(made.pairs, tag)), None)),
        digest=ascii(made.card.digest),
        number=int(made.card.version or 1),
    )
    (folder / f"{name}.py").write_text(text, encoding="utf-8")


def _is_grouping(pairs: pl.DataFrame, tag: str) -> bool:
    """Tell whether a tag parts the pairs into some groups, and not too many to read."""
    return tag in pairs.columns and 1 < pairs[tag].drop_nulls().n_unique() <= _MOST_GROUPS


def _is_shared(pairs: pl.DataFrame, tag: str) -> bool:
    """Tell whether every pair has the tag, and some have it in common."""
    return tag in pairs.columns and not pairs[tag].null_count() and pairs[tag].n_unique() < pairs.height
