"""How an endpoint is asked: how many requests at a time and a second, how long to wait, how often to try again."""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from hashlib import blake2b
from typing import TYPE_CHECKING

from rightreasons.core.errors import InputError

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
