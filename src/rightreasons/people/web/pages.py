"""Templates of the pages, their style and script, and the headers that forbid everything from elsewhere."""

from __future__ import annotations

import hashlib
import re
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Any

from rightreasons.core.resources import DATA_FOLDER

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

FOLDER = DATA_FOLDER / "people" / "web"
STATIC = {"style.css": "text/css; charset=utf-8", "keys.js": "text/javascript; charset=utf-8"}
# Only the style and the script of this server; no page may be framed, and forms go back to where they came from.
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # with no-referrer, browsers would not say where a form comes from
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
_BLANK_LINES = re.compile(r"\n\s*\n")


@cache
def read_static_file(name: str) -> tuple[bytes, str]:
    """Return the content of a static file, and the name under which it is served: it has the digest of the content."""
    content = (FOLDER / name).read_bytes()
    stem, _, ending = name.partition(".")
    return content, f"{stem}-{hashlib.sha256(content).hexdigest()[:12]}.{ending}"


def find_static_file(address: str) -> str | None:
    """Find the static file that is served under a name."""
    return next((name for name in STATIC if read_static_file(name)[1] == address), None)


@cache
def make_page_environment() -> Environment:
    """Make the environment of the templates: every text is escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["paragraphs"] = format_paragraphs
    return environment


def render_page(template: str, /, **values: Any) -> str:
    """Render a page."""
    return make_page_environment().get_template(template).render(values)


def format_paragraphs(text: str) -> Markup:
    """Write a plain text as paragraphs and lists: an empty line ends a paragraph, a hyphen begins an item of a list."""
    from markupsafe import Markup

    parts = []
    for block in _BLANK_LINES.split(text.strip()):
        lines = [line.strip() for line in block.splitlines()]
        for is_list, group in groupby(lines, key=lambda line: line.startswith("- ")):
            if is_list:
                items = Markup("").join(Markup("<li>{}</li>").format(line[2:]) for line in group)
                parts.append(Markup("<ul>{}</ul>").format(items))
            else:
                parts.append(Markup("<p>{}</p>").format(" ".join(group)))
    return Markup("\n").join(parts)
