"""A recipe: the numbers that decide how a model is trained, and the options with which users change them."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Literal

from rightreasons.core.errors import InputError
from rightreasons.core.options import option

Optimiser = Literal["adamw", "adam", "amsgrad", "adagrad", "sgd", "rmsprop"]
Clipping = Literal["norm", "value"]
KeptWeights = Literal["best", "last"]
ScheduleName = Literal[
    "linear", "constant", "plateau", "two-epochs", "reload", "infersent", "two-flat-checks"
]
DebiasMethod = Literal["reweight", "poe", "confidence"]
Bias = Literal["hypothesis-only", "overlap"]
BIAS_FOLDS = 5  # of the cross-fitting of bias models
RELOADING_SCHEDULES = ("reload",)  # schedules that return to the best weights
_POSITIVE = ("epochs", "batch_size", "learning_rate", "checks")
_NOT_NEGATIVE = ("weight_decay", "clip", "patience", "save_seconds")
_SEEDS = 2**63  # torch takes no larger ones


@dataclass(frozen=True)
class Recipe:
    """How to train. The defaults are those of an encoder that is fine-tuned."""

    epochs: float = 3.0
    batch_size: int = 32
    learning_rate: float = 2e-5
    optimiser: Optimiser = "adamw"
    schedule: ScheduleName = "linear"
    warmup: float = 0.1  # fraction of all steps in which the learning rate rises
    weight_decay: float = 0.01
    clip: float = 1.0  # largest norm of the gradient, or of each of its values; 0 disables clipping
    clip_by: Clipping = "norm"
    seed: int = 0
    checks: int = 4  # evaluations on the dev set per epoch
    patience: int = 8  # evaluations without improvement before training stops; 0 disables early stopping
    keep: KeptWeights = "best"  # the weights with the best dev accuracy, or the last
    save_seconds: float = 60.0

    def __post_init__(self) -> None:
        """Refuse values with which nothing can be trained."""
        for name in _POSITIVE:
            if not 0 < getattr(self, name) < math.inf:
                raise InputError(
                    f"The option {name} is {getattr(self, name)}. Give a finite number greater than 0."
                )
        for name in _NOT_NEGATIVE:
            if not getattr(self, name) >= 0:
                raise InputError(f"The option {name} is {getattr(self, name)}. Give 0 or more.")
        if not 0 <= self.warmup <= 1:
            raise InputError(
                f"The option warmup is {self.warmup}. Give a fraction of the training steps, from 0 to 1."
            )
        if not 0 <= self.seed < _SEEDS:
            raise InputError(f"The option seed is {self.seed}. Give an integer from 0 to {_SEEDS - 1}.")
        if self.keep == "last" and self.schedule in RELOADING_SCHEDULES:
            raise InputError(
                f"The schedule {self.schedule} returns to the best weights, so keep=last has no effect. "
                "Choose another schedule, or keep=best."
            )

    def facts(self) -> dict[str, object]:
        """Return what decides the weights; how often they are saved does not."""
        return {name: value for name, value in asdict(self).items() if name != "save_seconds"}


# No warm-up, weight decay, clipping or early stopping: the recipes of the papers start from here.
PLAIN_RECIPE = Recipe(
    optimiser="adam", schedule="constant", warmup=0.0, weight_decay=0.0, clip=0.0, checks=1, patience=0
)
# Small presets train for a few epochs, in which they must learn faster than with the recipe of their paper.
SMALL_RECIPE = Recipe(
    optimiser="adam",
    learning_rate=1e-3,
    batch_size=32,
    clip=5.0,
    schedule="plateau",
    warmup=0.0,
    weight_decay=0.0,
    epochs=5.0,
    checks=2,
    patience=4,
)


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """Options that every trainer has."""

    seed: int = option(0, help="Seed of initial weights, random word vectors, data order and dropout.")
    save_seconds: float = option(60.0, help="Seconds between two checkpoints.")
    threads: int | None = option(
        None, help="Number of CPU threads. Default: OMP_NUM_THREADS, else the default of torch."
    )
    device: str | None = option(
        None, help="torch device, such as cpu or cuda. Default: a GPU if there is one."
    )


@dataclass(frozen=True, kw_only=True)
class DebiasOptions:
    """Options of trainers that support debiasing with a bias-only model."""

    debias: DebiasMethod | None = option(
        None,
        help="Debiasing with a bias-only model: reweight, poe (product of experts) or confidence (regularisation with "
        "a teacher, which is trained first). Default: plain cross-entropy.",
    )
    bias: Bias = option(
        "hypothesis-only",
        help="Features of the bias-only model: hypothesis-only, or the overlap of premise and hypothesis.",
    )

    def debias_facts(self) -> dict[str, object]:
        """Return what a card records about the bias-only model; nothing for plain training."""
        if self.debias is None:
            return {}
        return {"method": self.debias, "bias": self.bias, "cross_fitted_in": BIAS_FOLDS}


def check_dropout(dropout: float | None) -> float | None:
    """Refuse a dropout that is not a probability; None stands for the network's own."""
    if dropout is not None and not 0 <= dropout < 1:
        raise InputError(f"The option dropout is {dropout}. Give a number of at least 0 and below 1.")
    return dropout
