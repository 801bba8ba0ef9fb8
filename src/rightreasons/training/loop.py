"""The one training loop: batches of like length, warm-up and linear decay, clipping, dev checks, checkpoints."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from itertools import islice
from typing import TYPE_CHECKING, Protocol

import numpy as np
import torch

from rightreasons.errors import InputError
from rightreasons.progress import progress as bar
from rightreasons.training import checkpoints
from rightreasons.training.batching import epoch_batches

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray


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
class Recipe:
    """How to train."""

    epochs: float = 3.0
    batch_size: int = 32
    learning_rate: float = 2e-5
    warmup: float = 0.1  # the share of all steps in which the rate rises
    weight_decay: float = 0.01
    clip: float = 1.0  # the largest norm of a step's gradient
    seed: int = 0
    checks: int = 4  # how often an epoch the dev set is asked
    patience: int = 8  # checks without a better one before it stops; 0 never stops
    save_seconds: float = 300.0

    def __post_init__(self) -> None:
        """Refuse values that train nothing."""
        for name in ("epochs", "batch_size", "learning_rate", "checks"):
            if not getattr(self, name) > 0:
                raise InputError(f"The option {name} is {getattr(self, name)}. Give more than 0.")
        if not 0 <= self.warmup <= 1:
            raise InputError(f"The option warmup is {self.warmup}. Give a share from 0 to 1.")

    def facts(self) -> dict[str, object]:
        """Say what decides the weights; how often they are saved does not."""
        return {name: value for name, value in asdict(self).items() if name != "save_seconds"}


@dataclass(frozen=True)
class Trained:
    """What became of a run: the log, and at which step the kept weights were."""

    rows: list[dict[str, float]]
    steps: int
    best_step: int
    best: float


def fit(learner: Learner, recipe: Recipe, folder: Path, key: str) -> Trained:
    """Train, from the checkpoint in the folder if there is one, and leave the best weights in the module."""
    an_epoch = -(-len(learner.lengths) // recipe.batch_size)
    steps = max(1, round(recipe.epochs * an_epoch))
    every = max(1, an_epoch // recipe.checks)
    optimiser = _optimiser(learner.module, recipe)
    done = checkpoints.resume(folder, key, learner.module, optimiser) or checkpoints.Progress()
    saved = time.monotonic()
    with bar(steps, "training") as advance:
        advance(done.step)
        for rows in _batches(learner.lengths, recipe, done.step, steps):
            done.losses += _step(learner, optimiser, recipe, rows, _rate(done.step, steps, recipe))
            done.step += 1
            advance(1)
            if done.step % every == 0 or done.step == steps:
                _check(learner, done)
                if recipe.patience and done.stale >= recipe.patience:
                    break
            if time.monotonic() - saved > recipe.save_seconds:
                checkpoints.save(folder, key, done, learner.module, optimiser)
                saved = time.monotonic()
    learner.module.load_state_dict(done.best_weights)
    return Trained(done.rows, done.step, done.best_step, done.best)


def _batches(
    lengths: NDArray[np.int64], recipe: Recipe, start: int, stop: int
) -> Iterator[NDArray[np.int64]]:
    """Deal epoch after epoch, from one step up to another."""
    an_epoch = -(-len(lengths) // recipe.batch_size)
    for epoch in range(start // an_epoch, -(-stop // an_epoch)):
        first = epoch * an_epoch
        dealt = epoch_batches(lengths, recipe.batch_size, recipe.seed, epoch)
        yield from islice(dealt, max(0, start - first), min(an_epoch, stop - first))


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
    torch.nn.utils.clip_grad_norm_(learner.module.parameters(), recipe.clip)
    optimiser.step()
    optimiser.zero_grad(set_to_none=True)
    value = loss.item()
    if not np.isfinite(value):
        raise InputError(f"The loss became {value}. Lower the learning rate.")
    return value


def _rate(step: int, steps: int, recipe: Recipe) -> float:
    """Raise the rate over the warm-up, then lower it evenly to nothing."""
    rising = round(recipe.warmup * steps)
    if step < rising:
        return recipe.learning_rate * (step + 1) / rising
    return recipe.learning_rate * (steps - step) / max(1, steps - rising)


def _check(learner: Learner, done: checkpoints.Progress) -> None:
    """Ask the dev set, and keep the weights if they are the best so far."""
    learner.module.eval()
    with torch.inference_mode():
        accuracy = learner.check()
    loss = done.losses / (done.step - done.checked)
    done.rows.append({"step": done.step, "loss": loss, "dev_accuracy": accuracy})
    done.losses, done.checked = 0.0, done.step
    done.stale += 1
    if accuracy > done.best:
        done.best, done.best_step, done.stale = accuracy, done.step, 0
        done.best_weights = {name: value.clone() for name, value in learner.module.state_dict().items()}


def _optimiser(module: torch.nn.Module, recipe: Recipe) -> torch.optim.Optimizer:
    """Make AdamW; biases and norms, which are vectors, don't decay."""
    named = [parameter for parameter in module.parameters() if parameter.requires_grad]
    groups = [
        {"params": [one for one in named if one.ndim > 1], "weight_decay": recipe.weight_decay},
        {"params": [one for one in named if one.ndim <= 1], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=recipe.learning_rate, fused=True)
