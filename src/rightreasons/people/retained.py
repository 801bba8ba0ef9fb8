"""The judgements of a study from its database, and those that are left after the exclusions of the plan."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.people.exclusion import find_excluded
from rightreasons.people.simulation import SIMULATED
from rightreasons.people.study import DATABASE, Study, open_study

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rightreasons.people.judgements import Judgements


@dataclass(frozen=True)
class RetainedJudgements:
    """All judgements of a study, those of the participants who were not excluded, and who was excluded by which rule.

    `excluded` has the columns participant, rule and value: a row for each rule that excludes a participant.
    """

    whole: Judgements
    retained: Judgements
    excluded: pl.DataFrame

    @property
    def study(self) -> Study:
        """The study."""
        return self.whole.study


def load_judgements(folder: str | Path, url: str | None = None) -> Judgements:
    """Read all judgements of a study; one that nobody has taken part in yet is an error."""
    study = open_study(folder)
    if url is None and not (study.folder / DATABASE).is_file():
        raise InputError(_explain_nothing(study))
    from rightreasons.people.store import open_store

    with closing(open_store(study, url)) as store:
        judgements = store.read_judgements()
    if judgements.answers.is_empty():
        raise InputError(_explain_nothing(study))
    return judgements


def _explain_nothing(study: Study) -> str:
    return (
        f"The study {str(study.folder)!r} has no judgements yet. Collect some with rightreasons study serve, or try "
        "its analysis with rightreasons study simulate."
    )


def describe_simulated_participants(judgements: Judgements) -> str:
    """Say how many participants are simulated, for whatever is made from them; empty if none are."""
    count = int((judgements.participants["source"] == SIMULATED).sum())
    if not count:
        return ""
    whole = judgements.participants.height
    return f"{count:,} of {whole:,} participants are simulated. These results say nothing about people."


def apply_exclusions(judgements: Judgements, rules: Sequence[str] | None = None) -> RetainedJudgements:
    """Leave out the participants that rules exclude; by default those of the protocol."""
    planned = judgements.study.protocol.exclude if rules is None else rules
    excluded = find_excluded(judgements, planned)
    names = excluded["participant"].unique()
    retained = replace(
        judgements,
        participants=judgements.participants.filter(~pl.col("participant").is_in(names.implode())),
        answers=judgements.answers.filter(~pl.col("participant").is_in(names.implode())),
    )
    return RetainedJudgements(judgements, retained, excluded)


def join_items(judgements: Judgements, question: str, kind: str) -> pl.DataFrame:
    """Join the answers to a question about items of a kind with the rows of these items; blank answers are left out."""
    answers = judgements.answers.filter((pl.col("question") == question) & (pl.col("answer") != ""))
    of_kind = judgements.study.items.filter(pl.col("kind") == kind)
    return answers.join(of_kind, on="item", how="inner", maintain_order="left")
