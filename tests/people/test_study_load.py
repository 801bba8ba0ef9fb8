"""Many participants at the same time, and servers that are killed: what was acknowledged is there, once."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from made_study import make_study
from study_load import Load, find_percentile
from study_server import StudyServer

pytest.importorskip("sqlalchemy")

from rightreasons.people.database import URL_VARIABLE
from rightreasons.people.identifiers import hash_token
from rightreasons.people.store import open_store

if TYPE_CHECKING:
    from pathlib import Path

    from postgres_server import PostgresServer

    from rightreasons.people.study import Study

pytestmark = [pytest.mark.slow, pytest.mark.every_case]
PARTICIPANTS = 200
KILLS = 30
JUDGEMENTS = 5


def make_large_study(folder: Path) -> Study:
    """Make a study for 200 participants, each with 6 items and a control."""
    return make_study(folder, count=240, per_form=6, judgements=JUDGEMENTS)


def start_servers(study: Study, url: str | None, count: int = 1) -> list[StudyServer]:
    environment = {} if url is None else {URL_VARIABLE: url}
    servers = [StudyServer(study.folder, environment=environment) for _ in range(count)]
    for server in servers:
        server.start()
    return servers


def check_study(study: Study, url: str | None, load: Load) -> None:
    """Check that acknowledged judgements are there, none twice, and no item has more than planned."""
    from sqlalchemy import select

    from rightreasons.people.store_tables import PARTICIPANTS as PEOPLE
    from rightreasons.people.store_tables import TASKS

    store = open_store(study, url)
    query = (
        select(PEOPLE.c.token_hash, TASKS.c.turn)
        .join(TASKS, TASKS.c.participant == PEOPLE.c.participant)
        .where(TASKS.c.judged.is_not(None))
    )
    stored = Counter(
        store.database.read(lambda connection: [tuple(row) for row in connection.execute(query)])
    )
    answers = store.read_judgements().answers
    store.close()
    assert {(hash_token(token), turn) for token, turn in load.acknowledged} == set(stored)
    assert set(stored.values()) == {1}
    assert answers.select("participant", "item").is_unique().all()
    counts = Counter(answers["item"].to_list())
    assert {n for item, n in counts.items() if item.startswith("item")} == {JUDGEMENTS}
    assert counts["control-0"] == PARTICIPANTS
    groups = answers.join(study.items.select("item", "group"), on="item").drop_nulls("group")
    assert groups.select("participant", "group").is_unique().all()


def test_two_hundred_participants_at_the_same_time(tmp_path: Path, database_url: str | None) -> None:
    study = make_large_study(tmp_path / "study")
    (server,) = start_servers(study, database_url)
    load = Load([server.port], server.study_link)
    try:
        load.run(PARTICIPANTS)
    finally:
        server.stop()
    assert load.failures == []
    assert load.completed == PARTICIPANTS
    check_study(study, database_url, load)
    assert find_percentile(load.seconds, 0.95) < 30
    assert "error" not in server.read_log().lower()


def test_two_servers_share_a_postgresql_study(tmp_path: Path, postgres: PostgresServer) -> None:
    study = make_large_study(tmp_path / "study")
    url = postgres.make_database()
    servers = start_servers(study, url, count=2)
    load = Load([server.port for server in servers], servers[0].study_link)
    try:
        load.run(PARTICIPANTS, workers=60)
    finally:
        for server in servers:
            server.stop()
    assert load.failures == []
    check_study(study, url, load)


def test_a_server_killed_at_random_moments_loses_nothing(tmp_path: Path, database_url: str | None) -> None:
    study = make_large_study(tmp_path / "study")
    (server,) = start_servers(study, database_url)
    load = Load([server.port], server.study_link, patient=True, think_seconds=0.3)
    running = threading.Thread(target=load.run, args=(PARTICIPANTS, 30))
    running.start()
    chance = random.Random(19)  # noqa: S311 - the moments are the same in every run
    during = 0
    for _ in range(KILLS):
        time.sleep(chance.uniform(0.05, 0.8))
        during += running.is_alive()
        server.kill()
        server.start()
    running.join(timeout=600)
    server.stop()
    assert not running.is_alive()
    assert load.failures == []
    assert during == KILLS
    check_study(study, database_url, load)
