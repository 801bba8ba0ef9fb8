"""The verb `train`: reads the pairs, and has a trainer make a model folder of them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons import registry
from rightreasons.corpora import read_corpus
from rightreasons.errors import InputError
from rightreasons.outputs import check_free

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rightreasons.pairs import ChallengeSet
    from rightreasons.registry import Trained

CHECKPOINTS = ".training"
CARD = "training.json"


def train(
    trainer: str,
    /,
    *,
    train: str | Path | Sequence[str | Path],
    dev: str | Path,
    out: str | Path,
    force: bool = False,
    **options: object,
) -> Trained:
    """Train a model on files of pairs and write its folder, whole or not at all.

    A run that was cut off left a checkpoint in OUT.training; the same call goes on from there.
    """
    target = check_free(out, force=force, folder=True, marker=CARD)
    part = registry.make_trainer(trainer, options)
    files = [train] if isinstance(train, str | Path) else list(train)
    pairs, checked = [read_corpus(str(file)) for file in files], read_corpus(str(dev))
    table = pl.concat([one.pairs.select("premise", "hypothesis", "label") for one in pairs])
    _refuse_shared(table, checked.pairs, str(dev))
    facts = {"train": [_facts(one) for one in pairs], "dev": _facts(checked)}
    checkpoint = target.with_name(target.name + CHECKPOINTS)
    trained = part.train(table, checked.pairs, target, checkpoint=checkpoint, facts=facts)
    shutil.rmtree(checkpoint, ignore_errors=True)
    return trained


def _facts(pairs: ChallengeSet) -> dict[str, Any]:
    return {"name": pairs.card.set, "rows": pairs.pairs.height, "sources": pairs.card.sources}


def _refuse_shared(train: pl.DataFrame, dev: pl.DataFrame, name: str) -> None:
    """Refuse a dev set that has pairs of the training set: it would praise what was learnt by heart."""
    shared = dev.join(train, on=["premise", "hypothesis"], how="semi").height
    if shared:
        raise InputError(
            f"{shared:,} pairs of {name} are training pairs too. Leave them out of one of the two."
        )
