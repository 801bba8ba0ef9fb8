"""Texts from outside on a page: on one line, without letters that steer, and no longer than a page can hold."""

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


def name(value: object) -> str:
    """Show a name or a cell; a longer one is cut in the middle, since names that differ often do at their end."""
    text = plain(value)
    if len(text) <= NAME:
        return text
    return f"{text[: NAME // 2]}{CUT}{text[-NAME // 2 :]}"


def sentence(value: object) -> str:
    """Show a sentence; a longer one is cut at its end."""
    text = plain(value)
    return text if len(text) <= SENTENCE else f"{text[:SENTENCE]}{CUT}"


def breakable(value: object) -> Markup:
    """Show a name that may be broken after its punctuation, and not in its words; it is escaped."""
    from markupsafe import Markup

    return Markup("<wbr>").join(_BREAKS.split(name(value)))


def moment(value: str) -> str:
    """Show a time, or several with commas, as people write it; what is none stays as it is."""
    return ", ".join(_moment(each) for each in value.split(", "))


def _moment(value: str) -> str:
    try:
        read = datetime.fromisoformat(value)
    except ValueError:
        return name(value)
    return f"{read:%Y-%m-%d %H:%M} {read.tzname() or ''}".strip()
