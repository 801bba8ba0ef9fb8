"""Tables of judgements that come from elsewhere, an import or a simulation, into the database of a study.

A judgement takes the slot of its form and position if that is free, else any free slot of its item, so that no item
gets more judgements than planned. Everything is added, or nothing.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import polars as pl
from sqlalchemy import func, insert, select, update

from rightreasons.core.errors import InputError
from rightreasons.people.allocation import lock_allocation
from rightreasons.people.judgements import PARTICIPANT_COLUMNS
from rightreasons.people.store_tables import ANSWERS, JUDGED, PARTICIPANTS, SLOTS, TASKS
from rightreasons.people.study import CONTROL

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import Connection

    from rightreasons.people.judgements import Judgements
    from rightreasons.people.study_plan import CollectionPlan

_TIMES = ("started", "finished")


def insert_judgement_tables(connection: Connection, plan: CollectionPlan, judgements: Judgements) -> None:
    """Add participants and their judgements; those that the database has already are left as they are."""
    lock_allocation(connection)
    _insert_participants(connection, judgements.participants)
    judged = _list_judged_items(judgements.answers)
    unknown = sorted({row["item"] for row in judged} - plan.items.keys())
    if unknown:
        raise InputError(
            f"The judgements are about {unknown[0]!r}, which is not an item of the study. "
            "Check that they belong to this study."
        )
    tasks = _place_judgements(connection, plan, judged)
    new = {(task["participant"], task["item"]) for task in tasks}
    _replace_tasks(connection, tasks)
    answers = [
        {**row, "answer": row["answer"] or ""}
        for row in judgements.answers.select(
            "participant", "item", "question", "answer", "seconds"
        ).to_dicts()
        if (row["participant"], row["item"]) in new
    ]
    if answers:
        connection.execute(insert(ANSWERS), answers)


def _insert_participants(connection: Connection, participants: pl.DataFrame) -> None:
    """Add participants; for those who exist, such as offline experts, status and times are updated."""
    known = set(connection.execute(select(PARTICIPANTS.c.participant)).scalars())
    table = participants.select(PARTICIPANT_COLUMNS.keys()).with_columns(pl.col(_TIMES).dt.epoch("us"))
    for row in table.iter_rows(named=True):
        if row["participant"] in known:
            values = {name: row[name] for name in ("status", *_TIMES)}
            connection.execute(
                update(PARTICIPANTS).where(PARTICIPANTS.c.participant == row["participant"]).values(values)
            )
    new = [row for row in table.to_dicts() if row["participant"] not in known]
    if new:
        connection.execute(
            insert(PARTICIPANTS), [{**row, "seen": row["finished"], "prepared": 0} for row in new]
        )


def _list_judged_items(answers: pl.DataFrame) -> list[dict[str, Any]]:
    """List the judged items: a row for each participant and item, in the order of the forms."""
    one = answers.unique(["participant", "item"], keep="first", maintain_order=True)
    rows = one.select("participant", "form", "position", "item", pl.col("judged").dt.epoch("us"))
    return rows.sort("participant", "form", "position", maintain_order=True).to_dicts()


def _place_judgements(
    connection: Connection, plan: CollectionPlan, judged: Iterable[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Find a slot for each judged item that is new, and number the items of each participant."""
    columns = (TASKS.c.participant, TASKS.c.item, TASKS.c.judged)
    done = {
        (row.participant, row.item)
        for row in connection.execute(select(*columns).where(TASKS.c.judged.is_not(None)))
    }
    slots = _FreeSlots(connection)
    turns = _LastTurns(connection)
    tasks = []
    for row in judged:
        if (row["participant"], row["item"]) in done:
            continue
        control = plan.items[row["item"]]["kind"] == CONTROL
        slot = None if control else slots.take(row["participant"], row["form"], row["position"], row["item"])
        place = (row["form"], row["position"]) if slot is None else slots.places[slot]
        form, position = (value if value is not None else 0 for value in place)
        turn = turns.take(row["participant"], row["item"])
        tasks.append({**row, "form": form, "position": position, "slot": slot, "turn": turn})
    return tasks


class _FreeSlots:
    """The slots that are free, or reserved by the participant whose judgement comes."""

    def __init__(self, connection: Connection) -> None:
        query = select(SLOTS).where(SLOTS.c.state != JUDGED).order_by(SLOTS.c.slot)
        self.places: dict[int, tuple[int, int]] = {}
        self.owners: dict[int, str | None] = {}
        self.by_place: dict[tuple[int, int], tuple[int, str]] = {}
        self.by_item: dict[str, list[int]] = defaultdict(list)
        for row in connection.execute(query):
            self.places[row.slot] = (row.form, row.position)
            self.owners[row.slot] = row.participant
            self.by_place[row.form, row.position] = (row.slot, row.item)
            self.by_item[row.item].append(row.slot)

    def take(self, participant: str, form: int | None, position: int | None, item: str) -> int:
        """Take the participant's own slot of an item, that of the form and position, or any free one."""
        slots = [slot for slot in self.by_item[item] if self.owners[slot] in (None, participant)]
        if not slots:
            raise InputError(
                f"The item {item!r} already has all its judgements, or other participants are judging it. "
                "Import judgements only once, and only as many as planned."
            )
        own = [slot for slot in slots if self.owners[slot] == participant]
        there = self.by_place.get((form, position)) if form is not None and position is not None else None
        planned = [slot for slot in slots if there is not None and slot == there[0]]
        slot = [*own, *planned, *slots][0]
        self.by_item[item].remove(slot)
        return slot


class _LastTurns:
    """The number of the last item of each participant, and the numbers of items that they have already."""

    def __init__(self, connection: Connection) -> None:
        query = select(TASKS.c.participant, func.max(TASKS.c.turn)).group_by(TASKS.c.participant)
        self.last: dict[str, int] = {row[0]: row[1] for row in connection.execute(query)}
        waiting = select(TASKS.c.participant, TASKS.c.item, TASKS.c.turn).where(TASKS.c.judged.is_(None))
        self.waiting = {(row.participant, row.item): row.turn for row in connection.execute(waiting)}

    def take(self, participant: str, item: str) -> int:
        """Return the number of an item of a participant, the next one for a new item."""
        if (participant, item) in self.waiting:
            return int(self.waiting[participant, item])
        self.last[participant] = self.last.get(participant, 0) + 1
        return self.last[participant]


def _replace_tasks(connection: Connection, tasks: list[dict[str, Any]]) -> None:
    """Store tasks as judged, and close their slots."""
    from sqlalchemy import bindparam, delete

    if not tasks:
        return
    mine = (TASKS.c.participant == bindparam("who")) & (TASKS.c.item == bindparam("what"))
    connection.execute(
        delete(TASKS).where(mine), [{"who": task["participant"], "what": task["item"]} for task in tasks]
    )
    partial = (ANSWERS.c.participant == bindparam("who")) & (ANSWERS.c.item == bindparam("what"))
    connection.execute(
        delete(ANSWERS).where(partial), [{"who": task["participant"], "what": task["item"]} for task in tasks]
    )
    connection.execute(insert(TASKS), tasks)
    closed = [
        {"number": task["slot"], "who": task["participant"]} for task in tasks if task["slot"] is not None
    ]
    if closed:
        connection.execute(
            update(SLOTS)
            .where(SLOTS.c.slot == bindparam("number"))
            .values(state=JUDGED, participant=bindparam("who")),
            closed,
        )
