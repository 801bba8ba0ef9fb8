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
    every = TASKS.alias()
    counts = [
        select(func.count(column)).where(every.c.participant == participant).scalar_subquery()
        for column in (every.c.turn, every.c.judged)
    ]
    row = connection.execute(
        select(TASKS.c.turn, TASKS.c.item, TASKS.c.shown, *counts)
        .where(mine, TASKS.c.judged.is_(None))
        .order_by(TASKS.c.turn)
        .limit(1)
    ).first()
    if row is None:
        return None
    turn, item, shown, total, done = row
    answered = select(ANSWERS.c.question).where(ANSWERS.c.participant == participant, ANSWERS.c.item == item)
    names = frozenset(connection.execute(answered).scalars())
    return CurrentTask(turn, item, done + 1, total, names, shown)


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
    refusal = _check_participant(connection, plan, given.participant, now)
    if refusal is Receipt.CLOSED:
        return refusal
    task = _find_task(connection, given.participant, given.turn)
    if task is None or task.item != given.item:
        return Receipt.LATE
    if task.judged is not None:
        return Receipt.REPEATED
    if refusal is not None or task.current != given.turn:  # items come in their order
        return Receipt.LATE
    seconds = None if task.shown is None else max(0, now - task.shown) / MICROSECONDS
    about = {"participant": given.participant, "item": given.item, "seconds": seconds}
    rows = [{**about, "question": name, "answer": answer} for name, answer in given.answers.items()]
    connection.execute(insert, rows)
    if _has_all_answers(connection, plan, given, seconds):
        _finish_task(connection, plan, given.participant, task, now)
    else:
        _update_participant(connection, given.participant, seen=now)
    return Receipt.ACCEPTED


def _check_participant(
    connection: Connection, plan: CollectionPlan, participant: str, now: int
) -> Receipt | None:
    """Lock the row of a participant; say why nothing can be stored, if so. An expired one gets their items back."""
    state = select(META.c.value).where(META.c.key == STATE).scalar_subquery()
    query = select(PARTICIPANTS.c.status, state).where(PARTICIPANTS.c.participant == participant)
    row = connection.execute(query.with_for_update(of=PARTICIPANTS)).first()
    if row is None:
        return Receipt.LATE
    if row[1] == CLOSED:
        return Receipt.CLOSED
    if row.status == EXPIRED:
        lock_allocation(connection)
        return None if reclaim_items(connection, plan, participant, now) else Receipt.LATE
    return None if row.status == STARTED else Receipt.LATE


def _find_task(connection: Connection, participant: str, turn: int) -> TaskRow | None:
    """Find an item of a participant by its number, with the numbers of the current item and of the one after it."""
    other = TASKS.alias()
    open_turns = select(func.min(other.c.turn)).where(
        other.c.participant == participant, other.c.judged.is_(None)
    )
    query = select(
        *(TASKS.c[name] for name in ("turn", "item", "slot", "shown", "judged")),
        open_turns.scalar_subquery().label("current"),
        open_turns.where(other.c.turn > turn).scalar_subquery().label("following"),
    )
    return connection.execute(query.where(TASKS.c.participant == participant, TASKS.c.turn == turn)).first()


def _has_all_answers(
    connection: Connection, plan: CollectionPlan, given: GivenAnswers, seconds: float | None
) -> bool:
    """Return whether all questions have an answer now; all answers about an item have the time of the last one."""
    wanted = set(plan.question_names)
    if given.answers.keys() >= wanted:
        return True
    mine = (ANSWERS.c.participant == given.participant) & (ANSWERS.c.item == given.item)
    if not wanted <= set(connection.execute(select(ANSWERS.c.question).where(mine)).scalars()):
        return False
    connection.execute(update(ANSWERS).where(mine).values(seconds=seconds))
    return True


def _finish_task(
    connection: Connection, plan: CollectionPlan, participant: str, task: TaskRow, now: int
) -> None:
    """Close the slot of an item, and start the time of the next item, or complete the participation."""
    if task.slot is not None:
        held = (
            (SLOTS.c.slot == task.slot) & (SLOTS.c.participant == participant) & (SLOTS.c.state == RESERVED)
        )
        closed = connection.execute(update(SLOTS).where(held).values(state=JUDGED)).rowcount
        if closed != 1:  # an active participant holds the slots of all their items
            raise AssertionError(f"slot {task.slot} is not reserved by the participant")
    mine = TASKS.c.participant == participant
    connection.execute(update(TASKS).where(mine, TASKS.c.turn == task.turn).values(judged=now))
    if task.following is None:
        _update_participant(connection, participant, seen=now, status=COMPLETED, finished=now)
    else:
        show_task(connection, participant, task.following, now + plan.pause)
        _update_participant(connection, participant, seen=now)


def _update_participant(connection: Connection, participant: str, **values: object) -> None:
    connection.execute(update(PARTICIPANTS).where(PARTICIPANTS.c.participant == participant).values(values))
