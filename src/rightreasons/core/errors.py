"""The errors that the package raises.

    RightReasonsError                  base class; the command line prints the message and exits with 2
    ├── InputError                     a file, a row or a value is wrong
    │   ├── UnknownNameError           there is no set, model, format or tag of that name
    │   ├── TooFewPairsError           more pairs were requested than there are
    │   │   └── NoPairsError           a corpus gives no pair for a set
    │   └── PluginError                the code of a plugin failed or broke its contract
    ├── OutputError                    an output cannot be written, or exists already
    │   └── BusyError                  another process is writing the same output
    ├── MissingPredictionsError        a model returned no predictions for some pairs; a retry may help
    │   ├── RejectedError              a server rejected a request permanently
    │   ├── NoConnectionError          there is no server at the address
    │   └── KeyRefusedError            a server refused the API key
    ├── TransientError                 a request failed and is retried
    │   └── NoReplyError               a server accepted a request but sent no reply
    ├── DatabaseError                  the database of a study can't be reached, read or written
    └── PartError                      a part of an experiment failed in a worker process

Every message says what is wrong, with the value and the place, and then what to do.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def format_count(count: int, thing: str) -> str:
    """Format a count with its noun: 1 pair, 1,200 pairs."""
    return f"{count:,} {thing}{'s' * (count != 1)}"


def escape_controls(text: str) -> str:
    """Write line breaks and other unprintable characters as escapes.

    Messages quote names from files; these must neither break a line nor control a terminal.
    """
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)


class RightReasonsError(Exception):
    """Base class of all errors of this package."""


class InputError(RightReasonsError):
    """A file, a row or a value is wrong."""


class UnknownNameError(InputError):
    """There is no set, model, format or tag of that name."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        """Name the unknown name and the closest known ones."""
        names = sorted(known)
        near = difflib.get_close_matches(name, names, n=3)
        hint = f"Did you mean {' or '.join(near)}?" if near else f"Choose from: {', '.join(names)}."
        super().__init__(f"There is no {kind} called {name!r}. {hint}")


class TooFewPairsError(InputError):
    """More pairs were requested than there are."""


class OutputError(RightReasonsError):
    """An output cannot be written, or exists already."""


class MissingPredictionsError(RightReasonsError):
    """A model returned no predictions for some pairs; a retry may help."""

    def __init__(self, message: str, *, final: bool = False) -> None:
        """Set the reason; `final` if further requests are pointless now, such as without a valid key."""
        super().__init__(message)
        self.final = final
