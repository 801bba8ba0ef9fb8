"""Sets as tasks of lm-evaluation-harness: YAML and JSONL that --include_path finds, wherever the folder is moved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rightreasons import __version__
from rightreasons.core.errors import InputError
from rightreasons.exports import yaml
from rightreasons.exports.questions import QUESTIONS, identifiers, label_order, rows
from rightreasons.io.table_writer import stream_table

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from rightreasons.core.pairs import Card
    from rightreasons.exports.source import ExportSet, ExportSource

TAG = "rightreasons"
LOADER = "rightreasons_pairs"
# A path in a task file counts from where lm-eval is started. This file counts from its own place instead.
_LOADER = '''"""Reads the pairs that lie beside this file; lm-eval calls it for the tasks in this folder."""

import json
from pathlib import Path

import datasets


def pairs(file, part=None, **_):
    """Give the pairs of one part of a set, or all of them."""
    with Path(__file__).with_name(file).open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    chosen = [row for row in rows if part in (None, row["part"])]
    return datasets.DatasetDict({"test": datasets.Dataset.from_list(chosen)})
'''
_ACCURACY = {"metric": "acc", "aggregation": "mean", "higher_is_better": True}


def write(source: ExportSource, folder: Path | None) -> list[str]:
    """Write the tasks of each set; a set of several parts is a group with a task for each."""
    if folder is None:
        raise InputError("The target 'lm-eval' needs a folder to write. Name one.")
    (folder / f"{LOADER}.py").write_text(_LOADER, encoding="utf-8")
    names = [f"{TAG}_{name}" for name in identifiers([one.name for one in source.sets])]
    for one, name in zip(source.sets, names, strict=True):
        _write_set(one, name, folder)
    if len(names) > 1:
        _put(folder / f"{TAG}.yaml", {"group": TAG, "task": names, "metadata": {"version": 1.0}})
    return []


def _write_set(one: ExportSet, task: str, folder: Path) -> None:
    made = one.load()
    names = label_order(one.name, made)
    table = rows(made, names)
    file = f"{task}.jsonl"
    stream_table(table, folder / file, "jsonl")
    found = table["part"].unique(maintain_order=True).sort().to_list()
    whole = len(found) == 1
    tasks = [task] if whole else [f"{task}_{part}" for part in identifiers(found)]
    for name, part in zip(tasks, found, strict=True):
        described = _task(name, names, made.card, {"file": file} if whole else {"file": file, "part": part})
        _put(folder / f"{name}.yaml", described)
    if not whole:
        _put(folder / f"{task}.yaml", _group(task, tasks, made.card))


def _task(name: str, labels: tuple[str, ...], card: Card, where: dict[str, str]) -> dict[str, Any]:
    question, choices = QUESTIONS[labels]
    return {
        "task": name,
        "custom_dataset": yaml.Raw(f"!function {LOADER}.pairs"),
        "dataset_kwargs": where,
        "test_split": "test",
        "output_type": "multiple_choice",
        "doc_to_text": yaml.Raw(f'"{{{{premise}}}}\\nQuestion: {{{{hypothesis}}}} {question}\\nAnswer:"'),
        "doc_to_target": "label",
        "doc_to_choice": list(choices),
        "metric_list": [_ACCURACY],
        "metadata": _metadata(card),
    }


def _group(name: str, tasks: Iterable[str], card: Card) -> dict[str, Any]:
    """Put the parts of a set together: its accuracy is that over all its pairs."""
    return {
        "group": name,
        "task": list(tasks),
        "aggregate_metric_list": [{"metric": "acc", "aggregation": "mean", "weight_by_size": True}],
        "metadata": _metadata(card),
    }


def _metadata(card: Card) -> dict[str, Any]:
    return {
        "version": float(card.version or 1),
        "digest": card.digest,
        "made_with": f"rightreasons {__version__}",
    }


def _put(path: Path, task: dict[str, Any]) -> None:
    path.write_text(yaml.shown(task), encoding="utf-8")
