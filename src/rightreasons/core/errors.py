"""The errors that the library raises.

    RightReasonsError        anything this package says no to; the command line prints it and exits with 2
    ├── InputError           a file, a row or a value that was given is wrong
    ├── UnknownNameError     no set, model, format or tag goes by that name
    ├── TooFewPairsError     more pairs were asked for than there are
    └── OutputError          an output can't be written, or exists already

Every message is one sentence on what is wrong, with the value and the place, and one on what to do.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def counted(count: int, thing: str) -> str:
    """Say how many there are of something: 1 pair, 1,200 pairs."""
    return f"{count:,} {thing}{'s' * (count != 1)}"


def escape_controls(text: str) -> str:
    """Write line breaks and other unprintable characters as escapes.

    Messages quote names from files; these must neither break a line nor control a terminal.
    """
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)


class RightReasonsError(Exception):
    """The root of all errors of this package."""


class InputError(RightReasonsError):
    """A file, a row or a value that was given is wrong."""


class UnknownNameError(InputError):
    """No set, model, format or tag goes by that name."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        """Name what was asked for, and the nearest names that exist."""
        names = sorted(known)
        near = difflib.get_close_matches(name, names, n=3)
        hint = f"Did you mean {' or '.join(near)}?" if near else f"Known are: {', '.join(names)}."
        super().__init__(f"There is no {kind} called {name!r}. {hint}")


class TooFewPairsError(InputError):
    """More pairs were asked for than there are."""


class OutputError(RightReasonsError):
    """An output can't be written, or exists already."""
