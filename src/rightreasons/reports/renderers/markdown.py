"""A report, or one exhibit of it, as markdown: for report.md, a model card or a pull request."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rightreasons.core.formatting import replace_unprintable
from rightreasons.reports.renderers.cells import format_exhibit_rows, list_shown_columns
from rightreasons.reports.report_data import TONES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rightreasons.core.exhibit import Exhibit
    from rightreasons.reports.report_data import Report, Tone

HEADING_LEVEL = 3  # of an exhibit's heading
_BACKTICKS = re.compile(r"`+")
_SPECIAL = re.compile(r"([\\`*_{\[\]#|~$])")


def render_markdown_report(report: Report) -> str:
    """Render the whole report: verdicts, the tables of all sets, each set, and how to reproduce it."""
    sets = list(dict.fromkeys(exhibit.set for exhibit in report.exhibits if exhibit.set))
    parts = [
        f"# {escape_markdown(report.title)}",
        f"Created {escape_markdown(report.created)}.",
        _render_bullet_section("Which model to choose", map(escape_markdown, report.choice)),
        "\n".join(f"> **Warning.** {escape_markdown(text)}\n>" for text in report.warnings),
        _render_bullet_section(
            "In short",
            (
                f"**{escape_markdown(each.model)}**: {escape_markdown(each.sentence)}"
                for each in report.headlines
            ),
        ),
        *(render_markdown(exhibit, 2) for exhibit in report.exhibits if not exhibit.set),
        *(_render_set_section(report, name) for name in sets),
        _render_bullet_section(
            report.headings.notes,
            (f"**{escape_markdown(name)}**: {escape_markdown(how)}" for name, how in report.model_notes),
        ),
        f"## How to read it\n\n{escape_markdown(report.rule)}" if report.rule else "",
        _render_bullet_section(
            "How to reproduce it",
            (f"{escape_markdown(what)}: {format_code_span(how)}" for what, how in report.provenance),
        ),
        _render_bullet_section("Remarks", map(escape_markdown, report.remarks)),
    ]
    return "\n\n".join(part.strip("\n") for part in parts if part) + "\n"


def render_markdown(exhibit: Exhibit, level: int = HEADING_LEVEL) -> str:
    """Render title, caption, table and notes; nothing in foreign text is markup."""
    shown = list_shown_columns(exhibit)
    lines = [
        _render_table_row(escape_markdown(column.heading) for column in shown),
        _render_table_row("--:" if column.is_figure else "---" for column in shown),
        *(_render_table_row(escape_markdown(cell) for cell in row) for row in format_exhibit_rows(exhibit)),
    ]
    parts = [
        f"{'#' * level} {escape_markdown(exhibit.title)}",
        escape_markdown(exhibit.caption),
        "\n".join(lines),
    ]
    parts.append("\n".join(f"- {escape_markdown(note)}" for note in exhibit.notes))
    return "\n\n".join(part for part in parts if part) + "\n"


def escape_markdown(value: object) -> str:
    """Escape foreign text for markdown: nothing in it is markup, HTML or a new line."""
    text = replace_unprintable(value).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(r"\\\1", text)


def format_code_span(value: object) -> str:
    """Show foreign text as code, with a fence longer than any run of backticks in it."""
    text = replace_unprintable(value)
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _render_set_section(report: Report, name: str) -> str:
    """Render one set: a sentence per model, then its tables."""
    findings = [
        f"- **{escape_markdown(each.model)}**{_render_tone(finding.tone)} {escape_markdown(finding.sentence)}"
        for each in report.headlines
        for finding in each.findings
        if finding.set == name
    ]
    tables = [render_markdown(exhibit) for exhibit in report.exhibits if exhibit.set == name]
    return "\n\n".join(part for part in [f"## {escape_markdown(name)}", "\n".join(findings), *tables] if part)


def _render_tone(tone: Tone) -> str:
    return f" ({TONES[tone].lower()})" if tone in TONES else ":"


def _render_bullet_section(title: str, lines: Iterable[str]) -> str:
    items = [f"- {line}" for line in lines]
    return "\n".join([f"## {title}", "", *items]) if items else ""


def _render_table_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
