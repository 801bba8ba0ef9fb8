"""A report, or one exhibit of it, as markdown: for report.md, a model card or a pull request."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rightreasons.core.formatting import replace_unprintable
from rightreasons.reports.renderers.cells import columns, rows
from rightreasons.reports.report import TONES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rightreasons.reports.exhibits.exhibit import Exhibit
    from rightreasons.reports.report import Report

LEVEL = 3  # of an exhibit's heading
_BACKTICKS = re.compile(r"`+")
_SPECIAL = re.compile(r"([\\`*_{\[\]#|~$])")


def render_markdown_report(report: Report) -> str:
    """Render the whole report: verdicts, the tables of all sets, each set, and how to reproduce it."""
    sets = list(dict.fromkeys(exhibit.set for exhibit in report.exhibits if exhibit.set))
    parts = [
        f"# {escape(report.title)}",
        f"Created {escape(report.created)}.",
        _bullets("Which model to choose", map(escape, report.choice)),
        "\n".join(f"> **Warning.** {escape(text)}\n>" for text in report.warnings),
        _bullets(
            "In short", (f"**{escape(each.model)}**: {escape(each.sentence)}" for each in report.headlines)
        ),
        *(render_markdown(exhibit, 2) for exhibit in report.exhibits if not exhibit.set),
        *(_render_set(report, name) for name in sets),
        _bullets(
            "How the models were run",
            (f"**{escape(name)}**: {escape(how)}" for name, how in report.model_notes),
        ),
        f"## How to read it\n\n{escape(report.rule)}",
        _bullets("How to reproduce it", (f"{escape(what)}: {code(how)}" for what, how in report.provenance)),
        _bullets("Remarks", map(escape, report.remarks)),
    ]
    return "\n\n".join(part.strip("\n") for part in parts if part) + "\n"


def render_markdown(exhibit: Exhibit, level: int = LEVEL) -> str:
    """Render title, caption, table and notes; nothing in foreign text is markup."""
    shown = columns(exhibit)
    lines = [
        _table_row(escape(column.heading) for column in shown),
        _table_row("--:" if column.is_figure else "---" for column in shown),
        *(_table_row(escape(cell) for cell in row) for row in rows(exhibit)),
    ]
    parts = [f"{'#' * level} {escape(exhibit.title)}", escape(exhibit.caption), "\n".join(lines)]
    parts.append("\n".join(f"- {escape(note)}" for note in exhibit.notes))
    return "\n\n".join(part for part in parts if part) + "\n"


def escape(value: object) -> str:
    """Escape foreign text for markdown: nothing in it is markup, HTML or a new line."""
    text = replace_unprintable(value).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(r"\\\1", text)


def code(value: object) -> str:
    """Show foreign text as code, with a fence longer than any run of backticks in it."""
    text = replace_unprintable(value)
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _render_set(report: Report, name: str) -> str:
    """Render one set: a sentence per model, then its tables."""
    findings = [
        f"- **{escape(each.model)}** ({TONES[finding.tone].lower()}) {escape(finding.sentence)}"
        for each in report.headlines
        for finding in each.findings
        if finding.set == name
    ]
    tables = [render_markdown(exhibit) for exhibit in report.exhibits if exhibit.set == name]
    return "\n\n".join(part for part in [f"## {escape(name)}", "\n".join(findings), *tables] if part)


def _bullets(title: str, lines: Iterable[str]) -> str:
    items = [f"- {line}" for line in lines]
    return "\n".join([f"## {title}", "", *items]) if items else ""


def _table_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
