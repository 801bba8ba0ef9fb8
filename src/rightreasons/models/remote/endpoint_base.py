"""The base of all models behind a server: options of the connection, jobs of requests, and rejected pairs."""

from __future__ import annotations

import threading
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl

from rightreasons.core.labels import REFUSED
from rightreasons.core.options import option
from rightreasons.core.parts import Job
from rightreasons.inference import BatchedModel
from rightreasons.models.remote.addresses import API_KEY_VARIABLE
from rightreasons.models.remote.failures import RejectedError
from rightreasons.models.remote.limits import Budget, RetryPolicy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rightreasons.core.parts import Model, Rows
    from rightreasons.models.remote.client import Client
    from rightreasons.models.remote.limits import Account

COUNTED_FACTS = ("cut", "windows")
# After so many rejections in a row, without a prediction, the pairs are not the reason: the next are rejected, too.
MOST_REJECTIONS_IN_A_ROW = 5
LONGEST_TEXT = 1000
# Sent to find out whether an endpoint rejects every request: no content filter objects to it.
HARMLESS_PAIR = ("The judge slept.", "Someone slept.")


CONCURRENCY_HELP = "Maximum number of concurrent requests."
TIMEOUT_HELP = "Timeout of one attempt, in seconds."
KEY_HELP = "Environment variable that holds the API key"


@dataclass(frozen=True)
class Endpoint(BatchedModel):
    """A model behind a server, with the options that all of them have."""

    _: KW_ONLY
    concurrency: int = option(4, help=CONCURRENCY_HELP)
    rate: float | None = option(None, help="Maximum number of requests per second.")
    timeout: float = option(120.0, help=TIMEOUT_HELP)
    retries: int = option(5, help="Maximum number of retries of a failed request.")
    backoff: float = option(
        0.5, help="Seconds to wait before the first retry; doubled for each further retry."
    )
    max_requests: int | None = option(None, help="Maximum number of requests in a run, including retries.")
    key_env: str | None = option(None, help=f"{KEY_HELP}; default {API_KEY_VARIABLE}.")

    def __post_init__(self) -> None:
        """Check the options; no request is sent yet."""
        _ = self.retry_policy, self.budget

    @cached_property
    def retry_policy(self) -> RetryPolicy:
        """How requests are sent and retried."""
        return RetryPolicy(self.concurrency, self.rate, self.timeout, self.retries, self.backoff)

    @cached_property
    def budget(self) -> Budget:
        """The limits of a run."""
        return Budget(self.max_requests)

    def share_budget(self, other: Model) -> None:
        """Spend from the budget of the same model with another prompt."""
        if isinstance(other, Endpoint):
            vars(self)["budget"] = other.budget


class TruncationTally:
    """Adds up the counts in the replies of a server: premises cut to fit, and premises read in windows."""

    def __init__(self) -> None:
        """Start with nothing counted."""
        self.lock = threading.Lock()
        self.facts: dict[str, int] = {}

    def add(self, reply: Mapping[str, Any]) -> None:
        """Add the counts of a reply; anything but a count is ignored."""
        with self.lock:
            for name in COUNTED_FACTS:
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
    send: Callable[[Rows], pl.DataFrame]
    refused: Mapping[int, str] = field(default_factory=dict)
    tally: TruncationTally = field(default_factory=TruncationTally)

    @property
    def facts(self) -> dict[str, Any]:
        """Requests and costs, and what the server counted."""
        return {**self.account.facts, **self.tally.facts}

    def predict_batch(self, rows: Rows) -> pl.DataFrame:
        """Send the requests for some rows."""
        return self.send(rows)


def handle_rejection(
    rejection: RejectedError, client: Client, send_harmless: Callable[[], object]
) -> pl.DataFrame:
    """Return a refused prediction for a rejected pair, or raise if the endpoint may reject everything.

    After a prediction, up to a number of rejections in a row are accepted; otherwise a harmless pair is sent. So it
    does not matter which pair comes first, nor whether only rejected ones are left.
    """
    in_a_row = client.count_rejection()
    if not client.has_succeeded or in_a_row >= MOST_REJECTIONS_IN_A_ROW:
        try:
            send_harmless()
        except RejectedError:
            rejection.final = in_a_row >= MOST_REJECTIONS_IN_A_ROW
            raise rejection from None
    return pl.DataFrame({"label": [REFUSED], "text": [rejection.server_message[:LONGEST_TEXT]]})
