"""Figures of a run for a model's README: a model-index that the hub reads, and a table for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rightreasons.core.errors import InputError
from rightreasons.exports import yaml
from rightreasons.exports.figures import Figure, figures
from rightreasons.exports.source import SPLITS
from rightreasons.reports.markdown import code, escape

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rightreasons.exports.source import ExportSource
    from rightreasons.runs.folder import Run

_DIGITS = 4


def write(source: ExportSource, folder: Path | None) -> list[str]:
    """Write, for each model that was asked for, MODEL.yaml to put into the front matter and MODEL.md for the text."""
    if folder is None or source.run is None:
        raise InputError("The target 'model-card' needs a run, and a folder to write. Give both.")
    for entry in source.run.card["models"]:
        if not entry["baseline"]:
            (folder / f"{entry['slug']}.yaml").write_text(index(source.run, entry["name"]), encoding="utf-8")
            (folder / f"{entry['slug']}.md").write_text(block(source.run, entry["name"]), encoding="utf-8")
    return []


def index(run: Run, model: str) -> str:
    """Write the model-index of one model: a result for each set, a metric for each figure."""
    found = figures(run, model)
    results = [
        _result(entry, [figure for figure in found if figure.set == entry["name"]])
        for entry in run.card["sets"]
    ]
    return yaml.shown(
        {"model-index": [{"name": model, "results": [one for one in results if one["metrics"]]}]}
    )


def block(run: Run, model: str) -> str:
    """Write the text of one model: a table of its figures, and how to make them again."""
    lines = ["| set | pairs | accuracy, 95% interval | n |", "| --- | --- | --: | --: |"]
    lines += [
        f"| {escape(figure.set)} | {escape(figure.of)} | {figure.cell.text()} | {figure.cell.n:,} |"
        for figure in figures(run, model)
    ]
    rules = {run.label_rule(name) for name in run.sets}
    made = [f"Made by rightreasons {run.card['versions']['rightreasons']}: {code(run.card['command'])}."]
    made += [f"Labels: {escape(rule)}." for rule in sorted(rules)]
    warned = [f"> **Warning.** {escape(text)}" for text in run.warnings if text.startswith(f"{model}")]
    title = "## Is it right for the right reasons?"
    return "\n\n".join([title, *warned, "\n".join(lines), " ".join(made)]) + "\n"


def _result(entry: Mapping[str, Any], found: list[Figure]) -> dict[str, Any]:
    split = str(entry["options"].get("split", "eval"))
    return {
        "task": {"type": "text-classification", "name": "Natural Language Inference"},
        "dataset": {
            "name": entry["name"],
            "type": entry["slug"],
            "config": entry["slug"],
            "split": SPLITS.get(split, split),
            "revision": entry["digest"],
        },
        "metrics": [_metric(figure) for figure in found],
    }


def _metric(figure: Figure) -> dict[str, Any]:
    low, high = figure.cell.low, figure.cell.high
    extent = f"95% interval {low:.{_DIGITS}f} to {high:.{_DIGITS}f}, n = {figure.cell.n:,}"
    name = f"Accuracy on {figure.of} ({extent})"
    return {"type": "accuracy", "value": round(figure.accuracy, _DIGITS), "name": name}
