"""The participation of one person, from consent to the end, and the state of the whole study."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, func, insert, select, update

from rightreasons.people.allocation import allocate_items, free_reserved_slots, reclaim_items
from rightreasons.people.judgements import EXPIRED, STARTED
from rightreasons.people.store_tables import (
    ANSWERS,
    CLOSED,
    FORGOTTEN,
    FREE,
    INVITED,
    META,
    OPEN,
    PARTICIPANTS,
    SLOTS,
    STATE,
    TASKS,
)

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from rightreasons.people.study_plan import CollectionPlan


def read_study_state(connection: Connection) -> str:
    """Return whether the study is open, paused or closed."""
    return str(connection.execute(select(META.c.value).where(META.c.key == STATE)).scalar_one())


def write_study_state(connection: Connection, state: str) -> None:
    """Open, pause or close the study."""
    connection.execute(update(META).where(META.c.key == STATE).values(value=state))


def begin_participation(connection: Connection, plan: CollectionPlan, participant: str, now: int) -> str:
    """Start someone who consented, if the study is open and has items left; return their status."""
    status = _lock_status(connection, participant)
    if status != INVITED or read_study_state(connection) != OPEN:
        return status
    if not allocate_items(connection, plan, participant, now):
        return INVITED
    _update_participant(connection, participant, status=STARTED, started=now, seen=now)
    return STARTED


def continue_participation(connection: Connection, plan: CollectionPlan, participant: str, now: int) -> bool:
    """Let someone go on who may have been idle for too long."""
    status = _lock_status(connection, participant)
    if read_study_state(connection) == CLOSED:
        return False
    if status == EXPIRED:
        return reclaim_items(connection, plan, participant, now)
    return status == STARTED


def end_participation(connection: Connection, participant: str, status: str) -> None:
    """End the participation of someone who has not completed; unjudged items go to others."""
    if _lock_status(connection, participant) not in (INVITED, STARTED, EXPIRED):
        return
    free_reserved_slots(connection, participant)
    mine = (TASKS.c.participant == participant) & TASKS.c.judged.is_(None)
    connection.execute(delete(TASKS).where(mine))
    _update_participant(connection, participant, status=status)


def delete_participation(connection: Connection, participant: str, now: int) -> int | None:
    """Delete someone and their judgements, reopen their slots, and keep a note without the identifier."""
    query = select(PARTICIPANTS.c.source).where(PARTICIPANTS.c.participant == participant)
    source = connection.execute(query.with_for_update()).scalar()
    if source is None:
        return None
    judged = connection.execute(
        select(func.count(TASKS.c.judged)).where(TASKS.c.participant == participant)
    ).scalar_one()
    held = SLOTS.c.participant == participant
    connection.execute(update(SLOTS).where(held).values(state=FREE, participant=None, reserved=None))
    for table in (ANSWERS, TASKS, PARTICIPANTS):
        connection.execute(delete(table).where(table.c.participant == participant))
    connection.execute(insert(FORGOTTEN).values(source=source, judgements=judged, deleted=now))
    return int(judged)


def note_preparation(connection: Connection, participant: str, step: int, now: int) -> None:
    """Note how far someone is with instructions and practice; it never goes back."""
    behind = (PARTICIPANTS.c.participant == participant) & (PARTICIPANTS.c.prepared < step)
    connection.execute(update(PARTICIPANTS).where(behind).values(prepared=step, seen=now))


def _lock_status(connection: Connection, participant: str) -> str:
    """Lock the row of a participant; return their status, or an empty text if there is none."""
    query = select(PARTICIPANTS.c.status).where(PARTICIPANTS.c.participant == participant)
    return str(connection.execute(query.with_for_update()).scalar() or "")


def _update_participant(connection: Connection, participant: str, **values: object) -> None:
    connection.execute(update(PARTICIPANTS).where(PARTICIPANTS.c.participant == participant).values(values))
