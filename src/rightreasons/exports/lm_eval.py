"""Sets as tasks for lm-evaluation-harness: YAML and JSONL for --include_path, in a folder that can be moved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rightreasons import __version__
from rightreasons.core.parts import Export
from rightreasons.exports.layout import (
    QUESTIONS,
    FunctionTag,
    Verbatim,
    choose_label_order,
    dump_yaml,
    lay_out_rows,
    make_identifiers,
)
from rightreasons.io.table_writer import stream_table

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from rightreasons.core.pairs import Card
    from rightreasons.exports.export import ExportSet, ExportSource

TAG = "rightreasons"
LOADER = "rightreasons_pairs"
# A path in a task file is relative to where lm-eval is started; this module reads relative to itself instead.
_LOADER = '''"""Reads the pairs that lie next to this file; lm-eval calls it for the tasks in this folder."""

import json
from pathlib import Path

import datasets


def pairs(file, part=None, **_):
    """Return the pairs of one part of a set, or all of them."""
    with Path(__file__).with_name(file).open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    chosen = [row for row in rows if part in (None, row["part"])]
    return datasets.DatasetDict({"test": datasets.Dataset.from_list(chosen)})
'''
_ACCURACY = {"metric": "acc", "aggregation": "mean", "higher_is_better": True}


@dataclass(frozen=True, kw_only=True)
class LmEvalExport(Export):
    """Tasks for lm-evaluation-harness."""

    def write(self, source: ExportSource, folder: Path) -> list[str]:
        """Write the tasks of each set; a set of several parts is a group with a task for each."""
        (folder / f"{LOADER}.py").write_text(_LOADER, encoding="utf-8")
        names = [f"{TAG}_{name}" for name in make_identifiers([item.name for item in source.sets])]
        for item, name in zip(source.sets, names, strict=True):
            _write_tasks(item, name, folder)
        if len(names) > 1:
            _write_yaml(folder / f"{TAG}.yaml", {"group": TAG, "task": names, "metadata": {"version": 1.0}})
        return []


def _write_tasks(item: ExportSet, task: str, folder: Path) -> None:
    challenge_set = item.load()
    labels = choose_label_order(item.name, challenge_set)
    table = lay_out_rows(challenge_set, labels)
    file = f"{task}.jsonl"
    stream_table(table, folder / file, "jsonl")
    parts = table["part"].unique(maintain_order=True).sort().to_list()
    whole = len(parts) == 1
    tasks = [task] if whole else [f"{task}_{name}" for name in make_identifiers(parts)]
    for name, part in zip(tasks, parts, strict=True):
        where = {"file": file} if whole else {"file": file, "part": part}
        _write_yaml(folder / f"{name}.yaml", _make_task_config(name, labels, challenge_set.card, where))
    if not whole:
        _write_yaml(folder / f"{task}.yaml", _make_group_config(task, tasks, challenge_set.card))


def _make_task_config(
    name: str, labels: tuple[str, ...], card: Card, where: dict[str, str]
) -> dict[str, Any]:
    question, choices = QUESTIONS[labels]
    return {
        "task": name,
        "custom_dataset": FunctionTag(f"{LOADER}.pairs"),
        "dataset_kwargs": where,
        "test_split": "test",
        "output_type": "multiple_choice",
        "doc_to_text": Verbatim(f"{{{{premise}}}}\nQuestion: {{{{hypothesis}}}} {question}\nAnswer:"),
        "doc_to_target": "label",
        "doc_to_choice": list(choices),
        "metric_list": [_ACCURACY],
        "metadata": _make_task_metadata(card),
    }


def _make_group_config(name: str, tasks: Iterable[str], card: Card) -> dict[str, Any]:
    """Join the parts of a set: its accuracy is the one over all its pairs."""
    return {
        "group": name,
        "task": list(tasks),
        "aggregate_metric_list": [{"metric": "acc", "aggregation": "mean", "weight_by_size": True}],
        "metadata": _make_task_metadata(card),
    }


def _make_task_metadata(card: Card) -> dict[str, Any]:
    return {
        "version": float(card.version or 1),
        "digest": card.digest,
        "made_with": f"rightreasons {__version__}",
    }


def _write_yaml(path: Path, task: dict[str, Any]) -> None:
    path.write_text(dump_yaml(task), encoding="utf-8")
