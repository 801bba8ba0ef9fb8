"""The store of a study: its participants, who judges what, and their judgements, in a database.

Whatever a method has returned is on the disk. Every method can be repeated without another effect.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from rightreasons.core.errors import InputError
from rightreasons.people.database import StudyDatabase, find_database_url
from rightreasons.people.judgements import COMPLETED, EXPIRED, STARTED, WITHDRAWN
from rightreasons.people.study import DATABASE
from rightreasons.people.study_plan import MICROSECONDS, CollectionPlan

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlalchemy import Connection

    from rightreasons.people.judgements import Judgements
    from rightreasons.people.judging import CurrentTask, Receipt
    from rightreasons.people.study import Study

Value = TypeVar("Value")


@dataclass(frozen=True)
class Participant:
    """A participant as the database has them."""

    participant: str
    source: str
    status: str
    prepared: int  # 0: has the instructions to read; 1: has read them; each practice item adds 1


class StudyStore:
    """The database of a study that is being run."""

    def __init__(self, study: Study, database: StudyDatabase, clock: Callable[[], float] = time.time) -> None:
        """Use `open_store`, which also creates the tables."""
        self.study, self.database, self.clock = study, database, clock
        self.plan = CollectionPlan(study)

    def create_participant(
        self, participant: str, source: str, token_hash: str | None, *, invited: bool = False
    ) -> None:
        """Add a participant who has not consented yet; one who exists stays as they are."""
        from rightreasons.people.store_tables import INVITED, PARTICIPANTS

        row = {
            "participant": participant,
            "source": source,
            "status": INVITED,
            "token_hash": token_hash,
            "invited": self._now() if invited else None,
            "prepared": 0,
        }
        insert = self.database.make_insert_if_missing(PARTICIPANTS)
        self._write(lambda connection: connection.execute(insert, [row]))

    def find_participant(self, token_hash: str) -> Participant | None:
        """Find the participant who has a token."""
        from sqlalchemy import select

        from rightreasons.people.store_tables import PARTICIPANTS as TABLE

        query = select(TABLE.c.participant, TABLE.c.source, TABLE.c.status, TABLE.c.prepared)
        row = self._read(
            lambda connection: connection.execute(query.where(TABLE.c.token_hash == token_hash)).first()
        )
        return None if row is None else Participant(*row)

    def start_participant(self, participant: str) -> str:
        """Give someone who consented their items; return their status, still invited if no items are free."""
        from rightreasons.people import allocation, participation

        def start(connection: Connection) -> str:
            now = self._now()
            allocation.lock_allocation(connection)
            allocation.expire_idle_participants(connection, now - self.plan.timeout)
            return participation.begin_participation(connection, self.plan, participant, now)

        return self._write(start)

    def resume_participant(self, participant: str) -> bool:
        """Give an expired participant their items back, or others; return whether they can go on."""
        from rightreasons.people import allocation, participation

        def resume(connection: Connection) -> bool:
            now = self._now()
            allocation.lock_allocation(connection)
            allocation.expire_idle_participants(connection, now - self.plan.timeout)
            return participation.continue_participation(connection, self.plan, participant, now)

        return self._write(resume)

    def withdraw_participant(self, participant: str) -> None:
        """End the participation of someone; their judgements stay, unjudged items go to others."""
        from rightreasons.people import participation

        self._write(lambda connection: participation.end_participation(connection, participant, WITHDRAWN))

    def forget_participant(self, participant: str) -> int | None:
        """Delete a participant and all their judgements; return how many items, None if there is no such one."""
        from rightreasons.people import participation

        return self._write(
            lambda connection: participation.delete_participation(connection, participant, self._now())
        )

    def prepare_participant(self, participant: str, step: int) -> None:
        """Note that someone has read the instructions (1), or has done so many practice items (1 + n)."""
        from rightreasons.people import participation

        self._write(
            lambda connection: participation.note_preparation(connection, participant, step, self._now())
        )

    def find_current_task(self, participant: str) -> CurrentTask | None:
        """Find the item that a participant sees now, and start its clock when it is shown first."""
        from rightreasons.people.judging import find_current_task, show_task

        task = self._read(lambda connection: find_current_task(connection, participant))
        if task is not None and task.shown is None:
            turn, shown = task.turn, self._now() + self.plan.pause
            self._write(lambda connection: show_task(connection, participant, turn, shown))
        return task

    def list_open_items(self, participant: str) -> list[str]:
        """List the items of a participant that are not judged, controls included, in their order."""
        from rightreasons.people.judging import select_open_items

        return self._read(lambda connection: select_open_items(connection, participant))

    def judge(self, participant: str, turn: int, item: str, answers: Mapping[str, str]) -> Receipt:
        """Store answers to the questions about an item; each judgement counts once."""
        from rightreasons.people.judging import GivenAnswers, store_judgement
        from rightreasons.people.store_tables import ANSWERS

        insert = self.database.make_insert_if_missing(ANSWERS)
        given = GivenAnswers(participant, turn, item, answers)
        return self._write(
            lambda connection: store_judgement(connection, self.plan, insert, given, self._now())
        )

    def expire_participants(self) -> None:
        """Free the slots of participants who were idle for longer than the time-out."""
        from rightreasons.people import allocation

        def expire(connection: Connection) -> None:
            allocation.lock_allocation(connection)
            allocation.expire_idle_participants(connection, self._now() - self.plan.timeout)

        self._write(expire)

    def get_state(self) -> str:
        """Return whether the study is open, paused or closed."""
        from rightreasons.people.participation import read_study_state

        return self._read(read_study_state)

    def set_state(self, state: str) -> None:
        """Open, pause or close the study."""
        from rightreasons.people.participation import write_study_state

        self._write(lambda connection: write_study_state(connection, state))

    def list_participants(self) -> Sequence[Any]:
        """List the participants for researchers: identifier, source, status, times, and items judged of how many."""
        from rightreasons.people.store_rows import select_participant_progress

        return self._read(select_participant_progress)

    def list_slot_counts(self) -> list[dict[str, Any]]:
        """Count the slots of each form and item by their state."""
        from rightreasons.people.store_rows import select_slot_counts

        return self._read(select_slot_counts)

    def read_judgements(self) -> Judgements:
        """Read all participants who began, and their judgements."""
        from rightreasons.people.store_rows import read_judgement_tables

        return self.database.read(
            lambda connection: read_judgement_tables(connection, self.study), snapshot=True
        )

    def add_judgements(self, judgements: Judgements) -> None:
        """Add the tables of an import or a simulation, all or nothing; no item may exceed its judgements."""
        from rightreasons.people.store_import import insert_judgement_tables

        self._write(lambda connection: insert_judgement_tables(connection, self.plan, judgements))

    def close(self) -> None:
        """Close all connections."""
        self.database.close()

    def _now(self) -> int:
        return int(self.clock() * MICROSECONDS)

    def _write(self, work: Callable[[Connection], Value]) -> Value:
        return self.database.write(work)

    def _read(self, work: Callable[[Connection], Value]) -> Value:
        return self.database.read(work)


def open_store(study: Study, url: str | None = None, clock: Callable[[], float] = time.time) -> StudyStore:
    """Open the database of a study, and create its tables if there are none.

    A database that was begun with another plan is refused: its judgements belong to other items or forms.
    """
    database = StudyDatabase(find_database_url(study.folder / DATABASE, url))
    store = StudyStore(study, database, clock)
    from rightreasons.people.store_setup import create_tables

    try:
        begun = database.write(lambda connection: create_tables(connection, database, store.plan))
    except BaseException:
        store.close()
        raise
    if begun != study.digest:
        store.close()
        raise InputError(
            f"The database {database.shown_url} belongs to another plan than {str(study.folder)!r}: the study was "
            "changed after its first judgement, or the database is that of another study. "
            "Restore study.json, or use a new study folder or database."
        )
    return store


__all__ = ["COMPLETED", "EXPIRED", "STARTED", "WITHDRAWN", "Participant", "StudyStore", "open_store"]
