"""The items of a participant one after the other, and their judgements, each of which counts once.

A judgement that is sent twice, by a double click or after a lost response, is stored once and acknowledged twice. One
that comes after the slot went to somebody else is refused, and the participant goes on with the next item.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select, update

from rightreasons.people.allocation import lock_allocation, reclaim_items
from rightreasons.people.judgements import COMPLETED, EXPIRED, STARTED
from rightreasons.people.store_tables import (
    ANSWERS,
    CLOSED,
    JUDGED,
    META,
    PARTICIPANTS,
    RESERVED,
    SLOTS,
    STATE,
    TASKS,
)
from rightreasons.people.study_plan import MICROSECONDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection, Row
    from sqlalchemy.sql.dml import Insert

    from rightreasons.people.study_plan import CollectionPlan

    TaskRow = Row[Any, *tuple[Any, ...]]


class Receipt(Enum):
    """What became of a judgement."""

    ACCEPTED = "accepted"  # stored, on the disk
    REPEATED = "repeated"  # stored before; only the first one counts
    LATE = "late"  # the item is no longer the participant's
    CLOSED = "closed"  # the study is closed


@dataclass(frozen=True)
class CurrentTask:
    """The item that a participant sees now: `number` of `total`, and the questions answered so far."""

    turn: int
    item: str
    number: int
    total: int
    answered: frozenset[str]
    shown: int | None


@dataclass(frozen=True)
class GivenAnswers:
    """The answers of a participant to questions about the item that has a number among theirs."""

    participant: str
    turn: int
    item: str
    answers: Mapping[str, str]


def find_current_task(connection: Connection, participant: str) -> CurrentTask | None:
    """Find the first item of a participant that is not judged; None if all are."""
    mine = TASKS.c.participant == participant
    row = connection.execute(
        select(TASKS.c.turn, TASKS.c.item, TASKS.c.shown)
        .where(mine, TASKS.c.judged.is_(None))
        .order_by(TASKS.c.turn)
        .limit(1)
    ).first()
    if row is None:
        return None
    total, done = connection.execute(
        select(func.count(), func.count(TASKS.c.judged)).select_from(TASKS).where(mine)
    ).one()
    answered = select(ANSWERS.c.question).where(
        ANSWERS.c.participant == participant, ANSWERS.c.item == row.item
    )
    names = frozenset(connection.execute(answered).scalars())
    return CurrentTask(row.turn, row.item, done + 1, total, names, row.shown)


def select_open_items(connection: Connection, participant: str) -> list[str]:
    """List the items of a participant that are not judged, in their order."""
    mine = (TASKS.c.participant == participant) & TASKS.c.judged.is_(None)
    return list(connection.execute(select(TASKS.c.item).where(mine).order_by(TASKS.c.turn)).scalars())


def show_task(connection: Connection, participant: str, turn: int, when: int) -> None:
    """Note when an item was shown first."""
    unseen = (TASKS.c.participant == participant) & (TASKS.c.turn == turn) & TASKS.c.shown.is_(None)
    connection.execute(update(TASKS).where(unseen).values(shown=when))


def store_judgement(
    connection: Connection, plan: CollectionPlan, insert: Insert, given: GivenAnswers, now: int
) -> Receipt:
    """Store answers, with an insert that keeps earlier ones; the item is judged when all questions have an answer."""
    participant, item = given.participant, given.item
    refusal = _check_participant(connection, plan, participant, now)
    if refusal is Receipt.CLOSED:
        return refusal
    task = _find_task(connection, participant, given.turn)
    if task is None or task.item != item:
        return Receipt.LATE
    if task.judged is not None:
        return Receipt.REPEATED
    if refusal is not None or _has_earlier_task(connection, participant, given.turn):
        return Receipt.LATE
    about = {"participant": participant, "item": item}
    rows = [{**about, "question": name, "answer": answer} for name, answer in given.answers.items()]
    connection.execute(insert, rows)
    _touch_participant(connection, participant, now)
    mine = (ANSWERS.c.participant == participant) & (ANSWERS.c.item == item)
    stored = set(connection.execute(select(ANSWERS.c.question).where(mine)).scalars())
    if stored >= set(plan.question_names):
        _finish_task(connection, plan, participant, task, now)
    return Receipt.ACCEPTED


def _check_participant(
    connection: Connection, plan: CollectionPlan, participant: str, now: int
) -> Receipt | None:
    """Lock the row of a participant; say why nothing can be stored, if so. An expired one gets their items back."""
    if connection.execute(select(META.c.value).where(META.c.key == STATE)).scalar() == CLOSED:
        return Receipt.CLOSED
    query = select(PARTICIPANTS.c.status).where(PARTICIPANTS.c.participant == participant)
    status = connection.execute(query.with_for_update()).scalar()
    if status == EXPIRED:
        lock_allocation(connection)
        return None if reclaim_items(connection, plan, participant, now) else Receipt.LATE
    return None if status == STARTED else Receipt.LATE


def _find_task(connection: Connection, participant: str, turn: int) -> TaskRow | None:
    query = select(
        TASKS.c.turn,
        TASKS.c.item,
        TASKS.c.form,
        TASKS.c.position,
        TASKS.c.slot,
        TASKS.c.shown,
        TASKS.c.judged,
    )
    return connection.execute(query.where(TASKS.c.participant == participant, TASKS.c.turn == turn)).first()


def _has_earlier_task(connection: Connection, participant: str, turn: int) -> bool:
    """Return whether an item before this one is not judged: items come in their order."""
    earlier = (TASKS.c.participant == participant) & (TASKS.c.turn < turn) & TASKS.c.judged.is_(None)
    return connection.execute(select(TASKS.c.turn).where(earlier).limit(1)).first() is not None


def _touch_participant(connection: Connection, participant: str, now: int) -> None:
    connection.execute(update(PARTICIPANTS).where(PARTICIPANTS.c.participant == participant).values(seen=now))


def _finish_task(
    connection: Connection, plan: CollectionPlan, participant: str, task: TaskRow, now: int
) -> None:
    """Close the slot of an item, note the time it took, and start that of the next item."""
    if task.slot is not None:
        held = (
            (SLOTS.c.slot == task.slot) & (SLOTS.c.participant == participant) & (SLOTS.c.state == RESERVED)
        )
        closed = connection.execute(update(SLOTS).where(held).values(state=JUDGED)).rowcount
        if closed != 1:  # an active participant holds the slots of all their items
            raise AssertionError(f"slot {task.slot} is not reserved by the participant")
    mine = TASKS.c.participant == participant
    connection.execute(update(TASKS).where(mine, TASKS.c.turn == task.turn).values(judged=now))
    seconds = None if task.shown is None else max(0, now - task.shown) / MICROSECONDS
    connection.execute(
        update(ANSWERS)
        .where(ANSWERS.c.participant == participant, ANSWERS.c.item == task.item)
        .values(seconds=seconds)
    )
    following = connection.execute(
        select(func.min(TASKS.c.turn)).where(mine, TASKS.c.judged.is_(None))
    ).scalar()
    if following is not None:
        show_task(connection, participant, following, now + plan.pause)
        return
    connection.execute(
        update(PARTICIPANTS)
        .where(PARTICIPANTS.c.participant == participant)
        .values(status=COMPLETED, finished=now)
    )
