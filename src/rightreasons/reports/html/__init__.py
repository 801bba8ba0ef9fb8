"""The report as one self-contained HTML file.

page      the whole page and its content security policy
sections  the exhibits: their order, sortable tables, chart data
pairs     the pairs viewer: which pairs of a set, and their packed columns
"""

from __future__ import annotations

from rightreasons.reports.html.page import render_html

__all__ = ["render_html"]
