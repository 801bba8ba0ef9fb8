"""The tables of a study's database, created on first use, with one slot for each judgement that the plan has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import insert, inspect, select, text

from rightreasons.people.store_tables import ALLOCATION, DIGEST, META, METADATA, OPEN, SLOTS, STATE

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from rightreasons.people.database import StudyDatabase
    from rightreasons.people.study_plan import CollectionPlan

_SETUP_LOCK = 4_871_203  # any number: of two servers that start at once, one creates the tables


def create_tables(connection: Connection, database: StudyDatabase, plan: CollectionPlan) -> str:
    """Create the tables and slots unless they exist; return the digest of the plan that the database has."""
    if not database.is_sqlite:
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _SETUP_LOCK})
    if not inspect(connection).has_table(META.name):
        METADATA.create_all(connection)
        facts = {DIGEST: plan.study.digest, STATE: OPEN, ALLOCATION: ""}
        connection.execute(insert(META), [{"key": key, "value": value} for key, value in facts.items()])
        slots = [{**slot, "state": "free"} for slot in plan.list_slots()]
        if slots:
            connection.execute(insert(SLOTS), slots)
    digest = select(META.c.value).where(META.c.key == DIGEST)
    return str(connection.execute(digest).scalar())
