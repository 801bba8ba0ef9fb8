"""The verb `train`: reads the pairs, and has a trainer make a model folder of them."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from rightreasons.core import arguments, registry
from rightreasons.core.arguments import checked_arguments
from rightreasons.core.errors import InputError
from rightreasons.core.pairs import ChallengeSet
from rightreasons.io.interrupts import keeping
from rightreasons.io.outputs import check_free, check_place

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rightreasons.core.parts import Trained

CHECKPOINTS = ".training"
CARD = "training.json"


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
    """Train a model on pairs and write its folder, whole or not at all.

    Args:
        trainer: the name of a network, or transformer; or pretrain, which has its own material in place of pairs.
        train: one file or set of pairs to learn, or several.
        dev: pairs to choose the weights by.
        out: the model folder. A run that was cut off left a checkpoint in OUT.training; the same call goes on there.
        edits: what is done to the training pairs, in order, written name:key=value,key=value.
        test: files or sets that must have no pair in common with the training pairs; dev and the released HANS
            evaluation set never may.
        allow_overlap: train all the same, and keep the counts in the card.
        force: replace a model folder that is there.
        options: of the trainer.
    """
    from rightreasons.training.data import NO_PAIRS, gather

    target = check_free(out, force=force, folder=True, marker=CARD)
    check_place(target)
    part = registry.make_trainer(trainer, options)
    if part.own_material:
        if train or dev or test or edits:
            raise InputError(
                f"{trainer} learns no pairs. Leave train, dev, test and edits out, and name its files with material."
            )
        material = NO_PAIRS
    elif not train:
        raise InputError(f"{trainer} learns pairs, and none are given. Name a file of them with --train.")
    elif dev is None:
        raise InputError(f"{trainer} chooses its weights by dev pairs. Name a file of them with --dev.")
    else:
        material = gather(train, dev, test, edits, allow_overlap=allow_overlap)
    checkpoint = target.with_name(target.name + CHECKPOINTS)
    kept = (
        f"what was trained up to the last checkpoint is kept in {checkpoint}, and the same command goes on."
    )
    with keeping(lambda: kept if any(checkpoint.glob("[!.]*")) else ""):
        trained = part.train(
            material.train, material.dev, target, checkpoint=checkpoint, facts=material.facts
        )
    shutil.rmtree(checkpoint, ignore_errors=True)
    return trained
