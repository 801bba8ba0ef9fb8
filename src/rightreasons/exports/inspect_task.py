"""Sets as tasks for Inspect: one Python file per set, which reads the JSONL next to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rightreasons import __version__
from rightreasons.core.formatting import replace_unprintable
from rightreasons.core.parts import Export
from rightreasons.exports.layout import QUESTIONS, choose_label_order, lay_out_rows, make_identifiers
from rightreasons.io.table_writer import stream_table

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from rightreasons.exports.export import ExportSet, ExportSource

TAG = "rightreasons"
# The first of these that pairs share is what the standard error is clustered by.
_CLUSTERS = ("group", "source_id")
_GROUPED = ("heuristic", "subcase")
_MOST_GROUPS = 100
_FILE = '''"""A challenge set as a task for Inspect, made with rightreasons {version}.

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
GROUPED = {grouped}  # accuracy is also computed for each value of these
CLUSTER = {cluster}  # pairs that share it belong together; the standard error is clustered by it


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
    """Make a question of a pair; its tags become metadata."""
    tags = {{**row.get("tags", {{}}), "part": row["part"]}}
    return Sample(
        input=f"{{row['premise']}}\\nQuestion: {{row['hypothesis']}} {{QUESTION}}",
        target="ABC"[row["label"]],
        choices=CHOICES,
        id=row["id"],
        metadata={{key: "none" if value is None else value for key, value in tags.items()}},
    )
'''


@dataclass(frozen=True, kw_only=True)
class InspectExport(Export):
    """Tasks for Inspect."""

    def write(self, source: ExportSource, folder: Path) -> list[str]:
        """Write a task file and its pairs for each set."""
        names = make_identifiers([item.name for item in source.sets])
        for item, name in zip(source.sets, names, strict=True):
            _write_task(item, f"{TAG}_{name}", folder)
        return []


def _write_task(item: ExportSet, name: str, folder: Path) -> None:
    challenge_set = item.load()
    pairs, card = challenge_set.pairs, challenge_set.card
    labels = choose_label_order(item.name, challenge_set)
    stream_table(lay_out_rows(challenge_set, labels), folder / f"{name}.jsonl", "jsonl")
    question, choices = QUESTIONS[labels]
    # Texts from outside are ASCII literals in the file, whatever they contain.
    text = _FILE.format(
        name=name,
        title=ascii(replace_unprintable(item.name)),
        version=__version__,
        file=ascii(f"{name}.jsonl"),
        question=ascii(question),
        choices=ascii(list(choices)),
        grouped=ascii(["part", *(tag for tag in _GROUPED if _is_grouping_tag(pairs, tag))]),
        cluster=ascii(next((tag for tag in _CLUSTERS if _has_shared_values(pairs, tag)), None)),
        digest=ascii(card.digest),
        number=int(card.version or 1),
    )
    (folder / f"{name}.py").write_text(text, encoding="utf-8")


def _is_grouping_tag(pairs: pl.DataFrame, tag: str) -> bool:
    """Tell whether a tag splits the pairs into several groups, but not too many to read."""
    return tag in pairs.columns and 1 < pairs[tag].drop_nulls().n_unique() <= _MOST_GROUPS


def _has_shared_values(pairs: pl.DataFrame, tag: str) -> bool:
    """Tell whether every pair has the tag, and some pairs share a value."""
    return tag in pairs.columns and not pairs[tag].null_count() and pairs[tag].n_unique() < pairs.height
