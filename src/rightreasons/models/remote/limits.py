"""How an endpoint is asked: how many requests at a time and a second, how long to wait, how often to try again."""

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

if TYPE_CHECKING:
    from collections.abc import Mapping


LONGEST_BACK_OFF = 60.0
_BITS = 64


@dataclass(frozen=True)
class RetryPolicy:
    """The numbers that say how an endpoint is asked."""

    concurrency: int
    rate: float | None
    timeout: float
    retries: int
    backoff: float

    def __post_init__(self) -> None:
        """Refuse numbers that make no sense."""
        _require("concurrency", self.concurrency, at_least=1)
        _require("retries", self.retries, at_least=0)
        _require("backoff", self.backoff, at_least=0)
        _require("timeout", self.timeout, at_least=0.001)
        if self.rate is not None:
            _require("rate", self.rate, at_least=0.001)

    def back_off(self, attempt: int, request: bytes) -> float:
        """Say how long to wait after a failed attempt: twice as long each time, a little less by the request's bytes.

        The share that is taken off spreads requests that failed together; it is drawn from their content, so the
        same run waits the same.
        """
        digest = blake2b(request, key=str(attempt).encode(), digest_size=_BITS // 8).digest()
        share = int.from_bytes(digest) / (1 << _BITS)
        return min(self.backoff * 2.0**attempt, LONGEST_BACK_OFF) * (1 - share / 2)


def _require(name: str, value: float, at_least: float) -> None:
    if not math.isfinite(value) or value < at_least:
        raise InputError(f"The option {name} can't be {value}. Give a number of at least {at_least:g}.")


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Read how many seconds a server asks to wait, which it says as a number or as a date."""
    said = headers.get("retry-after", "").strip()
    if not said:
        return None
    try:
        seconds = float(said)
    except ValueError:
        return _until(said, headers.get("date", ""), now or datetime.now(UTC))
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def _until(said: str, date: str, now: datetime) -> float | None:
    """Count the seconds up to a date, by the server's own clock where it gives the time."""
    until = _date(said)
    if until is None:
        return None
    return max((until - (_date(date) or now)).total_seconds(), 0.0)


def _date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError, IndexError):  # what is no date fails in many ways
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


class RateLimiter:
    """Gives each request its turn: no more than so many a second, and none while the server asks to wait."""

    def __init__(self, rate: float | None) -> None:
        """Choose how many requests a second there may be."""
        self.gap = 0.0 if rate is None else 1.0 / rate
        self.lock = threading.Lock()
        self.next = 0.0

    def wait(self) -> None:
        """Wait for a turn."""
        with self.lock:
            now = time.monotonic()
            turn = max(now, self.next)
            self.next = turn + self.gap
        if turn > now:
            time.sleep(turn - now)

    def hold(self, seconds: float) -> None:
        """Let no request go for some time; those that wait for their turn already still get it."""
        with self.lock:
            self.next = max(self.next, time.monotonic() + seconds)


MILLION = 1_000_000
# Few tokens are shorter than this many bytes, so the estimate is rather too high than too low.
BYTES_PER_TOKEN = 3
MOST_TOKENS = 1 << 40  # of one request: more are no count
AGAIN = "Run the same command again to resume: predictions are kept, and the limit starts from zero."


@dataclass(frozen=True)
class TokenUsage:
    """How many tokens a request takes in and gives out."""

    read: int = 0
    written: int = 0


def estimate(request: bytes, most_written: int) -> TokenUsage:
    """Estimate the tokens of a request that has not been answered, on the high side."""
    return TokenUsage(math.ceil(len(request) / BYTES_PER_TOKEN), most_written)


def tokens_of(reply: dict[str, Any]) -> TokenUsage | None:
    """Read the count of tokens from a reply, or None where it has none."""
    usage = reply.get("usage")
    if not isinstance(usage, dict):
        return None
    read, written = usage.get("prompt_tokens"), usage.get("completion_tokens") or 0
    if not isinstance(read, int) or not isinstance(written, int):
        return None
    if min(read, written) < 0 or max(read, written) > MOST_TOKENS:
        return None
    return TokenUsage(read, written)


class Budget:
    """How many requests may be sent, and what they may cost, in one run; models may share it."""

    def __init__(
        self,
        max_requests: int | None = None,
        max_cost: float | None = None,
        price_in: float | None = None,
        price_out: float | None = None,
    ) -> None:
        """Choose the limits, and the prices of a million tokens read and written."""
        for name, value in (("max_cost", max_cost), ("price_in", price_in), ("price_out", price_out)):
            if value is not None and not (math.isfinite(value) and value >= 0):
                raise InputError(f"The option {name} can't be {value}. Give a number of at least 0.")
        if max_requests is not None and max_requests < 1:
            raise InputError(f"The option max_requests can't be {max_requests}. Give a number of at least 1.")
        if max_cost is not None and (price_in is None or price_out is None):
            raise InputError(
                "The option max_cost needs prices to count with. "
                "Give price_in and price_out, the prices of a million tokens read and written."
            )
        self.max_requests, self.max_cost = max_requests, max_cost
        self.prices = None if price_in is None or price_out is None else (price_in, price_out)
        self.lock = threading.Lock()
        self.requests, self.cost = 0, 0.0  # what is under way counts with the most that it may cost

    def price(self, tokens: TokenUsage) -> float:
        """Say what tokens cost; nothing where there are no prices."""
        if self.prices is None:
            return 0.0
        return (tokens.read * self.prices[0] + tokens.written * self.prices[1]) / MILLION

    def take(self, cost: float) -> None:
        """Count a request before it is sent, or say that the budget is used up."""
        with self.lock:
            if self.max_requests is not None and self.requests >= self.max_requests:
                raise MissingPredictionsError(
                    f"The limit of one run, max_requests={self.max_requests}, is reached. {AGAIN}", final=True
                )
            if self.max_cost is not None and self.cost + cost > self.max_cost:
                raise MissingPredictionsError(
                    f"The next request may exceed the limit of one run, max_cost={self.max_cost:g}. {AGAIN}",
                    final=True,
                )
            self.requests += 1
            self.cost += cost

    def give_back(self, cost: float) -> None:
        """Take back what a request has not cost after all."""
        with self.lock:
            self.cost -= cost


class Account:
    """Counts what one job spends out of a budget."""

    def __init__(self, budget: Budget) -> None:
        """Open the account."""
        self.budget = budget
        self.lock = threading.Lock()
        self.requests = self.retries = self.read = self.written = 0
        self.cost = 0.0

    def spend(self, expected: TokenUsage, *, again: bool) -> None:
        """Count a request that is about to be sent."""
        self.budget.take(self.budget.price(expected))
        with self.lock:
            self.requests += 1
            self.retries += again

    def settle(self, expected: TokenUsage, actual: TokenUsage) -> None:
        """Put what a request took in the place of what was expected of it."""
        cost = self.budget.price(actual)
        self.budget.give_back(self.budget.price(expected) - cost)
        with self.lock:
            self.read += actual.read
            self.written += actual.written
            self.cost += cost

    @property
    def facts(self) -> dict[str, Any]:
        """Say what was spent, as the run's card keeps it."""
        facts: dict[str, Any] = {"requests": self.requests, "retries": self.retries}
        if self.read or self.written:
            facts |= {"tokens_in": self.read, "tokens_out": self.written}
        return facts if self.budget.prices is None else facts | {"cost": round(self.cost, 6)}
