"""Pairs that are asked over the network, some at a time."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from rightreasons.core.parts import Job

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import polars as pl

    from rightreasons.core.parts import Rows
    from rightreasons.models.remote.budget import Account


TALLIED = ("cut", "windows")


class TruncationTally:
    """Adds up what the replies of a server count: premises cut to fit, and those read in windows."""

    def __init__(self) -> None:
        """Start with nothing counted."""
        self.lock = threading.Lock()
        self.facts: dict[str, int] = {}

    def add(self, reply: Mapping[str, Any]) -> None:
        """Take the counts out of a reply; what is no count is passed over."""
        with self.lock:
            for name in TALLIED:
                count = reply.get(name)
                if isinstance(count, int) and not isinstance(count, bool) and count >= 0:
                    self.facts[name] = self.facts.get(name, 0) + count


@dataclass
class RemoteJob(Job):
    """A job whose batches are requests: several are under way at a time."""

    remote: ClassVar[bool] = True
    batches: Sequence[Rows]
    workers: int
    account: Account
    ask: Callable[[Rows], pl.DataFrame]
    refused: Mapping[int, str] = field(default_factory=dict)
    tally: TruncationTally = field(default_factory=TruncationTally)

    @property
    def facts(self) -> dict[str, Any]:
        """Say what was spent, and what the server counted."""
        return {**self.account.facts, **self.tally.facts}

    def predict_batch(self, rows: Rows) -> pl.DataFrame:
        """Send the requests for some rows."""
        return self.ask(rows)
