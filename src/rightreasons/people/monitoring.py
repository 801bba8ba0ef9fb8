"""The progress of a study that is being run: judgements by form and stratum, times, controls, and agreement so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rightreasons.people.exclusion import find_excluded, measure_participants
from rightreasons.people.identifiers import make_completion_code
from rightreasons.people.judgements import COMPLETED
from rightreasons.people.question_labels import QuestionLabels
from rightreasons.people.store_rows import convert_time
from rightreasons.people.store_tables import FREE, JUDGED

if TYPE_CHECKING:
    from rightreasons.people.judgements import Judgements
    from rightreasons.people.store import StudyStore
    from rightreasons.scoring.annotator_agreement import AgreementEstimate

QUARTILES = (0.25, 0.5, 0.75)


@dataclass(frozen=True)
class AgreementSoFar:
    """The agreement on a question, over the items with at least two judgements."""

    question: str
    pairwise: AgreementEstimate
    fleiss_kappa: AgreementEstimate
    krippendorff_alpha: AgreementEstimate


@dataclass(frozen=True)
class StudyProgress:
    """What researchers see of a running study; gold labels and judgements of items are not among it."""

    judged: int
    planned: int
    forms: pl.DataFrame  # form, judged, reserved, free
    strata: pl.DataFrame  # stratum, judged, planned
    participants: pl.DataFrame  # identifiers, status, times, controls wrong, rules that exclude
    seconds: tuple[float, float, float] | None  # quartiles of the time per item
    agreement: tuple[AgreementSoFar, ...]

    def count_status(self) -> dict[str, int]:
        """Count the participants by their status."""
        counts = self.participants.group_by("status").len()
        return dict(counts.sort("status").iter_rows())


def measure_progress(store: StudyStore) -> StudyProgress:
    """Measure the progress of a study from its database."""
    judgements = store.read_judgements()
    slots = pl.DataFrame(
        store.list_slot_counts(),
        schema={"form": pl.Int64, "item": pl.String, "state": pl.String, "slots": pl.Int64},
    )
    done = pl.col("slots").filter(pl.col("state") == JUDGED).sum()
    strata = slots.join(store.study.items.select("item", "stratum"), on="item", how="left")
    seconds = judgements.answers.unique(["participant", "item"])["seconds"].drop_nulls()
    return StudyProgress(
        judged=int(slots.filter(pl.col("state") == JUDGED)["slots"].sum()),
        planned=int(slots["slots"].sum()),
        forms=_count_forms(slots),
        strata=strata.group_by("stratum").agg(judged=done, planned=pl.col("slots").sum()).sort("stratum"),
        participants=list_participant_progress(store, judgements),
        seconds=_compute_quartiles(seconds),
        agreement=measure_agreement_so_far(judgements),
    )


def _count_forms(slots: pl.DataFrame) -> pl.DataFrame:
    free, judged = pl.col("state") == FREE, pl.col("state") == JUDGED
    return (
        slots.group_by("form")
        .agg(
            judged=pl.col("slots").filter(judged).sum(),
            reserved=pl.col("slots").filter(~free & ~judged).sum(),
            free=pl.col("slots").filter(free).sum(),
        )
        .sort("form")
    )


def _compute_quartiles(seconds: pl.Series) -> tuple[float, float, float] | None:
    if seconds.is_empty():
        return None
    low, middle, high = (float(value) for value in np.quantile(seconds.to_numpy(), QUARTILES))
    return low, middle, high


def list_participant_progress(store: StudyStore, judgements: Judgements) -> pl.DataFrame:
    """List the participants with how far they are, their controls, and the exclusion rules that hold for them now."""
    schema = {
        "participant": pl.String,
        "source": pl.String,
        "status": pl.String,
        "invited": pl.Int64,
        "started": pl.Int64,
        "finished": pl.Int64,
        "seen": pl.Int64,
        "items": pl.Int64,
        "judged": pl.Int64,
    }
    table = pl.DataFrame([tuple(row) for row in store.list_participants()], schema=schema, orient="row")
    times = ("invited", "started", "finished", "seen")
    measured = measure_participants(judgements).select(
        "participant", "controls_wrong", "controls_judged", "median_seconds"
    )
    excluded = find_excluded(judgements, judgements.study.protocol.exclude)
    rules = excluded.group_by("participant").agg(excluded_by=pl.col("rule").str.join("; "))
    return (
        table.with_columns(pl.from_epoch(name, time_unit="us") for name in times)
        .join(measured, on="participant", how="left", maintain_order="left")
        .join(rules, on="participant", how="left", maintain_order="left")
    )


def list_payments(store: StudyStore) -> pl.DataFrame:
    """List whom to pay: completion codes of those who completed, and how many items everyone judged."""
    rows = [
        {
            "participant": row.participant,
            "source": row.source,
            "status": row.status,
            "items_judged": row.judged,
            "items": row.items,
            "started": convert_time(row.started),
            "finished": convert_time(row.finished),
            "completion_code": make_completion_code(store.study.secrets.salt, row.participant)
            if row.status == COMPLETED
            else None,
        }
        for row in store.list_participants()
        if row.started is not None
    ]
    time = pl.Datetime("us", "UTC")
    schema: dict[str, Any] = {
        "participant": pl.String,
        "source": pl.String,
        "status": pl.String,
        "items_judged": pl.Int64,
        "items": pl.Int64,
        "started": time,
        "finished": time,
        "completion_code": pl.String,
    }
    return pl.DataFrame(rows, schema=schema)


def measure_agreement_so_far(judgements: Judgements) -> tuple[AgreementSoFar, ...]:
    """Measure the agreement on each question with choices, controls aside; nobody is excluded."""
    choices = (question for question in judgements.study.protocol.questions if question.kind == "choice")
    found = (QuestionLabels.from_judgements(judgements, question) for question in choices)
    return tuple(
        AgreementSoFar(
            each.question.name, each.agreement.pairwise, each.agreement.fleiss, each.agreement.alpha
        )
        for each in found
    )
