"""Which participant judges what: whole forms first, then what idle participants left.

Everything here runs inside a transaction that holds the allocation lock, so that two participants never get one slot.
A slot changes hands in one place each: `expire_idle_participants` frees it, `allocate_items` and `reclaim_items` take
it, and a judgement or the deletion of one closes or reopens it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import case, delete, func, insert, select, update

from rightreasons.people.judgements import EXPIRED, STARTED
from rightreasons.people.store_tables import (
    ALLOCATION,
    ANSWERS,
    FREE,
    META,
    PARTICIPANTS,
    RESERVED,
    SLOTS,
    TASKS,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from sqlalchemy import Connection

    from rightreasons.people.study_plan import CollectionPlan

OFFLINE = (
    "offline"  # the source of participants with a file of their own: they have as much time as they need
)


_TAKEN = func.sum(case((SLOTS.c.state == FREE, 0), else_=1))


class Task(NamedTuple):
    """An item for a participant; a control has no slot. `twins` is the group of the item."""

    position: int
    form: int
    item: str
    slot: int | None = None
    twins: str | None = None


def lock_allocation(connection: Connection) -> None:
    """Wait until no other transaction gives out slots; SQLite has one writer at a time anyway."""
    connection.execute(select(META.c.value).where(META.c.key == ALLOCATION).with_for_update())


def expire_idle_participants(connection: Connection, before: int) -> None:
    """Free the slots of participants who were seen last before a moment; half-answered items are emptied."""
    idle = (
        (PARTICIPANTS.c.status == STARTED)
        & (PARTICIPANTS.c.seen < before)
        & (PARTICIPANTS.c.source != OFFLINE)
    )
    expired = update(PARTICIPANTS).where(idle).values(status=EXPIRED).returning(PARTICIPANTS.c.participant)
    for participant in connection.execute(expired).scalars().all():
        free_reserved_slots(connection, participant)


def free_reserved_slots(connection: Connection, participant: str) -> None:
    """Free the slots that a participant has not judged, and delete the answers to a part of an item."""
    held = (SLOTS.c.participant == participant) & (SLOTS.c.state == RESERVED)
    connection.execute(update(SLOTS).where(held).values(state=FREE, participant=None, reserved=None))
    unjudged = select(TASKS.c.item).where(TASKS.c.participant == participant, TASKS.c.judged.is_(None))
    connection.execute(
        delete(ANSWERS).where(ANSWERS.c.participant == participant, ANSWERS.c.item.in_(unjudged))
    )


def allocate_items(connection: Connection, plan: CollectionPlan, participant: str, now: int) -> int:
    """Give a new participant a whole form, or else a mixture of what others left; return how many items."""
    form = _find_free_form(connection)
    if form is not None:
        chosen = _list_free_slots(connection, form)
    else:
        chosen = choose_leftovers(_list_free_slots(connection), plan.items_per_participant)
    if chosen:
        controls = _choose_controls(plan, chosen)
        _reserve(connection, participant, [*chosen, *controls], now)
    return len(chosen)


def reclaim_items(connection: Connection, plan: CollectionPlan, participant: str, now: int) -> bool:
    """Give an expired participant their items back, others in place of those that are gone; False if none are left."""
    mine = (TASKS.c.participant == participant) & TASKS.c.judged.is_(None)
    slots = select(TASKS.c.slot).where(mine, TASKS.c.slot.is_not(None))
    wanted = set(connection.execute(slots).scalars())
    lost = wanted - _take_slots(connection, participant, wanted, now)
    connection.execute(delete(TASKS).where(mine, TASKS.c.slot.in_(lost)))
    _replace_lost_items(connection, plan, participant, len(lost), now)
    left = connection.execute(
        select(func.count()).select_from(TASKS).where(mine, TASKS.c.slot.is_not(None))
    ).scalar_one()
    if left:
        connection.execute(update(TASKS).where(mine).values(shown=None))
        values = {"status": STARTED, "seen": now}
        connection.execute(
            update(PARTICIPANTS).where(PARTICIPANTS.c.participant == participant).values(values)
        )
    return bool(left)


def choose_leftovers(
    free: Iterable[Task], most: int, items: Collection[str] = (), twins: Collection[str] = ()
) -> list[Task]:
    """Choose slots without repeating an item or a group, also not those that the participant has already."""
    chosen: list[Task] = []
    used_items, used_twins = set(items), set(twins)
    for task in free:
        if len(chosen) == most:
            break
        if task.item in used_items or task.twins in used_twins:
            continue
        chosen.append(task)
        used_items.add(task.item)
        if task.twins is not None:
            used_twins.add(task.twins)
    return chosen


def _replace_lost_items(
    connection: Connection, plan: CollectionPlan, participant: str, lost: int, now: int
) -> None:
    """Give a participant other items in place of lost ones, from forms that somebody has begun if possible."""
    if not lost:
        return
    query = select(TASKS.c.item).where(TASKS.c.participant == participant)
    items = list(connection.execute(query).scalars())
    twins = {str(plan.items[item]["group"]) for item in items if plan.items[item]["group"] is not None}
    begun = select(SLOTS.c.form).group_by(SLOTS.c.form).having(_TAKEN > 0)
    forms = set(connection.execute(begun).scalars())
    slots = sorted(_list_free_slots(connection), key=lambda task: task.form not in forms)
    _reserve(connection, participant, choose_leftovers(slots, lost, items, twins), now)


def _find_free_form(connection: Connection) -> int | None:
    """Find the first form that nobody has begun."""
    query = select(SLOTS.c.form).group_by(SLOTS.c.form).having(_TAKEN == 0).order_by(SLOTS.c.form)
    return connection.execute(query.limit(1)).scalar()


def _list_free_slots(connection: Connection, form: int | None = None) -> list[Task]:
    """List the free slots by form and position: all, or those of a form."""
    query = select(*(SLOTS.c[name] for name in Task._fields)).where(SLOTS.c.state == FREE)
    if form is not None:
        query = query.where(SLOTS.c.form == form)
    return [Task(*row) for row in connection.execute(query.order_by(SLOTS.c.form, SLOTS.c.position))]


def _choose_controls(plan: CollectionPlan, chosen: Sequence[Task]) -> list[Task]:
    """Choose the controls of the form that most of the items come from."""
    times = Counter(task.form for task in chosen)
    form = min(times, key=lambda each: (-times[each], each))
    return [Task(position, form, item) for position, item in plan.controls.get(form, ())]


def _reserve(connection: Connection, participant: str, tasks: Sequence[Task], now: int) -> None:
    """Reserve the slots of tasks, and add the tasks to those of a participant in the order of their positions."""
    last = select(func.coalesce(func.max(TASKS.c.turn), 0)).where(TASKS.c.participant == participant)
    first = connection.execute(last).scalar_one() + 1
    taken = _take_slots(connection, participant, (task.slot for task in tasks), now)
    held = sorted(task for task in tasks if task.slot is None or task.slot in taken)
    rows = [
        {
            "participant": participant,
            "turn": turn,
            "item": task.item,
            "form": task.form,
            "position": task.position,
            "slot": task.slot,
        }
        for turn, task in enumerate(held, start=first)
    ]
    if rows:
        connection.execute(insert(TASKS), rows)


def _take_slots(connection: Connection, participant: str, slots: Iterable[int | None], now: int) -> set[int]:
    """Reserve those of some slots that are still free; return which."""
    free = SLOTS.c.slot.in_([slot for slot in slots if slot is not None]) & (SLOTS.c.state == FREE)
    values = {"state": RESERVED, "participant": participant, "reserved": now}
    return set(connection.execute(update(SLOTS).where(free).values(values).returning(SLOTS.c.slot)).scalars())
