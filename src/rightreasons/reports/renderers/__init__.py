"""The text forms of an exhibit: markdown, CSV, LaTeX, and a table for the terminal.

cells        a value and its format as text, in one place for all forms
as_markdown  a section of a page, for a model card or a pull request
as_csv       the values themselves, for other programs
as_latex     a booktabs table, for a paper
as_terminal  a rich renderable, cut to the width of the terminal
"""

from __future__ import annotations

from rightreasons.reports.renderers.as_csv import csv
from rightreasons.reports.renderers.as_latex import latex
from rightreasons.reports.renderers.as_markdown import markdown
from rightreasons.reports.renderers.as_terminal import rich

__all__ = ["csv", "latex", "markdown", "rich"]
