"""Figures of a run for a model's README: a model-index that the Hugging Face hub reads, and a table for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from rightreasons.core.errors import InputError
from rightreasons.core.parts import Export
from rightreasons.exports.accuracies import list_accuracies
from rightreasons.exports.export import SPLITS
from rightreasons.exports.layout import dump_yaml
from rightreasons.reports.renderers.markdown import escape_markdown, format_code_span

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rightreasons.exports.accuracies import SubsetAccuracy
    from rightreasons.exports.export import ExportSource
    from rightreasons.runs.folder import Run

_DIGITS = 4


@dataclass(frozen=True, kw_only=True)
class ModelCardExport(Export):
    """A model-index and a table of figures, for a model's README."""

    takes: ClassVar[Literal["sets", "run", "network"]] = "run"

    def write(self, source: ExportSource, folder: Path) -> list[str]:
        """Write, for each requested model, MODEL.yaml for the front matter and MODEL.md for the text."""
        if source.run is None:
            raise InputError("The export 'model-card' needs a run. Give a run folder.")
        for entry in source.run.card["models"]:
            if not entry["baseline"]:
                index, section = (
                    render_model_index(source.run, entry["name"]),
                    render_readme_section(source.run, entry["name"]),
                )
                (folder / f"{entry['slug']}.yaml").write_text(index, encoding="utf-8")
                (folder / f"{entry['slug']}.md").write_text(section, encoding="utf-8")
        return []


def render_model_index(run: Run, model: str) -> str:
    """Render the model-index of one model: a result for each set, a metric for each figure."""
    figures = list_accuracies(run, model)
    results = [
        _make_index_result(entry, [figure for figure in figures if figure.set == entry["name"]])
        for entry in run.card["sets"]
    ]
    kept = [result for result in results if result["metrics"]]
    return dump_yaml({"model-index": [{"name": model, "results": kept}]})


def render_readme_section(run: Run, model: str) -> str:
    """Render the text of one model: a table of its figures, and the command that gave them."""
    lines = ["| set | pairs | accuracy, 95% confidence interval | n |", "| --- | --- | --: | --: |"]
    lines += [
        f"| {escape_markdown(figure.set)} | {escape_markdown(figure.pairs_covered)} | {figure.cell.text()} "
        f"| {figure.cell.n:,} |"
        for figure in list_accuracies(run, model)
    ]
    rules = {run.label_rule(name) for name in run.sets}
    origin = [
        f"Generated with rightreasons {run.card['versions']['rightreasons']}: {format_code_span(run.card['command'])}."
    ]
    origin += [f"Labels: {escape_markdown(rule)}." for rule in sorted(rules)]
    warnings = [
        f"> **Warning.** {escape_markdown(text)}" for text in run.warnings if text.startswith(f"{model}")
    ]
    title = "## Is it right for the right reasons?"
    return "\n\n".join([title, *warnings, "\n".join(lines), " ".join(origin)]) + "\n"


def _make_index_result(entry: Mapping[str, Any], figures: list[SubsetAccuracy]) -> dict[str, Any]:
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
        "metrics": [_make_index_metric(figure) for figure in figures],
    }


def _make_index_metric(figure: SubsetAccuracy) -> dict[str, Any]:
    low, high = figure.cell.low, figure.cell.high
    extent = f"95% confidence interval {low:.{_DIGITS}f} to {high:.{_DIGITS}f}, n = {figure.cell.n:,}"
    name = f"Accuracy on {figure.pairs_covered} ({extent})"
    return {"type": "accuracy", "value": round(figure.accuracy, _DIGITS), "name": name}
