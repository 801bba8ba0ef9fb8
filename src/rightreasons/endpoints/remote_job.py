"""Pairs that are asked over the network, some at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import polars as pl

    from rightreasons.endpoints.budget import Account
    from rightreasons.jobs import Rows


@dataclass
class RemoteJob:
    """A job whose batches are requests: several are under way at a time."""

    batches: Sequence[Rows]
    workers: int
    account: Account
    ask: Callable[[Rows], pl.DataFrame]
    refused: Mapping[int, str] = field(default_factory=dict)

    @property
    def facts(self) -> dict[str, Any]:
        """Say what was spent."""
        return self.account.facts

    def answer(self, rows: Rows) -> pl.DataFrame:
        """Send the requests for some rows."""
        return self.ask(rows)
