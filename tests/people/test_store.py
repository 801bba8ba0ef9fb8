"""The store of a study: each judgement once, no item beyond its judgements, and nothing that was confirmed is lost."""

from __future__ import annotations

import functools
import threading
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from made_study import LABEL_QUESTION, NOTE_QUESTION, SENSE_QUESTION, make_study

pytest.importorskip("sqlalchemy")

from rightreasons.core.errors import InputError
from rightreasons.people.database import DatabaseError, find_database_url, hide_password
from rightreasons.people.identifiers import hash_token
from rightreasons.people.judging import Receipt
from rightreasons.people.store import StudyStore, open_store
from rightreasons.people.study import open_study

if TYPE_CHECKING:
    from pathlib import Path

    from postgres_server import PostgresServer

ENTAILED = {"label": "entailment"}


class Clock:
    """A clock that tests set."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now

    def advance(self, minutes: float) -> None:
        self.now += minutes * 60


def join(store: StudyStore, name: str) -> str:
    """Add a participant, and start them."""
    store.create_participant(name, "link", hash_token(name))
    return store.start_participant(name)


def judge_next(store: StudyStore, name: str) -> Receipt:
    """Judge the current item of a participant."""
    task = store.find_current_task(name)
    assert task is not None
    return store.judge(name, task.turn, task.item, ENTAILED)


def judge_all(store: StudyStore, name: str) -> list[str]:
    """Judge all items of a participant; return them."""
    items = []
    while (task := store.find_current_task(name)) is not None:
        assert store.judge(name, task.turn, task.item, ENTAILED) is Receipt.ACCEPTED
        items.append(task.item)
    return items


def test_a_participant_gets_a_form_in_its_order(tmp_path: Path, database_url: str | None) -> None:
    study = make_study(tmp_path / "study")
    store = open_store(study, database_url)
    assert join(store, "ann") == "started"
    form = study.forms.filter(form=0)["item"].to_list()
    assert judge_all(store, "ann") == form
    found = store.find_participant(hash_token("ann"))
    assert found is not None
    assert found.status == "completed"
    judgements = store.read_judgements()
    assert judgements.answers["item"].to_list() == form
    assert judgements.answers["position"].to_list() == list(range(len(form)))
    assert judgements.participants.row(0)[:3] == ("ann", "link", "completed")
    store.close()


def test_all_judgements_are_collected_and_no_more(tmp_path: Path, database_url: str | None) -> None:
    store = open_store(make_study(tmp_path / "study"), database_url)
    names = [f"p{number}" for number in range(6)]
    statuses = [join(store, name) for name in names]
    assert statuses == ["started"] * 4 + ["invited"] * 2
    for name in names[:4]:
        judge_all(store, name)
    counts = Counter(store.read_judgements().answers["item"].to_list())
    assert counts == {**{f"item-{number}": 2 for number in range(8)}, "control-0": 4}
    store.close()


def test_a_judgement_sent_twice_is_stored_once(tmp_path: Path, database_url: str | None) -> None:
    store = open_store(make_study(tmp_path / "study"), database_url)
    join(store, "ann")
    task = store.find_current_task("ann")
    assert task is not None
    assert store.judge("ann", task.turn, task.item, ENTAILED) is Receipt.ACCEPTED
    assert store.judge("ann", task.turn, task.item, {"label": "non-entailment"}) is Receipt.REPEATED
    assert store.read_judgements().answers["answer"].to_list() == ["entailment"]
    store.close()


def test_items_come_in_their_order_and_are_those_of_the_participant(tmp_path: Path) -> None:
    store = open_store(make_study(tmp_path / "study"))
    join(store, "ann")
    join(store, "bob")
    first = store.find_current_task("ann")
    other = store.find_current_task("bob")
    assert first is not None
    assert other is not None
    assert store.judge("ann", first.turn + 1, "control-0", ENTAILED) is Receipt.LATE
    assert store.judge("ann", first.turn, other.item, ENTAILED) is Receipt.LATE
    assert store.judge("nobody", first.turn, first.item, ENTAILED) is Receipt.LATE
    assert store.read_judgements().answers.is_empty()
    store.close()


def test_abandoned_items_go_to_others_without_twins(tmp_path: Path, database_url: str | None) -> None:
    clock = Clock()
    store = open_store(make_study(tmp_path / "study", count=8, per_form=2), database_url, clock)
    names = [f"p{number}" for number in range(8)]
    for name in names:
        assert join(store, name) == "started"
        judge_next(store, name)
        judge_next(store, name)  # an item and the control: each leaves one item
    assert join(store, "early") == "invited"
    clock.advance(61)
    later = [f"q{number}" for number in range(12)]
    items = {name: judge_all(store, name) for name in later if join(store, name) == "started"}
    judged = store.read_judgements().answers
    counts = Counter(judged["item"].to_list())
    assert {item: n for item, n in counts.items() if item != "control-0"} == {
        f"item-{n}": 2 for n in range(8)
    }
    assert all("control-0" in found for found in items.values())
    for found in items.values():
        own = [item for item in found if item != "control-0"]
        assert 1 <= len(own) <= 2
        groups = [int(item.removeprefix("item-")) // 2 for item in own]
        assert len(set(groups)) == len(own)
    assert max(map(len, items.values())) == 3  # leftovers of two forms were combined
    store.close()


def test_a_time_out_of_zero_minutes_never_ends(tmp_path: Path) -> None:
    clock = Clock()
    store = open_store(make_study(tmp_path / "study", count=4, judgements=1, timeout_minutes=0), clock=clock)
    assert [join(store, "ann"), join(store, "bob")] == ["started", "started"]
    clock.advance(60 * 24 * 365)
    assert join(store, "cleo") == "invited"
    assert judge_next(store, "ann") is Receipt.ACCEPTED
    store.close()


def test_a_late_judgement_is_accepted_only_while_the_item_is_free(
    tmp_path: Path, database_url: str | None
) -> None:
    clock = Clock()
    store = open_store(make_study(tmp_path / "study", count=4, per_form=4, judgements=1), database_url, clock)
    assert [join(store, "ann"), join(store, "bob")] == ["started", "started"]  # the forms are of two items
    first = store.find_current_task("ann")
    assert first is not None
    clock.advance(61)
    store.expire_participants()
    assert store.judge("ann", first.turn, first.item, ENTAILED) is Receipt.ACCEPTED  # nobody else wanted it
    assert judge_next(store, "ann") is Receipt.ACCEPTED  # the control
    last = store.find_current_task("ann")
    assert last is not None
    clock.advance(61)
    assert [join(store, "cleo"), join(store, "dan")] == [
        "started",
        "started",
    ]  # bob's form, and ann's last item
    assert store.judge("ann", last.turn, last.item, ENTAILED) is Receipt.LATE
    assert not store.resume_participant("ann")
    assert last.item in judge_all(store, "dan")
    judge_all(store, "cleo")
    counts = Counter(store.read_judgements().answers["item"].to_list())
    assert {n for item, n in counts.items() if item.startswith("item")} == {1}
    store.close()


def test_who_comes_back_gets_other_items_in_place_of_lost_ones(tmp_path: Path) -> None:
    clock = Clock()
    store = open_store(make_study(tmp_path / "study", count=8, per_form=2, judgements=1), clock=clock)
    for name in ("ann", "bob", "cleo", "dan"):
        join(store, name)
    judge_next(store, "ann")
    clock.advance(61)
    assert join(store, "eve") == "started"  # takes a whole form: that of bob
    assert store.resume_participant("ann")
    assert store.resume_participant("bob")
    taken = set(judge_all(store, "eve"))
    own = judge_all(store, "bob")
    assert taken & set(own) == {"control-0"}
    groups = [int(item.removeprefix("item-")) // 2 for item in own if item != "control-0"]
    assert len(set(groups)) == len(groups)
    store.close()


def test_questions_one_by_one_make_one_judgement(tmp_path: Path) -> None:
    questions = [LABEL_QUESTION, SENSE_QUESTION]
    clock = Clock()
    store = open_store(
        make_study(tmp_path / "study", questions=questions, show="one-by-one", pause_seconds=1), clock=clock
    )
    join(store, "ann")
    task = store.find_current_task("ann")
    assert task is not None
    clock.now += 6
    store.judge("ann", task.turn, task.item, ENTAILED)
    assert store.read_judgements().answers.is_empty()
    again = store.find_current_task("ann")
    assert again is not None
    assert (again.turn, again.answered) == (task.turn, {"label"})
    clock.now += 5
    store.judge("ann", task.turn, task.item, {"sense": "no"})
    answers = store.read_judgements().answers
    assert answers["question"].to_list() == ["label", "sense"]
    assert answers["seconds"].to_list() == [10.0, 10.0]  # without the pause of a second
    clock.now += 3
    following = store.find_current_task("ann")
    assert following is not None
    store.judge("ann", following.turn, following.item, {"label": "entailment", "sense": "yes"})
    assert store.read_judgements().answers["seconds"].to_list() == [10.0, 10.0, 2.0, 2.0]
    store.close()


def test_half_answers_of_those_who_left_are_no_judgements(tmp_path: Path) -> None:
    questions = [LABEL_QUESTION, SENSE_QUESTION]
    store = open_store(make_study(tmp_path / "study", questions=questions, show="one-by-one"))
    join(store, "ann")
    task = store.find_current_task("ann")
    assert task is not None
    store.judge("ann", task.turn, task.item, ENTAILED)
    store.withdraw_participant("ann")
    judgements = store.read_judgements()
    assert judgements.answers.is_empty()
    assert judgements.participants["status"].to_list() == ["withdrawn"]
    assert join(store, "bob") == "started"
    store.close()


def test_who_is_forgotten_leaves_a_note_without_a_name(tmp_path: Path, database_url: str | None) -> None:
    study = make_study(tmp_path / "study", count=4, judgements=1)
    store = open_store(study, database_url)
    join(store, "ann-the-participant")
    items = judge_all(store, "ann-the-participant")
    assert store.forget_participant("ann-the-participant") == len(items)
    assert store.forget_participant("ann-the-participant") is None
    assert store.read_judgements().participants.is_empty()
    assert store.find_participant(hash_token("ann-the-participant")) is None
    assert join(store, "bob") == "started"
    assert judge_all(store, "bob") == items
    store.close()
    if database_url is None:
        written = b"".join(path.read_bytes() for path in (tmp_path / "study").glob("study.db*"))
        assert b"ann-the-participant" not in written


def test_a_paused_study_lets_nobody_start_and_a_closed_one_takes_nothing(tmp_path: Path) -> None:
    store = open_store(make_study(tmp_path / "study"))
    join(store, "ann")
    store.set_state("paused")
    assert join(store, "bob") == "invited"
    assert judge_next(store, "ann") is Receipt.ACCEPTED
    store.set_state("closed")
    assert judge_next(store, "ann") is Receipt.CLOSED
    assert not store.resume_participant("ann")
    store.set_state("open")
    assert store.start_participant("bob") == "started"
    store.close()


def test_imported_tables_fill_the_same_slots(tmp_path: Path, database_url: str | None) -> None:
    study = make_study(tmp_path / "one")
    source = open_store(study)
    for name in ("ann", "bob"):
        join(source, name)
        judge_all(source, name)
    judgements = source.read_judgements()
    target = open_store(make_study(tmp_path / "two"), database_url)
    target.add_judgements(judgements)
    target.add_judgements(judgements)  # again: nothing changes
    assert target.read_judgements().answers.equals(judgements.answers)
    assert target.read_judgements().participants.equals(judgements.participants)
    assert [join(target, name) for name in ("cleo", "dan", "eve")] == ["started", "started", "invited"]
    source.close()
    target.close()


def test_an_import_beyond_the_plan_is_refused_whole(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study", count=4, judgements=1)
    store = open_store(study)
    join(store, "ann")
    judge_all(store, "ann")
    judgements = store.read_judgements()
    from rightreasons.people.judgements import Judgements

    renamed = Judgements(
        study, judgements.participants.with_columns(participant=judgements.participants["participant"] + "2"),
        judgements.answers.with_columns(participant=judgements.answers["participant"] + "2"),
    )  # fmt: skip
    with pytest.raises(InputError, match="item-0"):
        store.add_judgements(renamed)
    assert store.read_judgements().participants["participant"].to_list() == ["ann"]
    store.close()


def test_a_changed_plan_is_refused(tmp_path: Path, database_url: str | None) -> None:
    folder = tmp_path / "study"
    open_store(make_study(folder), database_url).close()
    card = folder / "study.json"
    card.write_text(card.read_text().replace('"small"', '"changed"'))
    with pytest.raises(InputError, match=r"study\.json"):
        open_store(open_study(folder), database_url)


def test_participants_at_the_same_time_share_the_slots(tmp_path: Path, database_url: str | None) -> None:
    store = open_store(make_study(tmp_path / "study", count=12, per_form=3, judgements=3), database_url)
    other = open_store(store.study, database_url)  # as a second server
    failures: list[Exception] = []

    def take_part(name: str, own: StudyStore) -> None:
        try:
            if join(own, name) == "started":
                judge_all(own, name)
        except Exception as error:  # noqa: BLE001 - shown below
            failures.append(error)

    people = [
        threading.Thread(target=take_part, args=(f"p{number}", (store, other)[number % 2]))
        for number in range(16)
    ]
    for person in people:
        person.start()
    for person in people:
        person.join()
    assert failures == []
    counts = Counter(store.read_judgements().answers["item"].to_list())
    assert {n for item, n in counts.items() if item != "control-0"} == {3}
    store.close()
    other.close()


def test_the_same_judgement_at_the_same_time_is_stored_once(tmp_path: Path, database_url: str | None) -> None:
    store = open_store(make_study(tmp_path / "study"), database_url)
    join(store, "ann")
    task = store.find_current_task("ann")
    assert task is not None
    receipts: list[Receipt] = []
    clicks = [
        threading.Thread(target=lambda: receipts.append(store.judge("ann", task.turn, task.item, ENTAILED)))
        for _ in range(6)
    ]
    for click in clicks:
        click.start()
    for click in clicks:
        click.join()
    assert Counter(receipts) == {Receipt.ACCEPTED: 1, Receipt.REPEATED: 5}
    assert len(store.read_judgements().answers) == 1
    store.close()


@pytest.mark.slow
def test_a_database_that_goes_away_and_comes_back(
    tmp_path: Path, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rightreasons.people.database.MOST_ATTEMPTS", 2)
    store = open_store(make_study(tmp_path / "study"), postgres.make_database())
    join(store, "ann")
    assert judge_next(store, "ann") is Receipt.ACCEPTED
    postgres.stop()
    try:
        with pytest.raises(DatabaseError, match="--database"):
            store.read_judgements()
    finally:
        postgres.start()
    assert judge_next(store, "ann") is Receipt.ACCEPTED
    assert len(store.read_judgements().answers) == 2
    store.close()


def test_urls_of_databases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "study.db"
    assert find_database_url(file) == f"sqlite:///{file}"
    assert find_database_url(file, "postgresql://ann@host/x") == "postgresql+psycopg://ann@host/x"
    monkeypatch.setenv("RIGHTREASONS_STUDY_DATABASE", "postgresql+psycopg://ann:secret@host/y")
    assert find_database_url(file).endswith("/y")
    assert hide_password(find_database_url(file)) == "postgresql+psycopg://ann:***@host/y"
    for wrong in ("mysql://host/x", "study", "postgresql+psycopg:study"):
        with pytest.raises(InputError, match="postgresql"):
            find_database_url(file, wrong)


def test_a_password_is_not_in_the_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("psycopg")
    monkeypatch.setattr("rightreasons.people.database.MOST_ATTEMPTS", 1)
    study = make_study(tmp_path / "study")
    with pytest.raises(DatabaseError) as caught:
        open_store(study, "postgresql+psycopg://ann:s3cret@127.0.0.1:1/x")
    assert "s3cret" not in str(caught.value)
    assert "127.0.0.1" in str(caught.value)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study")
    (tmp_path / "study" / "study.db").write_text("not a database" * 100)
    with pytest.raises(DatabaseError, match=r"study\.db"):
        open_store(study)


def test_a_full_disk_loses_nothing_that_was_confirmed(tmp_path: Path) -> None:
    from sqlalchemy import event

    questions = [LABEL_QUESTION, NOTE_QUESTION]
    store = open_store(make_study(tmp_path / "study", questions=questions))
    join(store, "ann")
    limit = [0]

    def set_limit(connection: Any, *_: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {limit[0]}")

    judge = functools.partial(store.judge, "ann", answers={**ENTAILED, "note": "x" * 50_000})
    confirmed = []
    for _ in range(2):
        task = store.find_current_task("ann")
        assert task is not None
        assert judge(turn=task.turn, item=task.item) is Receipt.ACCEPTED
        confirmed.append(task.item)
    task = store.find_current_task("ann")
    assert task is not None
    event.listen(store.database.engine, "checkout", set_limit)
    limit[0] = 1  # SQLite takes it as the number of pages that the file has
    with pytest.raises(DatabaseError, match="Free some space"):
        judge(turn=task.turn, item=task.item)
    limit[0] = 1_000_000
    assert store.read_judgements().answers["item"].unique(maintain_order=True).to_list() == confirmed
    assert judge(turn=task.turn, item=task.item) is Receipt.ACCEPTED
    store.close()
