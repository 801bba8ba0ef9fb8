from __future__ import annotations

import threading
import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.core.errors import InputError
from rightreasons.models.remote.limits import LONGEST_BACK_OFF, RateLimiter, RetryPolicy, read_retry_after

USUAL = RetryPolicy(concurrency=4, rate=None, timeout=10, retries=5, backoff=0.5)


@given(st.integers(0, 40), st.binary(max_size=50))
def test_waits_double_up_to_a_limit_and_are_the_same_every_time(attempt: int, request: bytes) -> None:
    wait = USUAL.compute_backoff(attempt, request)
    whole = min(0.5 * 2.0**attempt, LONGEST_BACK_OFF)
    assert whole / 2 <= wait <= whole
    assert wait == USUAL.compute_backoff(attempt, request)


def test_requests_that_failed_together_do_not_come_back_together() -> None:
    assert len({USUAL.compute_backoff(3, str(number).encode()) for number in range(50)}) == 50


NOW = datetime(2026, 5, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Fri, 01 May 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Fri, 01 May 2026 11:00:00 GMT"}, 0.0),
        # The server's clock may be wrong; its own date tells.
        (
            {"retry-after": "Fri, 01 May 2026 15:00:10 GMT", "date": "Fri, 01 May 2026 15:00:00 GMT"},
            10.0,
        ),
        ({"retry-after": "Fri, 01 May 2026 12:00:30 GMT", "date": "rubbish"}, 30.0),
    ],
)
def test_what_a_server_says_about_waiting(headers: dict[str, str], seconds: float | None) -> None:
    assert read_retry_after(headers, NOW) == seconds


def test_no_more_requests_a_second_than_the_rate() -> None:
    pace, turns = RateLimiter(50), []

    def work() -> None:
        for _ in range(3):
            pace.wait()
            turns.append(time.monotonic())

    start = time.monotonic()
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(turns) - start >= 11 / 50


def test_holding_lets_nobody_pass() -> None:
    pace = RateLimiter(None)
    start = time.monotonic()
    pace.pause(0.2)
    pace.wait()
    assert time.monotonic() - start >= 0.2


@pytest.mark.parametrize(
    "wrong",
    [{"concurrency": 0}, {"rate": 0.0}, {"timeout": 0.0}, {"retries": -1}, {"backoff": float("nan")}],
)
def test_numbers_that_make_no_sense(wrong: dict[str, float]) -> None:
    usual = {"concurrency": 4, "rate": None, "timeout": 10, "retries": 5, "backoff": 0.5}
    with pytest.raises(InputError, match=f"option {next(iter(wrong))} is {next(iter(wrong.values()))}"):
        RetryPolicy(**{**usual, **wrong})  # type: ignore[arg-type]
