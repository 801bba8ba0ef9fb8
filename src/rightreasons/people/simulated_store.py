"""Put simulated judgements into the database of a study, never unnoticed among those of people."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.errors import InputError, format_count
from rightreasons.people.simulation import SIMULATED

if TYPE_CHECKING:
    from rightreasons.people.judgements import Judgements


def add_simulated_judgements(judgements: Judgements, *, url: str | None = None, force: bool = False) -> None:
    """Add simulated judgements to their study.

    A study with other participants is refused, unless `force` is set, which also replaces simulated ones.
    """
    from rightreasons.people.store import open_store

    folder = str(judgements.study.folder)
    with closing(open_store(judgements.study, url)) as store:
        there = store.read_judgements().participants
        simulated = there.filter(pl.col("source") == SIMULATED)
        real = there.height - simulated.height
        if real and not force:
            raise InputError(
                f"The study {folder!r} has {format_count(real, 'real participant')}. Plan another study to simulate, "
                "or use --force to add simulated participants, which are marked as such."
            )
        if simulated.height and not force:
            raise InputError(
                f"The study {folder!r} has {format_count(simulated.height, 'simulated participant')} already. Use "
                "--force to replace them."
            )
        for participant in simulated["participant"]:
            store.forget_participant(participant)
        store.add_judgements(judgements)
