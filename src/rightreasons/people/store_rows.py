"""What is read from a study's database: judgements as tables, and the progress of participants and slots."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import polars as pl
from sqlalchemy import func, select

from rightreasons.people.judgements import ANSWER_COLUMNS, PARTICIPANT_COLUMNS, Judgements
from rightreasons.people.store_tables import ANSWERS, INVITED, PARTICIPANTS, SLOTS, TASKS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection, Row, Select

    from rightreasons.people.study import Study

_TIME = pl.Datetime("us", "UTC")


def read_judgement_tables(connection: Connection, study: Study) -> Judgements:
    """Read the participants who began, and the answers about items that are judged, not only begun."""
    people = select(*(PARTICIPANTS.c[name] for name in PARTICIPANT_COLUMNS)).where(
        PARTICIPANTS.c.status != INVITED
    )
    answers = (
        select(
            ANSWERS.c.participant,
            TASKS.c.form,
            TASKS.c.position,
            ANSWERS.c.item,
            ANSWERS.c.question,
            ANSWERS.c.answer,
            ANSWERS.c.seconds,
            TASKS.c.judged,
        )
        .join(TASKS, (TASKS.c.participant == ANSWERS.c.participant) & (TASKS.c.item == ANSWERS.c.item))
        .where(TASKS.c.judged.is_not(None))
        .order_by(TASKS.c.judged, ANSWERS.c.participant, TASKS.c.turn)
    )
    order = {question.name: place for place, question in enumerate(study.protocol.questions)}
    answered = _read_table(connection, answers, ANSWER_COLUMNS)
    place = pl.col("question").replace_strict(order, default=len(order), return_dtype=pl.Int64)
    return Judgements(
        study,
        _read_table(connection, people.order_by(PARTICIPANTS.c.started), PARTICIPANT_COLUMNS),
        answered.sort("judged", "participant", "form", "position", place, maintain_order=True),
    )


def _read_table(connection: Connection, query: Select[Any], columns: Mapping[str, Any]) -> pl.DataFrame:
    """Read a table; whole numbers become times where the columns are times."""
    stored = {name: pl.Int64 if kind == _TIME else kind for name, kind in columns.items()}
    rows = [tuple(row) for row in connection.execute(query)]
    table = pl.DataFrame(rows, schema=stored, orient="row")
    return table.with_columns(pl.col(name).cast(kind) for name, kind in columns.items() if kind == _TIME)


def select_participant_progress(connection: Connection) -> Sequence[Row[Any, *tuple[Any, ...]]]:
    """List participants with their times and how many of their items, controls included, are judged."""
    query = (
        select(
            *(
                PARTICIPANTS.c[name]
                for name in ("participant", "source", "status", "invited", "started", "finished", "seen")
            ),
            func.count(TASKS.c.item).label("items"),
            func.count(TASKS.c.judged).label("judged"),
        )
        .join(TASKS, TASKS.c.participant == PARTICIPANTS.c.participant, isouter=True)
        .group_by(PARTICIPANTS.c.participant)
        .order_by(PARTICIPANTS.c.started, PARTICIPANTS.c.invited, PARTICIPANTS.c.participant)
    )
    return connection.execute(query).all()


def select_slot_counts(connection: Connection) -> list[dict[str, Any]]:
    """Count the slots of each form and item by their state."""
    query = select(SLOTS.c.form, SLOTS.c.item, SLOTS.c.state, func.count().label("slots")).group_by(
        SLOTS.c.form, SLOTS.c.item, SLOTS.c.state
    )
    return [dict(row) for row in connection.execute(query).mappings()]


def convert_time(microseconds: int | None) -> datetime | None:
    """Return a stored time as a date and time in UTC."""
    return None if microseconds is None else datetime.fromtimestamp(microseconds / 1e6, UTC)
