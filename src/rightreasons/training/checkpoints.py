"""Where a training run can be taken up again after a kill: everything the next step depends on, in one file."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from rightreasons.errors import InputError
from rightreasons.outputs import replacing

if TYPE_CHECKING:
    from pathlib import Path

FILE = "checkpoint.pt"


@dataclass
class Progress:
    """How far a run has come: the steps done, what the dev set said, the best weights so far."""

    step: int = 0
    checked: int = 0  # the step of the last check
    losses: float = 0.0  # added up since then
    rows: list[dict[str, float]] = field(default_factory=list)
    best: float = -1.0
    best_step: int = 0
    stale: int = 0
    best_weights: dict[str, torch.Tensor] = field(default_factory=dict)


def save(
    folder: Path, key: str, progress: Progress, module: torch.nn.Module, optimiser: torch.optim.Optimizer
) -> None:
    """Write the checkpoint in place of the last one, whole or not at all."""
    state = {
        "key": key,
        "progress": vars(progress),
        "module": module.state_dict(),
        "optimiser": optimiser.state_dict(),
        "chance": torch.get_rng_state(),
    }
    with replacing(folder / FILE, force=True) as part:
        torch.save(state, part)


def resume(
    folder: Path, key: str, module: torch.nn.Module, optimiser: torch.optim.Optimizer
) -> Progress | None:
    """Take up the run whose checkpoint lies in the folder, if one does; another run's is an error."""
    path = folder / FILE
    if not path.exists():
        return None
    state = _read(path)
    if state["key"] != key:
        raise InputError(
            f"{path} belongs to a run with other data or options. "
            "Give those of that run, or remove the folder to begin anew."
        )
    module.load_state_dict(state["module"])
    optimiser.load_state_dict(state["optimiser"])
    torch.set_rng_state(state["chance"])
    return Progress(**state["progress"])


def _read(path: Path) -> dict[str, Any]:
    try:
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
        _ = state["key"], state["progress"], state["module"], state["optimiser"], state["chance"]
    except (OSError, EOFError, RuntimeError, KeyError, TypeError, pickle.UnpicklingError) as error:
        raise InputError(f"{path} is no whole checkpoint. Remove its folder to begin anew.") from error
    return state
