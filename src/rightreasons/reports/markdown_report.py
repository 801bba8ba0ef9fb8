"""The report as markdown: the same sentences and tables as on the page, for a model card or a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.reports.markdown import choice_list, code, escape
from rightreasons.reports.renderers import markdown
from rightreasons.reports.report import TONES

if TYPE_CHECKING:
    from rightreasons.reports.report import Headline, Report


def markdown_page(report: Report) -> str:
    """Write the whole report."""
    parts = [f"# {escape(report.title)}", f"Made {escape(report.made)}."]
    parts += [choice_list(report.choice)] if report.choice else []
    parts += [f"> **Warning.** {escape(text)}" for text in report.warnings]
    parts += [_headline(headline) for headline in report.headlines]
    parts += [f"- {escape(remark)}" for remark in report.remarks]
    parts += [markdown(exhibit) for exhibit in report.exhibits]
    parts += ["## How the models were asked"] if report.asked else []
    parts += [f"- **{escape(model)}**: {escape(text)}" for model, text in report.asked]
    parts += ["## How to read it", escape(report.rule), "## How to make it again"]
    parts += ["\n".join(f"- {escape(what)}: {code(how)}" for what, how in report.recipe)]
    return "\n\n".join(parts) + "\n"


def _headline(headline: Headline) -> str:
    lines = [f"**{escape(headline.model)}.** {escape(headline.sentence)}", ""]
    lines += [
        f"- {escape(found.set)} ({TONES[found.tone].lower()}): {escape(found.sentence)}"
        for found in headline.findings
    ]
    return "\n".join(lines)
