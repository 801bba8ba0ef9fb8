"""`train`: read the pairs, train a model on them, and write its folder."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from rightreasons.core import arguments, registry
from rightreasons.core.arguments import checked_arguments
from rightreasons.core.errors import InputError
from rightreasons.core.pairs import ChallengeSet
from rightreasons.io.interrupts import keeping
from rightreasons.io.outputs import check_free, check_place
from rightreasons.training.folder import CARD

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rightreasons.core.parts import Trained

CHECKPOINTS = ".training"


@checked_arguments(
    trainer=arguments.text,
    train=arguments.material,
    dev=arguments.optional(arguments.either(ChallengeSet, arguments.path)),
    out=arguments.path,
    edits=arguments.words,
    test=arguments.material,
    allow_overlap=arguments.flag,
    force=arguments.flag,
)
def train(
    trainer: str,
    /,
    *,
    train: str | Path | ChallengeSet | Sequence[str | Path | ChallengeSet] = (),
    dev: str | Path | ChallengeSet | None = None,
    out: str | Path,
    edits: Sequence[str] = (),
    test: Sequence[str | Path | ChallengeSet] = (),
    allow_overlap: bool = False,
    force: bool = False,
    **options: object,
) -> Trained:
    """Train a model on pairs and write its folder atomically.

    Args:
        trainer: name of a network, or transformer; or pretrain, which has its own material instead of pairs.
        train: one file or set of training pairs, or several.
        dev: pairs to select the best weights on.
        out: model folder. To resume an interrupted run from its checkpoint in OUT.training, repeat the call.
        edits: edits of the training pairs, in order, written name:key=value,key=value.
        test: files or sets that must have no pair in common with the training pairs. Dev pairs and the released HANS
            evaluation set are always checked.
        allow_overlap: train in spite of common pairs, and record their counts in the card.
        force: overwrite an existing model folder.
        options: options of the trainer.
    """
    from rightreasons.training.data import NO_PAIRS, read_training_data

    target = check_free(out, force=force, folder=True, marker=CARD)
    check_place(target)
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
    with keeping(lambda: advice if any(checkpoint.glob("[!.]*")) else ""):
        trained = part.train(data.train, data.dev, target, checkpoint=checkpoint, facts=data.facts)
    shutil.rmtree(checkpoint, ignore_errors=True)
    return trained
