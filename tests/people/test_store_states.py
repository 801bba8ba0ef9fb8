"""The slots of a study under any order of events: participants come, judge, fall idle, return, stop, are forgotten."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from made_study import make_study

pytest.importorskip("sqlalchemy")

from rightreasons.people.identifiers import hash_token
from rightreasons.people.judging import Receipt
from rightreasons.people.store import open_store
from rightreasons.people.store_tables import SLOTS, TASKS

if TYPE_CHECKING:
    from collections.abc import Callable

    from postgres_server import PostgresServer

TIMEOUT = 30.0  # minutes
JUDGEMENTS = 2


class SlotMachine(RuleBasedStateMachine):
    """A study of twelve items in forms of three, and a model of which judgements it has confirmed."""

    make_url: ClassVar[Callable[[], str | None]] = staticmethod(lambda: None)
    people = Bundle("people")

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.study = make_study(
            self.folder / "study", count=12, per_form=3, judgements=JUDGEMENTS, timeout_minutes=TIMEOUT
        )
        self.now = 1_800_000_000.0
        self.url = self.make_url()
        self.store = open_store(self.study, self.url, lambda: self.now)
        self.confirmed: set[tuple[str, str]] = set()
        self.old_forms: list[tuple[str, int, str]] = []
        self.number = 0

    def teardown(self) -> None:
        self.store.close()
        shutil.rmtree(self.folder)

    @rule(target=people)
    def join(self) -> str:
        self.number += 1
        name = f"p{self.number}"
        self.store.create_participant(name, "link", hash_token(name))
        self.store.start_participant(name)
        return name

    @rule(name=people, count=st.integers(1, 5))
    def judge_items(self, name: str, count: int) -> None:
        for _ in range(count):
            task = self.store.find_current_task(name)
            if task is None:
                return
            self.old_forms.append((name, task.turn, task.item))
            self.send(name, task.turn, task.item)

    @rule(data=st.data())
    def send_an_old_form_again(self, data: Any) -> None:
        if self.old_forms:
            self.send(*data.draw(st.sampled_from(self.old_forms)))

    @rule(name=people)
    def look_at_an_item(self, name: str) -> None:
        task = self.store.find_current_task(name)
        if task is not None:
            self.old_forms.append((name, task.turn, task.item))

    def send(self, name: str, turn: int, item: str) -> None:
        receipt = self.store.judge(name, turn, item, {"label": "entailment"})
        if receipt is Receipt.ACCEPTED:
            assert (name, item) not in self.confirmed
            self.confirmed.add((name, item))
        if receipt is Receipt.REPEATED:
            assert (name, item) in self.confirmed

    @rule(minutes=st.sampled_from([1.0, TIMEOUT - 1, TIMEOUT + 1]))
    def wait(self, minutes: float) -> None:
        self.now += minutes * 60

    @rule(name=people)
    def come_back(self, name: str) -> None:
        self.store.resume_participant(name)

    @rule()
    def expire(self) -> None:
        self.store.expire_participants()

    @rule(name=people)
    def stop(self, name: str) -> None:
        self.store.withdraw_participant(name)

    @rule(name=people)
    def forget(self, name: str) -> None:
        self.store.forget_participant(name)
        self.confirmed = {each for each in self.confirmed if each[0] != name}

    @rule()
    def restart_the_server(self) -> None:
        self.store.close()
        self.store = open_store(self.study, self.url, lambda: self.now)

    @invariant()
    def confirmed_judgements_are_there_once_and_no_others(self) -> None:
        answers = self.store.read_judgements().answers
        rows = [tuple(row) for row in answers.select("participant", "item").rows()]
        assert len(rows) == len(set(rows))
        assert set(rows) == self.confirmed

    @invariant()
    def no_item_has_more_than_planned_and_nobody_has_twins(self) -> None:
        items = Counter(item for _, item in self.confirmed if item.startswith("item"))
        assert all(count <= JUDGEMENTS for count in items.values())
        tasks = self.read(TASKS)
        groups = Counter(
            (row["participant"], int(row["item"].removeprefix("item-")) // 2)
            for row in tasks
            if row["slot"] is not None
        )
        assert all(count == 1 for count in groups.values())

    @invariant()
    def slots_and_tasks_agree(self) -> None:
        slots = {row["slot"]: row for row in self.read(SLOTS)}
        assert len(slots) == 12 * JUDGEMENTS
        judged = {
            row["slot"]: row["participant"]
            for row in self.read(TASKS)
            if row["judged"] is not None and row["slot"] is not None
        }
        closed = {slot: row["participant"] for slot, row in slots.items() if row["state"] == "judged"}
        assert judged == closed
        statuses = {row.participant: row.status for row in self.store.list_participants()}
        for row in slots.values():
            assert (row["participant"] is None) == (row["state"] == "free")
            if row["state"] == "reserved":
                assert statuses[row["participant"]] == "started"

    def read(self, table: Any) -> list[dict[str, Any]]:
        from sqlalchemy import select

        return self.store.database.read(
            lambda connection: [dict(row) for row in connection.execute(select(table)).mappings()]
        )


def run_machine(machine: type[SlotMachine], examples: int, steps: int) -> None:
    chosen = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(machine, settings=chosen)  # type: ignore[no-untyped-call]


def test_slots_under_any_order_of_events() -> None:
    run_machine(SlotMachine, examples=8, steps=20)


@pytest.mark.slow
def test_slots_under_many_orders_of_events() -> None:
    run_machine(SlotMachine, examples=60, steps=50)


@pytest.mark.slow
def test_slots_on_postgresql_under_any_order_of_events(postgres: PostgresServer) -> None:
    class OnPostgresql(SlotMachine):
        make_url = staticmethod(postgres.make_database)

    run_machine(OnPostgresql, examples=10, steps=30)


def test_completed_studies_leave_no_slot(tmp_path: Path) -> None:
    store = open_store(make_study(tmp_path / "study", count=12, per_form=3, judgements=JUDGEMENTS))
    names = []
    while True:
        name = f"p{len(names)}"
        store.create_participant(name, "link", hash_token(name))
        if store.start_participant(name) != "started":
            break
        names.append(name)
        while (task := store.find_current_task(name)) is not None:
            store.judge(name, task.turn, task.item, {"label": "entailment"})
    assert len(names) == 8
    assert {row["state"] for row in store.list_slot_counts()} == {"judged"}
    store.close()
