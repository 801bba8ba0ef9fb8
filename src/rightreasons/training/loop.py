"""The one training loop: batches of like length, a rate by schedule, clipping, dev checks, checkpoints."""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import torch

from rightreasons.core.errors import InputError
from rightreasons.core.progress import progress as bar
from rightreasons.training import checkpoints
from rightreasons.training.batching import epoch_batches
from rightreasons.training.optimisers import clip_gradients, make_optimiser
from rightreasons.training.schedules import Check, Moment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from rightreasons.training.recipe import Recipe

_NOTE_SECONDS = 0.5  # between two notes of the time


class Learner(Protocol):
    """What the loop trains: a module, the training pairs as rows, and a dev set to check it on."""

    module: torch.nn.Module

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Give the length of each training row."""

    def loss(self, rows: NDArray[np.int64]) -> torch.Tensor:
        """Compute the mean loss on some training rows."""

    def check(self) -> float:
        """Measure the accuracy on the dev set."""


@dataclass(frozen=True)
class TrainingResult:
    """What became of a run: the log, and at which step the kept weights were."""

    rows: list[dict[str, float]]
    steps: int
    best_step: int
    best: float
    seconds: float = 0.0
    taken_up: int = 0  # the step of the checkpoint that it went on from
    first_weights: str = ""  # their sha256: what a start or an encoder was, whatever its folder holds later
    resumed_at: tuple[int, ...] = ()  # the steps that it was resumed from, over all its interruptions


def fit(
    learner: Learner, recipe: Recipe, folder: Path, run: dict[str, Any], title: str = "training"
) -> TrainingResult:
    """Train, from the checkpoint in the folder if there is one, and leave the best weights in the module."""
    course = Course(len(learner.lengths), recipe)
    module = learner.module
    first_weights = checkpoints.digest(module)
    run = {**run, checkpoints.FIRST_WEIGHTS: first_weights}
    optimiser = make_optimiser(recipe.optimiser, module, recipe.learning_rate, recipe.weight_decay)
    done = checkpoints.resume(folder, run, module, optimiser) or checkpoints.Progress()
    clock, taken_up = _TrainingClock(done, folder), done.step
    done.resumed_at += [taken_up] if taken_up else []
    with bar(course.steps, title) as advance:
        advance(done.step)
        for rows in course.batches(learner.lengths, done):
            done.losses += _step(learner, optimiser, recipe, rows, course.rate(done.step, done.rows))
            done.step += 1
            advance(1)
            if course.asks(done.step):
                _check(learner, course, done)
                _heed(learner, course, done)
            if clock.since_saved() > recipe.save_seconds:
                checkpoints.save(folder, run, done, module, optimiser)
                clock.saved()
        clock.stop()
        if (folder / checkpoints.FILE).exists():  # a long run is not lost when its folder can't be written
            checkpoints.save(folder, run, done, module, optimiser)
    checkpoints.put_back(module, done.best_weights)
    return TrainingResult(
        done.rows,
        done.step,
        done.best_step,
        done.best,
        done.seconds,
        taken_up,
        first_weights=first_weights,
        resumed_at=tuple(done.resumed_at),
    )


class Course:
    """What lies ahead: how many steps there are, what each learns, at which rate, and which ask the dev set."""

    def __init__(self, rows: int, recipe: Recipe) -> None:
        """Lay out a recipe for so many training rows."""
        self.recipe, self.schedule = recipe, recipe.how_rates_go
        self.an_epoch = -(-rows // recipe.batch_size)
        self.steps = max(1, round(recipe.epochs * self.an_epoch))
        parts = range(1, recipe.checks + 1)
        self.places = {-(-part * self.an_epoch // recipe.checks) for part in parts}

    def batches(self, lengths: NDArray[np.int64], done: checkpoints.Progress) -> Iterator[NDArray[np.int64]]:
        """Deal epoch after epoch, from the step that a run is at up to the last, or until it is over."""
        start = done.step
        for epoch in range(start // self.an_epoch, -(-self.steps // self.an_epoch)):
            first = epoch * self.an_epoch
            dealt = epoch_batches(lengths, self.recipe.batch_size, self.recipe.seed, epoch)
            for rows in islice(dealt, max(0, start - first), min(self.an_epoch, self.steps - first)):
                if done.over:
                    return
                yield rows

    def moment(self, step: int, rows: Sequence[dict[str, float]]) -> Moment:
        """Say where a run is after some steps and checks."""
        checks = [Check((int(row["step"]) - 1) // self.an_epoch, row["dev_accuracy"]) for row in rows]
        return Moment(step, self.steps, self.an_epoch, self.recipe.warmup, checks)

    def rate(self, step: int, rows: Sequence[dict[str, float]]) -> float:
        """Give the rate of the step after those."""
        return self.recipe.learning_rate * self.schedule.factor(self.moment(step, rows))

    def asks(self, step: int) -> bool:
        """Tell whether the dev set is asked after a step; it always is at the end of an epoch, and at the last."""
        return (step - 1) % self.an_epoch + 1 in self.places or step == self.steps

    def ends_an_epoch(self, step: int) -> bool:
        """Tell whether a step is the last of its epoch."""
        return step % self.an_epoch == 0


def _step(
    learner: Learner,
    optimiser: torch.optim.Optimizer,
    recipe: Recipe,
    rows: NDArray[np.int64],
    rate: float,
) -> float:
    learner.module.train()
    for group in optimiser.param_groups:
        group["lr"] = rate
    loss = learner.loss(rows)
    loss.backward()  # type: ignore[no-untyped-call]
    clip_gradients(learner.module.parameters(), recipe.clip, recipe.clip_by)
    optimiser.step()
    optimiser.zero_grad(set_to_none=True)
    value = loss.item()
    if not np.isfinite(value):
        raise InputError(f"The loss became {value}. Lower the learning rate.")
    return value


def _check(learner: Learner, course: Course, done: checkpoints.Progress) -> None:
    """Ask the dev set, and keep the weights if they are the best so far, or the last are wanted."""
    learner.module.eval()
    with torch.inference_mode():
        accuracy = learner.check()
    better = accuracy > max((row["dev_accuracy"] for row in done.rows), default=-1.0)
    done.rows.append(
        {
            "step": done.step,
            "epoch": round(done.step / course.an_epoch, 4),
            "rate": course.rate(done.step - 1, done.rows),
            "loss": done.losses / (done.step - done.checked),
            "dev_accuracy": accuracy,
        }
    )
    done.losses, done.checked = 0.0, done.step
    done.stale = 0 if better else done.stale + 1
    if better or course.recipe.keep == "last":
        done.best, done.best_step = accuracy, done.step
        done.best_weights = {
            name: value.clone() for name, value in checkpoints.learnt(learner.module).items()
        }


def _heed(learner: Learner, course: Course, done: checkpoints.Progress) -> None:
    """Do what patience and schedule ask for after a check: stop, or go back to the best weights."""
    moment, schedule = course.moment(done.step, done.rows), course.schedule
    tired = bool(course.recipe.patience) and done.stale >= course.recipe.patience
    done.over = tired or schedule.ends(moment, course.rate(done.step, done.rows))
    flat = done.best_step <= done.step - course.an_epoch
    if schedule.reloads and course.ends_an_epoch(done.step) and flat:
        checkpoints.put_back(learner.module, done.best_weights)


class _TrainingClock:
    """Counts the seconds of a run over all its parts, and those since the last checkpoint.

    Steps after the last checkpoint are done again when a run is resumed. Their time counts as well, so it is noted
    more often than a checkpoint is written.
    """

    def __init__(self, done: checkpoints.Progress, folder: Path) -> None:
        self.done, self.folder = done, folder
        self.before = max(done.seconds, checkpoints.read_seconds(folder)) if done.step else 0.0
        self.start = self.last = self.noted = time.monotonic()

    def since_saved(self) -> float:
        self.stop()
        now = time.monotonic()
        if now - self.noted >= _NOTE_SECONDS:
            checkpoints.note_seconds(self.folder, self.done.seconds)
            self.noted = now
        return now - self.last

    def saved(self) -> None:
        self.last = time.monotonic()

    def stop(self) -> None:
        self.done.seconds = self.before + time.monotonic() - self.start
