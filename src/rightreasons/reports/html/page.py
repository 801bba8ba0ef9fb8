"""The report as one HTML file: it opens from disk, makes no network request, and shows foreign text as text."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from rightreasons.core.resources import DATA_FOLDER
from rightreasons.reports.html.pairs import dump_script_json, encode_examples, pack_json, pack_text
from rightreasons.reports.html.sections import collect_csv_and_chart, group_exhibits_by_set
from rightreasons.reports.renderers import cells
from rightreasons.reports.report_data import TONES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from jinja2 import Environment

    from rightreasons.reports.html.sections import ExhibitGroup
    from rightreasons.reports.report_data import Report

FOLDER = DATA_FOLDER / "report"
HEAD = "theme.js"  # runs before anything is painted
BODY = ("packing.js", "texts.js", "tables.js", "charts.js", "pairs.js", "pairs_page.js", "start.js")
_SOURCE_MAP = re.compile(r"\n//# sourceMappingURL=\S*\s*\Z")
VENDORED = ("vega.min.js", "vega-lite.min.js", "vega-interpreter.js")


def render_html(report: Report) -> str:
    """Render the whole report as one self-contained page."""
    from markupsafe import Markup

    groups = group_exhibits_by_set(report.exhibits, fold=report.fold)
    drawn = any(placed.exhibit.chart is not None for group in groups for placed in group.exhibits)
    vendored = [_read_vendored_library(name) for name in VENDORED] if drawn else []
    scripts = (_read_page_file(HEAD), _join_scripts())
    return (
        _make_template_environment()
        .get_template("page.html")
        .render(
            report=report,
            groups=groups,
            tones=TONES,
            policy=make_content_security_policy([*scripts, *vendored]),
            style=Markup(_read_page_file("style.css")),  # noqa: S704 - our own file
            head=Markup(scripts[0]),  # noqa: S704 - our own file
            body=Markup(scripts[1]),  # noqa: S704 - our own files
            vendored=[pack_text(text) for text in vendored],
            about=Markup(dump_script_json(_collect_page_facts(report))),  # noqa: S704 - escaped for its place
            exhibits=pack_json(_collect_exhibit_data(groups)),
            pairs=[pack_json(encode_examples(examples)) for examples in report.examples],
        )
    )


def _collect_page_facts(report: Report) -> dict[str, Any]:
    """Collect what the scripts need before anything is unpacked."""
    return {"sets": [cells.shorten_name(examples.set) for examples in report.examples]}


def _collect_exhibit_data(groups: Sequence[ExhibitGroup]) -> dict[str, Any]:
    by_address = {placed.address: placed.exhibit for group in groups for placed in group.exhibits}
    return {address: collect_csv_and_chart(exhibit) for address, exhibit in by_address.items()}


@cache
def _make_template_environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "name": cells.shorten_name,
        "sentence": cells.shorten_sentence,
        "breakable": cells.make_breakable_name,
        "moment": cells.format_times,
    }
    return environment


@cache
def _read_page_file(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


@cache
def _join_scripts() -> str:
    """Join the scripts of the page in one scope."""
    parts = "\n".join(_read_page_file(name) for name in BODY)
    return f'(() => {{\n"use strict";\n{parts}}})();\n'


@cache
def _read_vendored_library(name: str) -> str:
    """Read a library without its source map comment, which would make a browser look for another file."""
    return _SOURCE_MAP.sub("\n", _read_page_file(f"vendor/{name}"))


def make_content_security_policy(scripts: Iterable[str]) -> str:
    """Return the content security policy of a page with these scripts.

    Even a text that got past all escaping could neither run nor send anything.
    """
    hashes = " ".join(f"'sha256-{_hash_script(script)}'" for script in scripts)
    parts = (
        "default-src 'none'",
        f"script-src {hashes}",
        "style-src 'unsafe-inline'",  # charts and bars are placed by style attributes
        "img-src data: blob:",
        "base-uri 'none'",
        "form-action 'none'",
    )
    return "; ".join(parts)


def _hash_script(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
