"""What every trained model's folder has beside its weights: the card of its training, its log and a plot."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rightreasons.io.outputs import replacing_folder
from rightreasons.training.log import write_log

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rightreasons.training.loop import TrainingResult

CARD = "training.json"
_OS_ERROR = re.compile(r"\(os error (\d+)\)")
ENCODER = "encoder.safetensors"  # in place of a model: what `pretrain` makes


@contextmanager
def model_folder(out: Path) -> Iterator[Path]:
    """Give a hidden folder to fill, which takes its name when it is whole."""
    from safetensors import SafetensorError

    with replacing_folder(out, force=True) as folder:
        try:
            yield folder
        except SafetensorError as error:  # it hides an error of the disk in its message
            found = _OS_ERROR.search(str(error))
            if found is None:
                raise
            raise OSError(int(found[1]), str(error)) from error


def write_card(folder: Path, card: dict[str, Any], trained: TrainingResult) -> None:
    """Write the card, the log as a table, and the plot."""
    whole = {
        **card,
        "first_weights": trained.first_weights,
        "steps": trained.steps,
        "best_step": trained.best_step,
        "best": trained.best,
        "seconds": round(trained.seconds, 1),
        "resumed_at": list(trained.resumed_at),
        "log": trained.rows,
        "versions": _versions(),
    }
    (folder / CARD).write_text(json.dumps(whole, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    write_log(folder, trained.rows, f"Training of {card['trainer']}")


def _versions() -> dict[str, str | int]:
    from importlib.metadata import version

    import torch

    from rightreasons import __version__

    return {
        "rightreasons": __version__,
        "torch": torch.__version__,
        "transformers": version("transformers"),
        "threads": torch.get_num_threads(),
    }
