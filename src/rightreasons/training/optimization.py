"""Optimisers, gradient clipping, and schedules of the learning rate.

A schedule is a pure function of the step and of the dev accuracies so far. Checkpoints store those anyway, so a resumed
run has the same learning rates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from rightreasons.core.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rightreasons.nets.recipe import Clipping, Optimiser

WORDS = "words."  # the table of word vectors, which has no weight decay
_MAX_HALVINGS = 7
_MIN_RATE_OF_INFERSENT = 1e-5
_MIN_RATE_OF_JIANT = 1e-6


def make_optimiser(
    name: Optimiser, module: torch.nn.Module, rate: float, weight_decay: float
) -> torch.optim.Optimizer:
    """Make an optimiser of all trained parameters; biases, norms and word vectors have no weight decay.

    Gradients of trained word vectors are dense: one fused step over the table costs less than gathering its rows,
    and rows that a batch lacks move by their momentum, as in the reference code.
    """
    trained = [(key, weight) for key, weight in module.named_parameters() if weight.requires_grad]
    decaying = [weight for key, weight in trained if weight.ndim > 1 and not key.startswith(WORDS)]
    others = [weight for key, weight in trained if weight.ndim <= 1 or key.startswith(WORDS)]
    groups: list[dict[str, Any]] = [
        {"params": decaying, "weight_decay": weight_decay},
        {"params": others, "weight_decay": 0.0},
    ]
    optimiser: torch.optim.Optimizer = _MAKERS[name]([group for group in groups if group["params"]], rate)
    return optimiser


_MAKERS: dict[str, Any] = {
    "adamw": lambda groups, rate: torch.optim.AdamW(groups, lr=rate, fused=True),
    "adam": lambda groups, rate: torch.optim.Adam(groups, lr=rate, fused=True),
    "amsgrad": lambda groups, rate: torch.optim.Adam(groups, lr=rate, amsgrad=True, fused=True),
    "adagrad": lambda groups, rate: torch.optim.Adagrad(groups, lr=rate, fused=True),
    "sgd": lambda groups, rate: torch.optim.SGD(groups, lr=rate, fused=True),
    "rmsprop": lambda groups, rate: torch.optim.RMSprop(groups, lr=rate),
}


def clip_gradients(parameters: Iterable[torch.nn.Parameter], limit: float, by: Clipping) -> None:
    """Clip the gradient by its norm, or each of its values; 0 disables clipping."""
    if not limit:
        return
    if by == "norm":
        torch.nn.utils.clip_grad_norm_(parameters, limit)
    else:
        torch.nn.utils.clip_grad_value_(parameters, limit)


class DevCheck(NamedTuple):
    """The dev accuracy after a step of an epoch, which is counted from 0."""

    epoch: int
    accuracy: float


@dataclass(frozen=True)
class TrainingPosition:
    """Where a run is: steps done, all steps, and the dev accuracies so far."""

    step: int
    steps: int
    an_epoch: int  # steps per epoch
    warmup: float = 0.0  # fraction of all steps in which the rate rises
    checks: Sequence[DevCheck] = ()

    @property
    def epoch(self) -> int:
        """Count the finished epochs."""
        return self.step // self.an_epoch


@dataclass(frozen=True)
class Schedule:
    """The factor of the learning rate, and what an epoch without improvement leads to."""

    factor: Callable[[TrainingPosition], float]
    reloads: bool = False  # whether training returns to the best weights after an epoch without a new best
    # Whether training ends, by position and learning rate.
    ends: Callable[[TrainingPosition, float], bool] = lambda _position, _rate: False


def mark_new_bests(checks: Sequence[DevCheck]) -> list[bool]:
    """Mark the checks that were better than all before."""
    best, marks = float("-inf"), []
    for check in checks:
        marks.append(check.accuracy > best)
        best = max(best, check.accuracy)
    return marks


def count_flat_epochs(position: TrainingPosition) -> int:
    """Count the finished epochs without a new best."""
    bests = mark_new_bests(position.checks)
    rises = {check.epoch for check, best in zip(position.checks, bests, strict=True) if best}
    finished = {check.epoch for check in position.checks if check.epoch < position.epoch}
    return len(finished - rises)


def count_plateaus(position: TrainingPosition, length: int) -> int:
    """Count how often that many successive checks had no new best."""
    runs = flat = 0
    for best in mark_new_bests(position.checks):
        flat = 0 if best else flat + 1
        if flat == length:
            runs, flat = runs + 1, 0
    return runs


def decay_linearly(position: TrainingPosition) -> float:
    """Rise during the warm-up, then decay linearly to zero."""
    rising = round(position.warmup * position.steps)
    if position.step < rising:
        return (position.step + 1) / rising
    return (position.steps - position.step) / max(1, position.steps - rising)


def keep_constant(position: TrainingPosition) -> float:
    """Rise during the warm-up, if there is one, then stay constant."""
    rising = round(position.warmup * position.steps)
    return min(1.0, (position.step + 1) / rising) if rising else 1.0


def halve_on_plateau(position: TrainingPosition) -> float:
    """Halve after each epoch without a new best."""
    return float(0.5 ** count_flat_epochs(position))


def halve_every_two_epochs(position: TrainingPosition) -> float:
    """Halve every two epochs."""
    return float(0.5 ** (position.epoch // 2))


def decay_as_infersent(position: TrainingPosition) -> float:
    """Multiply by 0.99 each epoch, and by 0.2 after each epoch without a new best."""
    return float(0.99**position.epoch * 0.2 ** count_flat_epochs(position))


def halve_after_two_flat_checks(position: TrainingPosition) -> float:
    """Halve after two successive checks without a new best."""
    return float(0.5 ** count_plateaus(position, 2))


SCHEDULES = {
    "linear": Schedule(decay_linearly),
    "constant": Schedule(keep_constant),
    "plateau": Schedule(halve_on_plateau),
    "two-epochs": Schedule(halve_every_two_epochs),
    "reload": Schedule(
        halve_on_plateau,
        reloads=True,
        ends=lambda position, _rate: count_flat_epochs(position) > _MAX_HALVINGS,
    ),
    "infersent": Schedule(decay_as_infersent, ends=lambda _position, rate: rate < _MIN_RATE_OF_INFERSENT),
    "two-flat-checks": Schedule(
        halve_after_two_flat_checks, ends=lambda _position, rate: rate < _MIN_RATE_OF_JIANT
    ),
}


def get_schedule(name: str) -> Schedule:
    """Return a schedule by its name."""
    if name not in SCHEDULES:
        raise UnknownNameError("schedule", name, SCHEDULES)
    return SCHEDULES[name]
