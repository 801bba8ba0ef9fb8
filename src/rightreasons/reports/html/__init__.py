"""The report as one HTML file that needs nothing else.

page        the whole page
sections    which exhibits stand where, and what the navigation shows
tables      an exhibit's table as cells that can be sorted
pairs       the pairs and answers of a set as columns for the browser
charts      specifications with their rows
packing     data inside a page that can't break out of it
policy      what the page forbids itself
shown       texts from outside, cut to what a page can hold
"""

from __future__ import annotations

from rightreasons.reports.html.page import render_html

__all__ = ["render_html"]
