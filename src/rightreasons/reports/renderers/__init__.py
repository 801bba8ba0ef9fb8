"""The forms of a report and its exhibits: markdown, CSV, LaTeX and the terminal; HTML has a package of its own.

cells          a value and its format as text, the same in all forms
markdown       the whole report, or one exhibit
terminal       the report's main tables and sentences, one exhibit, lists
csv_and_latex  one exhibit, for other programs and for papers
"""

from __future__ import annotations

from rightreasons.reports.renderers.csv_and_latex import render_csv, render_latex
from rightreasons.reports.renderers.markdown import render_markdown, render_markdown_report
from rightreasons.reports.renderers.terminal import render_terminal, render_terminal_report

__all__ = [
    "render_csv",
    "render_latex",
    "render_markdown",
    "render_markdown_report",
    "render_terminal",
    "render_terminal_report",
]
