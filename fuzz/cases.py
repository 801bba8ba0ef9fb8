"""What a case is, what came of it, and how the one becomes the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Mapping
    from pathlib import Path

ACCEPTED = "accepted"
REFUSED = "refused"
TRACEBACK = "traceback"  # an exception came through, or the exit code is not a documented one
HANG = "hang"
WRONG = "wrong"  # accepted with another result than the oracle's, or accepted or refused against it
LEFTOVER = "leftover"  # files stay after a refusal, or hidden ones after a success
MEMORY = "memory"
CRASH = "crash"  # the process itself ended
FAILURES = (TRACEBACK, HANG, WRONG, LEFTOVER, MEMORY, CRASH)


class WrongResultError(Exception):
    """Raised by the check of a case: the program accepted the input and its result is not the oracle's."""


@dataclass(frozen=True)
class Outcome:
    """What a command did: its exit code and what it printed; `trace` where an exception came through."""

    code: int | None
    out: str = ""
    err: str = ""
    trace: str = ""


@dataclass(frozen=True)
class Case:
    """One input, the command or function that reads it, and what must hold afterwards.

    `prepare` runs in the working folder before its files are counted. `check` runs there after a success and
    returns whether it compared the result with an oracle. `keeps` lists the files that a refusal may leave.
    """

    about: str
    words: tuple[str, ...] = ()
    call: Callable[[], None] | None = None
    files: Mapping[str, bytes] = field(default_factory=dict)
    copies: Mapping[str, Path] = field(default_factory=dict)
    prepare: Callable[[], None] | None = None
    check: Callable[[Outcome], bool] | None = None
    must_accept: bool = False
    must_refuse: str = ""  # why it may not be accepted
    gated: bool = False  # exit code 1 means that a gate was missed
    keeps: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Result:
    """What came of a case, in a form that crosses processes."""

    area: str
    number: int
    kind: str
    about: str = ""
    command: str = ""
    detail: str = ""
    seconds: float = 0.0
    compared: bool = False  # the result was compared with an oracle's

    @property
    def failed(self) -> bool:
        """Tell whether the case shows a fault."""
        return self.kind in FAILURES


@dataclass(frozen=True)
class Area:
    """A kind of input: how many cases it gets of the whole, and how one is made.

    `build` makes what all cases share, once, in a folder of its own. `load` imports what is slow to import.
    """

    name: str
    share: int
    make: Callable[[random.Random, Path], Case]
    build: Callable[[Path], None] | None = None
    load: Callable[[], None] | None = None
