"""Foreign text on a page: on one line, without control characters, and cut to a length that a page can hold."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING

from rightreasons.core.formatting import plain

if TYPE_CHECKING:
    from markupsafe import Markup

NAME = 120  # characters of a model's or set's name, or of a cell
SENTENCE = 2_000
_BREAKS = re.compile(r"(?<=[_/.:-])(?=\w)")
CUT = "\N{HORIZONTAL ELLIPSIS}"


def shorten_name(value: object) -> str:
    """Cut a long name or cell in the middle, because similar names often differ at their end."""
    text = plain(value)
    if len(text) <= NAME:
        return text
    return f"{text[: NAME // 2]}{CUT}{text[-NAME // 2 :]}"


def shorten_sentence(value: object) -> str:
    """Cut a long sentence at its end."""
    text = plain(value)
    return text if len(text) <= SENTENCE else f"{text[:SENTENCE]}{CUT}"


def make_breakable(value: object) -> Markup:
    """Escape a name, and let it break after punctuation but not inside words."""
    from markupsafe import Markup

    return Markup("<wbr>").join(_BREAKS.split(shorten_name(value)))


def format_moment(value: str) -> str:
    """Format one or several times for people; anything else stays as it is."""
    return ", ".join(_moment(each) for each in value.split(", "))


def _moment(value: str) -> str:
    try:
        read = datetime.fromisoformat(value)
    except ValueError:
        return shorten_name(value)
    return f"{read:%Y-%m-%d %H:%M} {read.tzname() or ''}".strip()
