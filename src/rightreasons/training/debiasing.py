"""Training against a bias model: three losses, and the teacher that one of them distils from.

`bias` are the log-probabilities of a bias model for the same pairs, `gold` the indices of the gold labels. All losses
are means over the batch; at test time only the logits count, never the bias.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.nn.functional import cross_entropy, log_softmax

from rightreasons.training import checkpoints
from rightreasons.training.bias_models import predict_with_bias_model
from rightreasons.training.loop import fit_learner

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import polars as pl

    from rightreasons.nets.recipe import DebiasMethod, DebiasOptions, Recipe
    from rightreasons.training.learner import Loss, NetworkLearner
    from rightreasons.training.loop import TrainingResult

TEACHER = "teacher"


def fit_debiased_learner(
    make: Callable[[], NetworkLearner],
    *,
    pairs: pl.DataFrame,
    labels: int,
    debias: DebiasOptions,
    recipe: Recipe,
    folder: Path,
    run: dict[str, Any],
) -> tuple[NetworkLearner, TrainingResult]:
    """Train a learner against a bias model; `pairs` are its training rows, in their order.

    `make` seeds torch and makes a fresh learner, always the same one.
    """
    learner = make()
    gold = learner.train.gold
    bias = torch.from_numpy(predict_with_bias_model(pairs, gold, labels, debias.bias)).float()
    teacher = _train_teacher(make, recipe, folder, run) if debias.debias == "confidence" else None
    log_probabilities = None if teacher is None else teacher.log_probabilities
    learner.loss_of = make_debiased_loss(debias.debias, bias, torch.from_numpy(gold), log_probabilities)
    trained = fit_learner(learner, recipe, folder, run)
    seconds = 0.0 if teacher is None else teacher.seconds
    return learner, replace(trained, seconds=trained.seconds + seconds)


def make_debiased_loss(
    method: DebiasMethod | None, bias: torch.Tensor, gold: torch.Tensor, teacher: torch.Tensor | None = None
) -> Loss:
    """Make the loss of a method from the log-probabilities of the bias model, and of a teacher, for all rows."""
    if teacher is not None:
        targets = compute_confidence_targets(teacher, gold, bias)
        return lambda logits, _, rows: distillation_loss(logits, targets[rows].to(logits.device))
    loss = reweighted_loss if method == "reweight" else product_of_experts_loss
    return lambda logits, truth, rows: loss(logits, truth, bias[rows].to(logits.device))


@dataclass(frozen=True)
class _Teacher:
    """Predictions of a teacher for the training pairs, and how long it was trained."""

    log_probabilities: torch.Tensor
    seconds: float


def _train_teacher(
    make: Callable[[], NetworkLearner], recipe: Recipe, folder: Path, run: dict[str, Any]
) -> _Teacher:
    """Train the same network plainly, and store its predictions for the training pairs."""
    run = {**run, "part": TEACHER}
    path = folder / f"{TEACHER}.pt"
    stored = checkpoints.read_tensors(path, run, ("answers",))
    if stored is not None:
        return _Teacher(stored["answers"], float(stored.get("seconds", 0.0)))
    random_state = torch.get_rng_state()  # the network itself is trained as if there had been no teacher
    teacher = make()
    trained = fit_learner(teacher, recipe, folder / TEACHER, run, title="training the teacher")
    teacher.module.eval()
    with torch.inference_mode():
        logits = teacher.predict_logits(teacher.train)
    log_probabilities = torch.log_softmax(torch.from_numpy(np.ascontiguousarray(logits)), dim=1)
    state = {
        "run": checkpoints.serialize_run(run),
        "answers": log_probabilities.clone(),
        "seconds": trained.seconds,
    }
    checkpoints.write_tensors(path, state)
    torch.set_rng_state(random_state)
    return _Teacher(log_probabilities, trained.seconds)


def reweighted_loss(
    logits: torch.Tensor,  # (B, labels)
    gold: torch.Tensor,  # (B,)
    bias: torch.Tensor,  # (B, labels)
) -> torch.Tensor:
    """Weight each pair by how little the bias model believes its gold label: 1 - p_b(gold)."""
    weights = 1 - _get_gold_log_probabilities(bias, gold).exp()
    return (weights * cross_entropy(logits, gold, reduction="none")).mean()


def product_of_experts_loss(logits: torch.Tensor, gold: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """Compute the cross-entropy of the product of both models' probabilities, renormalised."""
    return cross_entropy(log_softmax(logits, dim=1) + bias, gold)


def compute_confidence_targets(teacher: torch.Tensor, gold: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """Flatten a teacher's log-probabilities where the bias model is right: its power 1 - p_b(gold), renormalised."""
    powers = 1 - _get_gold_log_probabilities(bias, gold).exp()
    return torch.softmax(powers[:, None] * teacher, dim=1)


def distillation_loss(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Compute the cross-entropy against soft targets."""
    return cross_entropy(logits, targets)


def _get_gold_log_probabilities(bias: torch.Tensor, gold: torch.Tensor) -> torch.Tensor:
    """Pick the log-probability of each pair's gold label: (B,)."""
    return bias.gather(1, gold[:, None]).squeeze(1)
