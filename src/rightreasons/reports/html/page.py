"""The report as one HTML file: it opens from disk, asks the network for nothing, and shows texts only as texts."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from rightreasons.core.resources import DATA
from rightreasons.reports.html import charts, pairs, shown
from rightreasons.reports.html.packing import as_json, packed, packed_text
from rightreasons.reports.html.policy import policy
from rightreasons.reports.html.sections import groups
from rightreasons.reports.report import TONES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jinja2 import Environment

    from rightreasons.reports.html.sections import Group
    from rightreasons.reports.report import Report

FOLDER = DATA / "report"
HEAD = "theme.js"  # runs before anything is painted
BODY = ("packing.js", "texts.js", "tables.js", "charts.js", "pairs.js", "pairs_page.js", "start.js")
_SOURCE_MAP = re.compile(r"\n//# sourceMappingURL=\S*\s*\Z")
VENDORED = ("vega.min.js", "vega-lite.min.js", "vega-interpreter.js")


def render_html(report: Report) -> str:
    """Write the whole report as one self-contained page."""
    from markupsafe import Markup

    made = groups(report.exhibits)
    drawn = any(one.exhibit.chart is not None for group in made for one in group.exhibits)
    vendored = [_vendored(name) for name in VENDORED] if drawn else []
    scripts = (_read(HEAD), _script())
    return (
        _templates()
        .get_template("page.html")
        .render(
            report=report,
            groups=made,
            tones=TONES,
            policy=policy([*scripts, *vendored]),
            style=Markup(_read("style.css")),  # noqa: S704 - our own file
            head=Markup(scripts[0]),  # noqa: S704 - our own file
            body=Markup(scripts[1]),  # noqa: S704 - our own files
            vendored=[packed_text(text) for text in vendored],
            about=Markup(as_json(_about(report))),  # noqa: S704 - escaped for its place
            exhibits=packed(_exhibits(made)),
            pairs=[packed(pairs.columns(examples)) for examples in report.examples],
        )
    )


def _about(report: Report) -> dict[str, Any]:
    """Say what the scripts must know before anything is unpacked."""
    return {"sets": [shown.name(examples.set) for examples in report.examples]}


def _exhibits(made: Sequence[Group]) -> dict[str, Any]:
    placed = {one.address: one.exhibit for group in made for one in group.exhibits}
    return {address: charts.data(exhibit) for address, exhibit in placed.items()}


@cache
def _templates() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {name: getattr(shown, name) for name in ("name", "sentence", "breakable", "moment")}
    return made


@cache
def _read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


@cache
def _script() -> str:
    """Put the scripts of the page together, in one scope of their own."""
    parts = "\n".join(_read(name) for name in BODY)
    return f'(() => {{\n"use strict";\n{parts}}})();\n'


@cache
def _vendored(name: str) -> str:
    """Read a library without its last remark, which would have a browser's tools look for another file."""
    return _SOURCE_MAP.sub("\n", _read(f"vendor/{name}"))
