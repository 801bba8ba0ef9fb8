"""Training against a bias model: which loss, and the teacher that one of them distils from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import torch

from rightreasons.training import checkpoints, losses
from rightreasons.training.bias_models import PARTS, Bias, bias_answers
from rightreasons.training.loop import fit

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import polars as pl

    from rightreasons.training.loop import TrainingResult
    from rightreasons.training.network_learner import Loss, NetworkLearner
    from rightreasons.training.recipe import Recipe

Method = Literal["reweight", "poe", "confidence"]
TEACHER = "teacher"


@dataclass(frozen=True)
class Debiasing:
    """What is done about which bias; no method is plain training."""

    method: Method | None = None
    bias: Bias = "hypothesis-only"

    def facts(self) -> dict[str, object]:
        """Say what a card keeps."""
        return {"method": self.method, "bias": self.bias, "cross_fitted_in": PARTS} if self.method else {}


def fit_debiased(
    make: Callable[[], NetworkLearner],
    *,
    pairs: pl.DataFrame,
    labels: int,
    debiasing: Debiasing,
    recipe: Recipe,
    folder: Path,
    run: dict[str, Any],
) -> tuple[NetworkLearner, TrainingResult]:
    """Train a learner with the loss that was chosen; `pairs` are its training rows, in their order.

    `make` seeds torch and makes a fresh learner, always the same one.
    """
    learner = make()
    seconds = 0.0  # of the teacher
    if debiasing.method is not None:
        gold = learner.train.gold
        bias = torch.from_numpy(bias_answers(pairs, gold, labels, debiasing.bias)).float()
        teacher = _teacher(make, recipe, folder, run) if debiasing.method == "confidence" else None
        answers = None if teacher is None else teacher.answers
        learner.loss_of = debiased_loss(debiasing.method, bias, torch.from_numpy(gold), answers)
        seconds = 0.0 if teacher is None else teacher.seconds
    trained = fit(learner, recipe, folder, run)
    return learner, replace(trained, seconds=trained.seconds + seconds)


def debiased_loss(
    method: Method, bias: torch.Tensor, gold: torch.Tensor, teacher: torch.Tensor | None = None
) -> Loss:
    """Make the loss of a method, given the log-probabilities of the bias model, and of a teacher, for all rows."""
    if teacher is not None:
        targets = losses.confidence_targets(teacher, gold, bias)
        return lambda logits, _, rows: losses.distillation(logits, targets[rows].to(logits.device))
    loss = losses.reweighted if method == "reweight" else losses.product_of_experts
    return lambda logits, truth, rows: loss(logits, truth, bias[rows].to(logits.device))


@dataclass(frozen=True)
class _Teacher:
    """What a teacher predicts for the training pairs, as log-probabilities, and how long it was trained."""

    answers: torch.Tensor
    seconds: float


def _teacher(
    make: Callable[[], NetworkLearner], recipe: Recipe, folder: Path, run: dict[str, Any]
) -> _Teacher:
    """Train the same network plainly, and keep what it answers to the training pairs."""
    run = {**run, "part": TEACHER}
    kept = folder / f"{TEACHER}.pt"
    known = checkpoints.read(kept, run, ("answers",))
    if known is not None:
        return _Teacher(known["answers"], float(known.get("seconds", 0.0)))
    chance = torch.get_rng_state()  # the network itself is trained as if there had been no teacher
    teacher = make()
    trained = fit(teacher, recipe, folder / TEACHER, run, title="training the teacher")
    teacher.module.eval()
    with torch.inference_mode():
        logits = teacher.answers(teacher.train)
    answers = torch.log_softmax(torch.from_numpy(np.ascontiguousarray(logits)), dim=1)
    state = {"run": checkpoints.text_of(run), "answers": answers.clone(), "seconds": trained.seconds}
    checkpoints.write(kept, state)
    torch.set_rng_state(chance)
    return _Teacher(answers, trained.seconds)
