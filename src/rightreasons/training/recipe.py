"""A recipe: the numbers that say how to train."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal

from rightreasons.core.errors import InputError
from rightreasons.training.schedules import schedule_of

if TYPE_CHECKING:
    from rightreasons.training.schedules import Schedule

Optimiser = Literal["adamw", "adam", "amsgrad", "adagrad", "sgd", "rmsprop"]
Clipping = Literal["norm", "value"]
Keep = Literal["best", "last"]
ScheduleName = Literal[
    "linear", "constant", "plateau", "two-epochs", "reload", "infersent", "two-flat-checks"
]
_POSITIVE = ("epochs", "batch_size", "learning_rate", "checks")
_NOT_NEGATIVE = ("weight_decay", "clip", "patience", "save_seconds")
_SEEDS = 2**63  # torch takes no larger ones


@dataclass(frozen=True)
class Recipe:
    """How to train; the defaults are those of an encoder that is fine-tuned."""

    epochs: float = 3.0
    batch_size: int = 32
    learning_rate: float = 2e-5
    optimiser: Optimiser = "adamw"
    schedule: ScheduleName = "linear"
    warmup: float = 0.1  # the share of all steps in which the rate rises
    weight_decay: float = 0.01
    clip: float = 1.0  # the largest norm of a step's gradient, or of each of its numbers; 0 clips nothing
    clip_by: Clipping = "norm"
    seed: int = 0
    checks: int = 4  # how often an epoch the dev set is asked
    patience: int = 8  # checks without a better one before it stops; 0 never stops
    keep: Keep = "best"  # the weights that the dev set likes best, or the last
    save_seconds: float = 60.0

    def __post_init__(self) -> None:
        """Refuse values that train nothing."""
        for name in _POSITIVE:
            if not 0 < getattr(self, name) < math.inf:
                raise InputError(
                    f"The option {name} is {getattr(self, name)}. Give a finite number, more than 0."
                )
        for name in _NOT_NEGATIVE:
            if not getattr(self, name) >= 0:
                raise InputError(f"The option {name} is {getattr(self, name)}. Give 0 or more.")
        if not 0 <= self.warmup <= 1:
            raise InputError(f"The option warmup is {self.warmup}. Give a share from 0 to 1.")
        if not 0 <= self.seed < _SEEDS:
            raise InputError(f"The option seed is {self.seed}. Give a whole number from 0 to {_SEEDS - 1}.")

        if self.keep == "last" and self.how_rates_go.reloads:
            raise InputError(
                f"The schedule {self.schedule} goes back to the best weights, so the last can't be kept. "
                "Choose another schedule, or keep=best."
            )

    @property
    def how_rates_go(self) -> Schedule:
        """Find the schedule."""
        return schedule_of(self.schedule)

    def facts(self) -> dict[str, object]:
        """Say what decides the weights; how often they are saved does not."""
        return {name: value for name, value in asdict(self).items() if name != "save_seconds"}


def check_dropout(share: float | None) -> float | None:
    """Refuse a share that is none; nothing said is the network's own."""
    if share is not None and not 0 <= share < 1:
        raise InputError(f"The option dropout is {share}. Give a share from 0 to below 1.")
    return share
