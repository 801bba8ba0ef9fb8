"""The report as one HTML file: it opens from disk, makes no network request, and shows foreign text as text."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from rightreasons.core.resources import DATA_FOLDER
from rightreasons.reports.html.pairs import as_json, pack, pack_text, pair_columns
from rightreasons.reports.html.sections import chart_data, group_exhibits
from rightreasons.reports.renderers import cells
from rightreasons.reports.report import TONES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from jinja2 import Environment

    from rightreasons.reports.html.sections import Group
    from rightreasons.reports.report import Report

FOLDER = DATA_FOLDER / "report"
HEAD = "theme.js"  # runs before anything is painted
BODY = ("packing.js", "texts.js", "tables.js", "charts.js", "pairs.js", "pairs_page.js", "start.js")
_SOURCE_MAP = re.compile(r"\n//# sourceMappingURL=\S*\s*\Z")
VENDORED = ("vega.min.js", "vega-lite.min.js", "vega-interpreter.js")


def render_html(report: Report) -> str:
    """Render the whole report as one self-contained page."""
    from markupsafe import Markup

    made = group_exhibits(report.exhibits)
    drawn = any(one.exhibit.chart is not None for group in made for one in group.exhibits)
    vendored = [_vendored(name) for name in VENDORED] if drawn else []
    scripts = (_read_asset(HEAD), _script())
    return (
        _templates()
        .get_template("page.html")
        .render(
            report=report,
            groups=made,
            tones=TONES,
            policy=content_policy([*scripts, *vendored]),
            style=Markup(_read_asset("style.css")),  # noqa: S704 - our own file
            head=Markup(scripts[0]),  # noqa: S704 - our own file
            body=Markup(scripts[1]),  # noqa: S704 - our own files
            vendored=[pack_text(text) for text in vendored],
            about=Markup(as_json(_page_facts(report))),  # noqa: S704 - escaped for its place
            exhibits=pack(_exhibit_data(made)),
            pairs=[pack(pair_columns(examples)) for examples in report.examples],
        )
    )


def _page_facts(report: Report) -> dict[str, Any]:
    """Collect what the scripts need before anything is unpacked."""
    return {"sets": [cells.shorten_name(examples.set) for examples in report.examples]}


def _exhibit_data(made: Sequence[Group]) -> dict[str, Any]:
    placed = {one.address: one.exhibit for group in made for one in group.exhibits}
    return {address: chart_data(exhibit) for address, exhibit in placed.items()}


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
    made.filters |= {
        "name": cells.shorten_name,
        "sentence": cells.shorten_sentence,
        "breakable": cells.make_breakable,
        "moment": cells.format_moment,
    }
    return made


@cache
def _read_asset(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


@cache
def _script() -> str:
    """Join the scripts of the page in one scope."""
    parts = "\n".join(_read_asset(name) for name in BODY)
    return f'(() => {{\n"use strict";\n{parts}}})();\n'


@cache
def _vendored(name: str) -> str:
    """Read a library without its source map comment, which would make a browser look for another file."""
    return _SOURCE_MAP.sub("\n", _read_asset(f"vendor/{name}"))


def content_policy(scripts: Iterable[str]) -> str:
    """Return the content security policy of a page with these scripts.

    Even a text that got past all escaping could neither run nor send anything.
    """
    hashes = " ".join(f"'sha256-{_hash(script)}'" for script in scripts)
    parts = (
        "default-src 'none'",
        f"script-src {hashes}",
        "style-src 'unsafe-inline'",  # charts and bars are placed by style attributes
        "img-src data: blob:",
        "base-uri 'none'",
        "form-action 'none'",
    )
    return "; ".join(parts)


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
