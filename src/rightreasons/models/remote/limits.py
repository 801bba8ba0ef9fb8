"""Limits on requests to an endpoint: concurrency, rate, retries with backoff, and the budget of a run."""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from rightreasons.core.errors import InputError, MissingPredictionsError
from rightreasons.core.options import require_at_least

if TYPE_CHECKING:
    from collections.abc import Mapping


LONGEST_BACK_OFF = 60.0
_BITS = 64


@dataclass(frozen=True)
class RetryPolicy:
    """How requests are sent to an endpoint, and how often they are retried."""

    concurrency: int
    rate: float | None
    timeout: float
    retries: int
    backoff: float

    def __post_init__(self) -> None:
        """Refuse numbers that are too small."""
        require_at_least("concurrency", self.concurrency, minimum=1)
        require_at_least("retries", self.retries, minimum=0)
        require_at_least("backoff", self.backoff, minimum=0)
        require_at_least("timeout", self.timeout, minimum=0.001)
        if self.rate is not None:
            require_at_least("rate", self.rate, minimum=0.001)

    def compute_backoff(self, attempt: int, request: bytes) -> float:
        """Return how long to wait after a failed attempt: twice as long each time, less some jitter.

        The jitter spreads requests that failed together; it is derived from the bytes of the request, so the same run
        waits the same time.
        """
        digest = blake2b(request, key=str(attempt).encode(), digest_size=_BITS // 8).digest()
        share = int.from_bytes(digest) / (1 << _BITS)
        return min(self.backoff * 2.0**attempt, LONGEST_BACK_OFF) * (1 - share / 2)


def read_retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Read how many seconds a server asks to wait, given as a number or as a date."""
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        return _count_seconds_until(value, headers.get("date", ""), now or datetime.now(UTC))
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def _count_seconds_until(text: str, date: str, now: datetime) -> float | None:
    """Count the seconds up to a date, by the server's own clock if it sends the time."""
    until = _parse_date(text)
    if until is None:
        return None
    return max((until - (_parse_date(date) or now)).total_seconds(), 0.0)


def _parse_date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError, IndexError):  # malformed dates raise many kinds of errors
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)


class RateLimiter:
    """Limits the requests per second, and pauses all requests while the server asks to wait."""

    def __init__(self, rate: float | None) -> None:
        """Set the maximum number of requests per second."""
        self.interval = 0.0 if rate is None else 1.0 / rate
        self.lock = threading.Lock()
        self.next_time = 0.0

    def wait(self) -> None:
        """Wait until the next request may be sent."""
        with self.lock:
            now = time.monotonic()
            start = max(now, self.next_time)
            self.next_time = start + self.interval
        if start > now:
            time.sleep(start - now)

    def pause(self, seconds: float) -> None:
        """Delay all requests for some time, except those that are already waiting."""
        with self.lock:
            self.next_time = max(self.next_time, time.monotonic() + seconds)


MILLION = 1_000_000
# Few tokens are shorter than this many bytes, so the estimate is rather too high than too low.
BYTES_PER_TOKEN = 3
MOST_TOKENS = 1 << 40  # of one request: a larger count is an error of the server
RESUME_ADVICE = "Run the same command again to resume: predictions are kept, and the limit starts from zero."


@dataclass(frozen=True)
class TokenUsage:
    """The number of input and output tokens of a request."""

    tokens_in: int = 0
    tokens_out: int = 0


def estimate_usage(request: bytes, most_tokens_out: int) -> TokenUsage:
    """Estimate the maximum number of tokens of a request."""
    return TokenUsage(math.ceil(len(request) / BYTES_PER_TOKEN), most_tokens_out)


def read_usage(reply: dict[str, Any]) -> TokenUsage | None:
    """Read the numbers of tokens from a reply, or return None if it has none."""
    usage = reply.get("usage")
    if not isinstance(usage, dict):
        return None
    tokens_in, tokens_out = usage.get("prompt_tokens"), usage.get("completion_tokens") or 0
    if not isinstance(tokens_in, int) or not isinstance(tokens_out, int):
        return None
    if min(tokens_in, tokens_out) < 0 or max(tokens_in, tokens_out) > MOST_TOKENS:
        return None
    return TokenUsage(tokens_in, tokens_out)


class Budget:
    """The maximum number and cost of the requests of one run; models may share it."""

    def __init__(
        self,
        max_requests: int | None = None,
        max_cost: float | None = None,
        price_in: float | None = None,
        price_out: float | None = None,
    ) -> None:
        """Set the limits, and the prices of a million input and output tokens."""
        for name, value in (("max_cost", max_cost), ("price_in", price_in), ("price_out", price_out)):
            if value is not None:
                require_at_least(name, value, 0)
        if max_requests is not None:
            require_at_least("max_requests", max_requests, 1)
        if max_cost is not None and (price_in is None or price_out is None):
            raise InputError(
                "The option max_cost requires prices. "
                "Give price_in and price_out, the prices per million input and output tokens."
            )
        self.max_requests, self.max_cost = max_requests, max_cost
        self.prices = None if price_in is None or price_out is None else (price_in, price_out)
        self.lock = threading.Lock()
        self.requests, self.cost = 0, 0.0  # requests under way count with their maximum cost

    def compute_cost(self, tokens: TokenUsage) -> float:
        """Return the cost of tokens, 0 without prices."""
        if self.prices is None:
            return 0.0
        return (tokens.tokens_in * self.prices[0] + tokens.tokens_out * self.prices[1]) / MILLION

    def reserve(self, cost: float) -> None:
        """Count a request before it is sent; raise an error if the budget is used up."""
        with self.lock:
            if self.max_requests is not None and self.requests >= self.max_requests:
                raise MissingPredictionsError(
                    f"The limit of one run, max_requests={self.max_requests}, is reached. {RESUME_ADVICE}",
                    final=True,
                )
            if self.max_cost is not None and self.cost + cost > self.max_cost:
                raise MissingPredictionsError(
                    f"The next request may exceed the limit of one run, max_cost={self.max_cost:g}. {RESUME_ADVICE}",
                    final=True,
                )
            self.requests += 1
            self.cost += cost

    def release(self, cost: float) -> None:
        """Release what was reserved for a request but not spent."""
        with self.lock:
            self.cost -= cost


class Account:
    """Counts the requests, tokens and costs of one job."""

    def __init__(self, budget: Budget) -> None:
        """Set the budget that the job draws on."""
        self.budget = budget
        self.lock = threading.Lock()
        self.requests = self.retries = self.tokens_in = self.tokens_out = 0
        self.cost = 0.0

    def reserve(self, expected: TokenUsage, *, again: bool) -> None:
        """Count a request that is about to be sent, with its expected usage."""
        self.budget.reserve(self.budget.compute_cost(expected))
        with self.lock:
            self.requests += 1
            self.retries += again

    def record_usage(self, expected: TokenUsage, actual: TokenUsage) -> None:
        """Replace the expected usage of a request by its actual usage."""
        cost = self.budget.compute_cost(actual)
        self.budget.release(self.budget.compute_cost(expected) - cost)
        with self.lock:
            self.tokens_in += actual.tokens_in
            self.tokens_out += actual.tokens_out
            self.cost += cost

    @property
    def facts(self) -> dict[str, Any]:
        """The usage and cost, as recorded in the card of the run."""
        facts: dict[str, Any] = {"requests": self.requests, "retries": self.retries}
        if self.tokens_in or self.tokens_out:
            facts |= {"tokens_in": self.tokens_in, "tokens_out": self.tokens_out}
        return facts if self.budget.prices is None else facts | {"cost": round(self.cost, 6)}
