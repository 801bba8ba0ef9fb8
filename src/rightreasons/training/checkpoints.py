"""Checkpoints of training runs: everything that the next step depends on, in one file."""

from __future__ import annotations

import hashlib
import json
import math
import pickle
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from rightreasons.core.errors import InputError
from rightreasons.io.outputs import write_atomically

if TYPE_CHECKING:
    from pathlib import Path

    Run = dict[str, Any]

FILE = "checkpoint.pt"
SECONDS = "seconds.txt"
FIRST_WEIGHTS = "first_weights"
_PARTS = ("run", "progress", "module", "optimiser", "chance")


@dataclass
class Progress:
    """The state of a run: steps done, dev accuracies, the best weights so far."""

    step: int = 0
    checked: int = 0  # the step of the last check
    losses: float = 0.0  # added up since then
    rows: list[dict[str, float]] = field(default_factory=list)
    best: float = -1.0
    best_step: int = 0
    stale: int = 0
    over: bool = False
    seconds: float = 0.0
    resumed_at: list[int] = field(default_factory=list)  # steps at which the run was resumed
    best_weights: dict[str, torch.Tensor] = field(default_factory=dict)


def select_trained_weights(module: torch.nn.Module) -> dict[str, torch.Tensor]:
    """Return the weights of a module without frozen ones, such as word vectors that are not trained."""
    frozen = {name for name, weight in module.named_parameters() if not weight.requires_grad}
    return {name: value for name, value in module.state_dict().items() if name not in frozen}


def digest_weights(module: torch.nn.Module) -> str:
    """Compute the sha256 of all weights of a module, frozen ones included."""
    hasher = hashlib.sha256()
    for name, value in module.state_dict().items():
        hasher.update(f"{name} {tuple(value.shape)} {value.dtype}\n".encode())
        hasher.update(value.detach().cpu().contiguous().flatten().view(torch.uint8).numpy())
    return hasher.hexdigest()


def restore_weights(module: torch.nn.Module, weights: dict[str, torch.Tensor]) -> None:
    """Restore weights that a module had before."""
    module.load_state_dict({**module.state_dict(), **weights})


def save_checkpoint(
    folder: Path, run: Run, progress: Progress, module: torch.nn.Module, optimiser: torch.optim.Optimizer
) -> None:
    """Replace the checkpoint atomically."""
    state = {
        "run": serialize_run(run),
        "progress": vars(progress),
        "module": select_trained_weights(module),
        "optimiser": optimiser.state_dict(),
        "chance": torch.get_rng_state(),
    }
    write_tensors(folder / FILE, state)


def serialize_run(run: Run) -> str:
    """Return what decides a run as JSON."""
    return json.dumps(run, sort_keys=True)


def write_tensors(path: Path, state: dict[str, Any]) -> None:
    """Write a file of tensors atomically; on failure no empty folder is left behind."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with write_atomically(path, force=True, internal=True) as part:
            _save_with_torch(state, part)
    except BaseException:
        with suppress(OSError):
            path.parent.rmdir()  # fails, as it should, if an older checkpoint is in it
        raise


def _save_with_torch(state: dict[str, Any], path: Path) -> None:
    """Write a file with torch, which hides an OSError behind an error of its own."""
    try:
        with path.open("wb") as file:
            torch.save(state, file)
    except RuntimeError as error:
        if isinstance(error.__context__, OSError):
            raise error.__context__ from error
        raise


def resume_checkpoint(
    folder: Path, run: Run, module: torch.nn.Module, optimiser: torch.optim.Optimizer
) -> Progress | None:
    """Resume from the checkpoint in the folder, if there is one; that of another run is an error."""
    state = read_tensors(folder / FILE, run, _PARTS)
    if state is None:
        return None
    restore_weights(module, state["module"])
    optimiser.load_state_dict(state["optimiser"])
    torch.set_rng_state(state["chance"])
    return Progress(**state["progress"])


def write_training_seconds(folder: Path, seconds: float) -> None:
    """Write the time of a run next to its checkpoint, if it has one; failing to write it does no harm."""
    if (folder / FILE).exists():
        with suppress(OSError):
            (folder / SECONDS).write_text(f"{seconds:.3f}\n", encoding="utf-8")


def read_training_seconds(folder: Path) -> float:
    """Read the time that was written last; 0 if there is none."""
    try:
        seconds = float((folder / SECONDS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return 0.0
    return seconds if 0 <= seconds < math.inf else 0.0


def read_tensors(path: Path, run: Run, parts: tuple[str, ...]) -> dict[str, Any] | None:
    """Read a file of tensors of this run, if there is one; that of another run is an error."""
    if not path.exists():
        return None
    try:
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
        _ = [state[part] for part in parts]
        before = json.loads(state["run"])
    except (
        OSError,
        EOFError,
        RuntimeError,
        KeyError,
        TypeError,
        ValueError,
        pickle.UnpicklingError,
    ) as error:
        raise InputError(
            f"{path} is not a complete checkpoint. Remove the folder {path.parent} to start again."
        ) from error
    now = json.loads(json.dumps(run))
    if before != now:
        raise InputError(
            f"{path} belongs to a run with other data or options: {_describe_first_difference(before, now)}. "
            f"Use the data and options of that run, or remove the folder {path.parent} to start again."
        )
    return state


def _describe_first_difference(before: Run, now: Run, place: str = "") -> str:
    """Name the first difference between two runs, with its values if they are short.

    The trainer comes first, and the first weights last: nearly everything else changes them as well.
    """
    for name in sorted({*before, *now}, key=lambda name: (name != "trainer", name == FIRST_WEIGHTS, name)):
        old, new = before.get(name), now.get(name)
        if isinstance(old, dict) and isinstance(new, dict) and old != new:
            return _describe_first_difference(old, new, f"{place}{name} ")
        if old != new:
            values = f" was {old} and is {new}"
            return f"its {place}{name}" + (values if len(values) < 120 else " differs")  # noqa: PLR2004 - a line
    return "the first difference is not known"
