"""How the learning rate goes: pure functions of the step and of what the dev set said so far.

The state of a schedule is the list of checks, which a checkpoint keeps anyway; so a resumed run has the same rates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rightreasons.core.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Check(NamedTuple):
    """What the dev set said after some step of some epoch, both counted from 0."""

    epoch: int
    accuracy: float


@dataclass(frozen=True)
class Moment:
    """Where a run is: the steps done, of how many, and the checks so far."""

    step: int
    steps: int
    an_epoch: int  # steps an epoch
    warmup: float = 0.0  # the share of all steps in which the rate rises
    checks: Sequence[Check] = ()

    @property
    def epoch(self) -> int:
        """Give the number of whole epochs that are done."""
        return self.step // self.an_epoch


@dataclass(frozen=True)
class Schedule:
    """What the rate is multiplied with, and what else a flat epoch brings about."""

    factor: Callable[[Moment], float]
    reloads: bool = False  # whether training goes on from the best weights after an epoch without a new best
    ends: Callable[[Moment, float], bool] = lambda _moment, _rate: (
        False
    )  # whether it is over, by moment and rate


def new_bests(checks: Sequence[Check]) -> list[bool]:
    """Say of each check whether it was better than all before."""
    best, found = float("-inf"), []
    for check in checks:
        found.append(check.accuracy > best)
        best = max(best, check.accuracy)
    return found


def flat_epochs(moment: Moment) -> int:
    """Count the epochs that are done and had no new best."""
    rises = {check.epoch for check, best in zip(moment.checks, new_bests(moment.checks), strict=True) if best}
    asked = {check.epoch for check in moment.checks if check.epoch < moment.epoch}
    return len(asked - rises)


def flat_runs(moment: Moment, length: int) -> int:
    """Count how often so many checks on end brought no new best."""
    runs = flat = 0
    for best in new_bests(moment.checks):
        flat = 0 if best else flat + 1
        if flat == length:
            runs, flat = runs + 1, 0
    return runs


def linear(moment: Moment) -> float:
    """Rise over the warm-up, then fall evenly to nothing."""
    rising = round(moment.warmup * moment.steps)
    if moment.step < rising:
        return (moment.step + 1) / rising
    return (moment.steps - moment.step) / max(1, moment.steps - rising)


def constant(moment: Moment) -> float:
    """Rise over the warm-up, if there is one, then stay."""
    rising = round(moment.warmup * moment.steps)
    return min(1.0, (moment.step + 1) / rising) if rising else 1.0


def plateau(moment: Moment) -> float:
    """Halve after each epoch without a new best."""
    return float(0.5 ** flat_epochs(moment))


def two_epochs(moment: Moment) -> float:
    """Halve every two epochs."""
    return float(0.5 ** (moment.epoch // 2))


def infersent(moment: Moment) -> float:
    """Take 99% from epoch to epoch, and a fifth after each epoch without a new best."""
    return float(0.99**moment.epoch * 0.2 ** flat_epochs(moment))


def two_flat_checks(moment: Moment) -> float:
    """Halve after two checks on end without a new best."""
    return float(0.5 ** flat_runs(moment, 2))


_MOST_HALVINGS = 7
_LEAST_RATE = 1e-5  # of InferSent
_LEAST_RATE_OF_JIANT = 1e-6

SCHEDULES = {
    "linear": Schedule(linear),
    "constant": Schedule(constant),
    "plateau": Schedule(plateau),
    "two-epochs": Schedule(two_epochs),
    "reload": Schedule(
        plateau, reloads=True, ends=lambda moment, _rate: flat_epochs(moment) > _MOST_HALVINGS
    ),
    "infersent": Schedule(infersent, ends=lambda _moment, rate: rate < _LEAST_RATE),
    "two-flat-checks": Schedule(two_flat_checks, ends=lambda _moment, rate: rate < _LEAST_RATE_OF_JIANT),
}


def schedule_of(name: str) -> Schedule:
    """Find a schedule by its name."""
    if name not in SCHEDULES:
        raise UnknownNameError("schedule", name, SCHEDULES)
    return SCHEDULES[name]
