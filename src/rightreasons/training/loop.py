"""The training loop: batches of similar length, learning rate schedule, clipping, dev checks, checkpoints."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import torch

from rightreasons.core.errors import InputError
from rightreasons.core.progress import show_progress as bar
from rightreasons.models.pair_encoding import compute_morton_codes
from rightreasons.training import checkpoints
from rightreasons.training.optimization import (
    DevCheck,
    TrainingPosition,
    clip_gradients,
    get_schedule,
    make_optimiser,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from rightreasons.nets.recipe import Recipe

POOL = 64  # batches that are sorted by length together
_SECONDS_BETWEEN_TIMES = 0.5  # that are written next to the checkpoint


class Learner(Protocol):
    """What the loop trains: a module, training pairs as rows, and a dev set."""

    module: torch.nn.Module

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Return the length of each training row."""

    def compute_loss(self, rows: NDArray[np.int64]) -> torch.Tensor:
        """Compute the mean loss on some training rows."""

    def compute_dev_accuracy(self) -> float:
        """Compute the accuracy on the dev set."""


@dataclass(frozen=True)
class TrainingResult:
    """The result of a run: the log, the step of the kept weights, and the card that was written."""

    rows: list[dict[str, float]]
    steps: int
    best_step: int
    best: float
    seconds: float = 0.0
    resumed_from: int = 0  # step of the checkpoint that it resumed from
    first_weights: str = ""  # sha256: identifies a start or an encoder, whatever its folder holds later
    resumed_at: tuple[int, ...] = ()  # steps at which it was resumed, over all interruptions
    card: dict[str, Any] = field(default_factory=dict)  # what training.json says


def fit_learner(
    learner: Learner, recipe: Recipe, folder: Path, run: dict[str, Any], title: str = "training"
) -> TrainingResult:
    """Train, from the checkpoint in the folder if there is one; the module ends with the best weights."""
    plan = StepPlan(len(learner.lengths), recipe)
    module = learner.module
    first_weights = checkpoints.digest_weights(module)
    run = {**run, checkpoints.FIRST_WEIGHTS: first_weights}
    optimiser = make_optimiser(recipe.optimiser, module, recipe.learning_rate, recipe.weight_decay)
    done = checkpoints.resume_checkpoint(folder, run, module, optimiser) or checkpoints.Progress()
    clock, resumed_from = _TrainingClock(done, folder), done.step
    done.resumed_at += [resumed_from] if resumed_from else []
    with bar(plan.steps, title) as advance:
        advance(done.step)
        for rows in plan.iterate_batches(learner.lengths, done):
            done.losses += _take_training_step(
                learner, optimiser, recipe, rows, plan.compute_learning_rate(done.step, done.rows)
            )
            done.step += 1
            advance(1)
            if plan.has_dev_check(done.step):
                _evaluate_on_dev(learner, plan, done)
                _stop_or_reload(learner, plan, done)
            if clock.seconds_since_checkpoint() > recipe.save_seconds:
                checkpoints.save_checkpoint(folder, run, done, module, optimiser)
                clock.mark_checkpoint()
        clock.update_seconds()
        if (
            folder / checkpoints.FILE
        ).exists():  # so that a long run is not lost if its folder can't be written
            checkpoints.save_checkpoint(folder, run, done, module, optimiser)
    checkpoints.restore_weights(module, done.best_weights)
    return TrainingResult(
        done.rows,
        done.step,
        done.best_step,
        done.best,
        done.seconds,
        resumed_from,
        first_weights=first_weights,
        resumed_at=tuple(done.resumed_at),
    )


class StepPlan:
    """The steps of a run: how many, their batches and learning rates, and which are followed by a dev check."""

    def __init__(self, rows: int, recipe: Recipe) -> None:
        """Plan a recipe for that many training rows."""
        self.recipe, self.schedule = recipe, get_schedule(recipe.schedule)
        self.an_epoch = -(-rows // recipe.batch_size)
        self.steps = max(1, round(recipe.epochs * self.an_epoch))
        parts = range(1, recipe.checks + 1)
        self.places = {-(-part * self.an_epoch // recipe.checks) for part in parts}

    def iterate_batches(
        self, lengths: NDArray[np.int64], done: checkpoints.Progress
    ) -> Iterator[NDArray[np.int64]]:
        """Iterate over the batches from the current step to the last, or until training ends."""
        start = done.step
        for epoch in range(start // self.an_epoch, -(-self.steps // self.an_epoch)):
            first = epoch * self.an_epoch
            dealt = shuffle_batches(lengths, self.recipe.batch_size, self.recipe.seed, epoch)
            for rows in islice(dealt, max(0, start - first), min(self.an_epoch, self.steps - first)):
                if done.over:
                    return
                yield rows

    def get_position(self, step: int, rows: Sequence[dict[str, float]]) -> TrainingPosition:
        """Return where a run is after some steps and checks."""
        checks = [DevCheck((int(row["step"]) - 1) // self.an_epoch, row["dev_accuracy"]) for row in rows]
        return TrainingPosition(step, self.steps, self.an_epoch, self.recipe.warmup, checks)

    def compute_learning_rate(self, step: int, rows: Sequence[dict[str, float]]) -> float:
        """Return the learning rate of the next step."""
        return self.recipe.learning_rate * self.schedule.factor(self.get_position(step, rows))

    def has_dev_check(self, step: int) -> bool:
        """Return whether the dev set is checked after a step: always after an epoch, and after the last step."""
        return (step - 1) % self.an_epoch + 1 in self.places or step == self.steps

    def ends_epoch(self, step: int) -> bool:
        """Return whether a step is the last of its epoch."""
        return step % self.an_epoch == 0


def shuffle_batches(
    lengths: NDArray[np.int64], batch_size: int, seed: int, epoch: int
) -> list[NDArray[np.int64]]:
    """Shuffle pairs into batches of similar length, so that little is padding.

    Only seed and epoch decide how, so a resumed run has the same batches. A pair has one length (pairs,), or two
    (pairs, 2) where premise and hypothesis are padded separately.
    """
    key = lengths if lengths.ndim == 1 else compute_morton_codes(lengths)
    generator = np.random.default_rng([seed, epoch])
    order = generator.permutation(len(lengths))
    batches: list[NDArray[np.int64]] = []
    for start in range(0, len(order), POOL * batch_size):
        pool = order[start : start + POOL * batch_size]
        pool = pool[np.argsort(key[pool], kind="stable")]
        batches += [pool[at : at + batch_size] for at in range(0, len(pool), batch_size)]
    return [batches[place] for place in generator.permutation(len(batches))]


def _take_training_step(
    learner: Learner,
    optimiser: torch.optim.Optimizer,
    recipe: Recipe,
    rows: NDArray[np.int64],
    rate: float,
) -> float:
    learner.module.train()
    for group in optimiser.param_groups:
        group["lr"] = rate
    loss = learner.compute_loss(rows)
    loss.backward()  # type: ignore[no-untyped-call]
    clip_gradients(learner.module.parameters(), recipe.clip, recipe.clip_by)
    optimiser.step()
    optimiser.zero_grad(set_to_none=True)
    value = loss.item()
    if not np.isfinite(value):
        raise InputError(f"The loss became {value}. Lower the learning rate.")
    return value


def _evaluate_on_dev(learner: Learner, plan: StepPlan, done: checkpoints.Progress) -> None:
    """Evaluate on the dev set; keep the weights if they are the best so far, or if the last are wanted."""
    learner.module.eval()
    with torch.inference_mode():
        accuracy = learner.compute_dev_accuracy()
    better = accuracy > max((row["dev_accuracy"] for row in done.rows), default=-1.0)
    done.rows.append(
        {
            "step": done.step,
            "epoch": round(done.step / plan.an_epoch, 4),
            "rate": plan.compute_learning_rate(done.step - 1, done.rows),
            "loss": done.losses / (done.step - done.checked),
            "dev_accuracy": accuracy,
        }
    )
    done.losses, done.checked = 0.0, done.step
    done.stale = 0 if better else done.stale + 1
    if better or plan.recipe.keep == "last":
        done.best, done.best_step = accuracy, done.step
        done.best_weights = {
            name: value.clone() for name, value in checkpoints.select_trained_weights(learner.module).items()
        }


def _stop_or_reload(learner: Learner, plan: StepPlan, done: checkpoints.Progress) -> None:
    """Apply early stopping and schedule after a check: end training, or return to the best weights."""
    position, schedule = plan.get_position(done.step, done.rows), plan.schedule
    patience_ended = bool(plan.recipe.patience) and done.stale >= plan.recipe.patience
    done.over = patience_ended or schedule.ends(position, plan.compute_learning_rate(done.step, done.rows))
    flat = done.best_step <= done.step - plan.an_epoch
    if schedule.reloads and plan.ends_epoch(done.step) and flat:
        checkpoints.restore_weights(learner.module, done.best_weights)


class _TrainingClock:
    """Counts the seconds of a run over all interruptions, and those since the last checkpoint.

    Steps after the last checkpoint are repeated when a run is resumed. Their time counts as well, so it is written
    more often than checkpoints are.
    """

    def __init__(self, done: checkpoints.Progress, folder: Path) -> None:
        self.done, self.folder = done, folder
        self.before = max(done.seconds, checkpoints.read_training_seconds(folder)) if done.step else 0.0
        self.start = self.last = self.noted = time.monotonic()

    def seconds_since_checkpoint(self) -> float:
        self.update_seconds()
        now = time.monotonic()
        if now - self.noted >= _SECONDS_BETWEEN_TIMES:
            checkpoints.write_training_seconds(self.folder, self.done.seconds)
            self.noted = now
        return now - self.last

    def mark_checkpoint(self) -> None:
        self.last = time.monotonic()

    def update_seconds(self) -> None:
        self.done.seconds = self.before + time.monotonic() - self.start


@contextmanager
def limit_threads(count: int | None) -> Iterator[None]:
    """Compute with that many threads, then restore the number; None leaves it to OMP_NUM_THREADS and torch."""
    if count is None:
        yield
        return
    if count < 1:
        raise InputError(f"The option threads is {count}. Give 1 or more.")
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
