"""`train`: read the pairs, train a model on them, and write its folder."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from rightreasons.core import registry
from rightreasons.core.errors import InputError
from rightreasons.io.interrupts import report_kept_work
from rightreasons.io.outputs import check_output_path, check_writable
from rightreasons.training.model_folder import CARD

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from rightreasons.core.parts import Trained
    from rightreasons.training.data import PairsSource

CHECKPOINTS = ".training"


def train_model(
    trainer: str,
    options: Mapping[str, object],
    *,
    out: str | Path,
    train: PairsSource | Sequence[PairsSource] = (),
    dev: PairsSource | None = None,
    edits: Sequence[str] = (),
    test: Sequence[PairsSource] = (),
    allow_overlap: bool = False,
    force: bool = False,
) -> Trained:
    """Train a model on pairs and write its folder atomically; see `rightreasons.train`.

    An interrupted run left a checkpoint in OUT.training, from which the same call resumes.
    """
    from rightreasons.training.data import NO_PAIRS, read_training_data

    target = check_output_path(out, force=force, folder=True, marker=CARD)
    check_writable(target)
    part = registry.make_trainer(trainer, options)
    if part.own_material:
        if train or dev or test or edits:
            raise InputError(
                f"{trainer} is not trained on pairs. Remove train, dev, test and edits, and give its files with "
                "-o material=FILE."
            )
        data = NO_PAIRS
    elif not train:
        raise InputError(f"{trainer} needs training pairs. Give a file of pairs with --train.")
    elif dev is None:
        raise InputError(
            f"{trainer} needs dev pairs to select the best weights. Give a file of pairs with --dev."
        )
    else:
        data = read_training_data(train, dev, test, edits, allow_overlap=allow_overlap)
    checkpoint = target.with_name(target.name + CHECKPOINTS)
    advice = f"the last checkpoint is in {checkpoint}; repeat the command to resume from it."
    with report_kept_work(lambda: advice if any(checkpoint.glob("[!.]*")) else ""):
        trained = part.train(data.train, data.dev, target, checkpoint=checkpoint, facts=data.facts)
    shutil.rmtree(checkpoint, ignore_errors=True)
    return trained
