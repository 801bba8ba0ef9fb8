"""Where a training run can be taken up again after a kill: everything the next step depends on, in one file."""

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
from rightreasons.io.outputs import replacing

if TYPE_CHECKING:
    from pathlib import Path

    Run = dict[str, Any]

FILE = "checkpoint.pt"
SECONDS = "seconds.txt"
FIRST_WEIGHTS = "first_weights"
_PARTS = ("run", "progress", "module", "optimiser", "chance")


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
    over: bool = False
    seconds: float = 0.0
    resumed_at: list[int] = field(default_factory=list)  # the steps that the run was resumed from
    best_weights: dict[str, torch.Tensor] = field(default_factory=dict)


def learnt(module: torch.nn.Module) -> dict[str, torch.Tensor]:
    """Give the weights of a module without those that stay as they are, such as frozen word vectors."""
    frozen = {name for name, weight in module.named_parameters() if not weight.requires_grad}
    return {name: value for name, value in module.state_dict().items() if name not in frozen}


def digest(module: torch.nn.Module) -> str:
    """Compute the sha256 of all weights of a module, of those that stay as they are as well."""
    seen = hashlib.sha256()
    for name, value in module.state_dict().items():
        seen.update(f"{name} {tuple(value.shape)} {value.dtype}\n".encode())
        seen.update(value.detach().cpu().contiguous().flatten().view(torch.uint8).numpy())
    return seen.hexdigest()


def put_back(module: torch.nn.Module, weights: dict[str, torch.Tensor]) -> None:
    """Give a module weights that it had learnt before."""
    module.load_state_dict({**module.state_dict(), **weights})


def save(
    folder: Path, run: Run, progress: Progress, module: torch.nn.Module, optimiser: torch.optim.Optimizer
) -> None:
    """Write the checkpoint in place of the last one, whole or not at all."""
    state = {
        "run": text_of(run),
        "progress": vars(progress),
        "module": learnt(module),
        "optimiser": optimiser.state_dict(),
        "chance": torch.get_rng_state(),
    }
    write(folder / FILE, state)


def text_of(run: Run) -> str:
    """Show what decides a run as a checkpoint keeps it."""
    return json.dumps(run, sort_keys=True)


def write(path: Path, state: dict[str, Any]) -> None:
    """Write a file of tensors, whole or not at all; its folder, too, is there only with a whole file in it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with replacing(path, force=True, internal=True) as part:
            _dump(state, part)
    except BaseException:
        with suppress(OSError):
            path.parent.rmdir()  # fails, as it should, where an older checkpoint is in it
        raise


def _dump(state: dict[str, Any], path: Path) -> None:
    """Have torch write a file; it hides an error of the disk behind one of its own."""
    try:
        with path.open("wb") as file:
            torch.save(state, file)
    except RuntimeError as error:
        if isinstance(error.__context__, OSError):
            raise error.__context__ from error
        raise


def resume(
    folder: Path, run: Run, module: torch.nn.Module, optimiser: torch.optim.Optimizer
) -> Progress | None:
    """Take up the run whose checkpoint lies in the folder, if one does; another run's is an error."""
    state = read(folder / FILE, run, _PARTS)
    if state is None:
        return None
    put_back(module, state["module"])
    optimiser.load_state_dict(state["optimiser"])
    torch.set_rng_state(state["chance"])
    return Progress(**state["progress"])


def note_seconds(folder: Path, seconds: float) -> None:
    """Note the time of a run beside its checkpoint, if it has one; what can't be written is no harm."""
    if (folder / FILE).exists():
        with suppress(OSError):
            (folder / SECONDS).write_text(f"{seconds:.3f}\n", encoding="utf-8")


def read_seconds(folder: Path) -> float:
    """Read the time that was noted last; 0 where there is none."""
    try:
        seconds = float((folder / SECONDS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return 0.0
    return seconds if 0 <= seconds < math.inf else 0.0


def read(path: Path, run: Run, parts: tuple[str, ...]) -> dict[str, Any] | None:
    """Read a file of tensors of this run, if there is one; another run's is an error."""
    if not path.exists():
        return None
    try:
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
        _ = [state[part] for part in parts]
        then = json.loads(state["run"])
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
            f"{path} is no whole checkpoint. Remove the folder {path.parent} to begin anew."
        ) from error
    now = json.loads(json.dumps(run))
    if then != now:
        raise InputError(
            f"{path} belongs to a run with other data or options: {_difference(then, now)}. "
            f"Give those of that run, or remove the folder {path.parent} to begin anew."
        )
    return state


def _difference(then: Run, now: Run, place: str = "") -> str:
    """Name the first thing in which two runs differ, with its values where they are short.

    Another model goes first, and the first weights last: nearly everything else changes them as well.
    """
    for name in sorted({*then, *now}, key=lambda name: (name != "trainer", name == FIRST_WEIGHTS, name)):
        one, other = then.get(name), now.get(name)
        if isinstance(one, dict) and isinstance(other, dict) and one != other:
            return _difference(one, other, f"{place}{name} ")
        if one != other:
            values = [str(value) for value in (one, other)]
            shown = f" was {values[0]} and is {values[1]}"
            return f"its {place}{name}" + (shown if len(shown) < 120 else " differs")  # noqa: PLR2004 - a line
    return "nothing that can be named"
