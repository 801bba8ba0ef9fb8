"""What a model takes to load is told apart from what it takes to answer, so that speeds can be compared."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from batched import Watched, some_pairs
from rightreasons import inference

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PAIRS = some_pairs(20)


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def pass_by(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    fake = SimpleNamespace(perf_counter=lambda: made.now)
    monkeypatch.setattr("rightreasons.inference.executor.time", fake)
    return made


@dataclass
class Slow(Watched):
    """A model that takes 15 seconds to load, and one for each batch."""

    clock: Clock | None = None
    loaded: int = 0

    def fingerprint(self) -> dict[str, Any]:
        assert self.clock
        self.clock.pass_by(5)
        return super().fingerprint()

    def get_ready(self) -> None:
        assert self.clock
        self.loaded += 1
        self.clock.pass_by(10)


def working(clock: Clock, stop_at: int | None = None) -> Callable[[list[str]], None]:
    """Take a second for a batch; the plug may be pulled before one."""
    batches = itertools.count()

    def disturb(texts: list[str]) -> None:
        del texts
        if next(batches) == stop_at:
            raise RuntimeError("the plug was pulled")
        clock.pass_by(1)

    return disturb


def test_loading_is_no_part_of_the_time_of_asking(clock: Clock, tmp_path: Path) -> None:
    facts = inference.predict_pairs(Slow(clock=clock, disturb=working(clock)), PAIRS, tmp_path).facts
    assert (facts["loading"], facts["seconds"]) == (15, 5)
    facts = inference.predict_pairs(Slow(clock=clock, disturb=working(clock)), PAIRS).facts
    assert (facts["loading"], facts["seconds"]) == (10, 5), "without a journal nobody wants the fingerprint"
    assert inference.predict_pairs(Watched(), PAIRS).facts["loading"] == 0, (
        "models need not have anything to load"
    )


def test_both_add_up_over_the_processes_that_took_part(clock: Clock, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        inference.predict_pairs(Slow(clock=clock, disturb=working(clock, stop_at=3)), PAIRS, tmp_path)
    facts = inference.predict_pairs(Slow(clock=clock, disturb=working(clock)), PAIRS, tmp_path).facts
    assert (facts["loading"], facts["seconds"]) == (30, 5)
    finished = Slow(clock=clock)
    again = inference.predict_pairs(finished, PAIRS, tmp_path).facts
    assert (again["loading"], again["seconds"], finished.loaded) == (30, 5, 0)
