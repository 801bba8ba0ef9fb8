"""A report of several runs for the terminal: one result, with the models side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from rightreasons.core.formatting import plain
from rightreasons.reports.renderers import rich
from rightreasons.reports.table import choice_lines, sentence, warning_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rightreasons.reports.report import Report

OVERVIEW = "accuracy"  # the key of the table over all sets, and the beginning of those of one set


def show_report(report: Report, width: int) -> RenderableType:
    """Show which model to choose, warnings, accuracies by set and on all, and what to take away of each model."""
    parts = [*choice_lines(report.choice), *warning_lines(report.warnings)]
    shown = [one for one in report.exhibits if one.key.startswith(f"{OVERVIEW}-")]
    for exhibit in [*shown, *(one for one in report.exhibits if one.key == OVERVIEW)]:
        parts += [rich(exhibit, width), *_findings(report, exhibit.set), Text("")]
    asked = [sentence(f"{model}:", plain(text)) for model, text in report.asked]
    short = [sentence(f"{each.model}:", plain(each.sentence)) for each in report.headlines]
    return Group(*parts, *_part("How the models were asked", asked), *_part("In short", short)[:-1])


def _findings(report: Report, name: str) -> list[RenderableType]:
    return [
        sentence(each.model, plain(found.sentence))
        for each in report.headlines
        for found in each.findings
        if name and found.set == name
    ]


def _part(title: str, lines: Sequence[RenderableType]) -> list[RenderableType]:
    return [Text(title, style="bold"), *lines, Text("")] if lines else []
