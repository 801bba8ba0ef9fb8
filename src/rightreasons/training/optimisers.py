"""Optimisers by name, and how gradients are clipped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import torch

if TYPE_CHECKING:
    from collections.abc import Iterable

Optimiser = Literal["adamw", "adam", "amsgrad", "adagrad", "sgd", "rmsprop"]
Clip = Literal["norm", "value"]
WORDS = "words."  # the table of word vectors, which never decays


def make_optimiser(
    name: Optimiser, module: torch.nn.Module, rate: float, weight_decay: float
) -> torch.optim.Optimizer:
    """Make an optimiser of all that is trained; biases, norms and word vectors don't decay.

    Gradients of trained word vectors are dense: one fused step over the table costs less than gathering its rows,
    and rows that a batch lacks move by their momentum as they do in the reference code.
    """
    trained = [(key, one) for key, one in module.named_parameters() if one.requires_grad]
    decaying = [one for key, one in trained if one.ndim > 1 and not key.startswith(WORDS)]
    others = [one for key, one in trained if one.ndim <= 1 or key.startswith(WORDS)]
    groups: list[dict[str, Any]] = [
        {"params": decaying, "weight_decay": weight_decay},
        {"params": others, "weight_decay": 0.0},
    ]
    made: torch.optim.Optimizer = _MAKERS[name]([group for group in groups if group["params"]], rate)
    return made


_MAKERS: dict[str, Any] = {
    "adamw": lambda groups, rate: torch.optim.AdamW(groups, lr=rate, fused=True),
    "adam": lambda groups, rate: torch.optim.Adam(groups, lr=rate, fused=True),
    "amsgrad": lambda groups, rate: torch.optim.Adam(groups, lr=rate, amsgrad=True, fused=True),
    "adagrad": lambda groups, rate: torch.optim.Adagrad(groups, lr=rate, fused=True),
    "sgd": lambda groups, rate: torch.optim.SGD(groups, lr=rate, fused=True),
    "rmsprop": lambda groups, rate: torch.optim.RMSprop(groups, lr=rate),
}


def clip_gradients(parameters: Iterable[torch.nn.Parameter], most: float, by: Clip) -> None:
    """Cut a step's gradient to a norm, or each of its numbers to a value; 0 leaves it as it is."""
    if not most:
        return
    if by == "norm":
        torch.nn.utils.clip_grad_norm_(parameters, most)
    else:
        torch.nn.utils.clip_grad_value_(parameters, most)
