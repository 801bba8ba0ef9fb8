"""What asking may cost: requests and money are counted before they are spent, over all threads."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from typing import Any

from rightreasons.core.errors import InputError, MissingPredictionsError

MILLION = 1_000_000
# Few tokens are shorter than this many bytes, so the estimate is rather too high than too low.
BYTES_PER_TOKEN = 3
MOST_TOKENS = 1 << 40  # of one request: more are no count
AGAIN = "Give the same command again: what is answered stays, and the limit counts from nothing."


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
