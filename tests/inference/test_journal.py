"""The journal: what is written comes back exactly, what is torn is seen, and one process at a time writes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from command_line import everything_in
from rightreasons.core.errors import InputError, OutputError
from rightreasons.inference import journal_folders
from rightreasons.inference.journal import MISSING_FILE, PLAN_FILE, PREDICTIONS_FILE, BatchPlan, open_journal
from rightreasons.io.locks import BusyError
from rightreasons.io.outputs import write_atomically

if TYPE_CHECKING:
    from pathlib import Path

KEY = {"model": {"sha256": "abc"}, "pairs": "123"}
OTHER = {"model": {"sha256": "abd"}, "pairs": "123"}
PLANNED = BatchPlan([[2, 0], [1], [3, 4]], {5: "too long"})
BATCHES: list[dict[str, list[Any]]] = [
    {"label": ["neutral", "entailment"], "p_entailment": [0.1, 2 / 3], "text": ["naïve\n\t\u2028", None]},
    {"label": ["unreadable"], "p_entailment": [None], "text": ['"']},
    {"label": ["neutral", "neutral"], "p_entailment": [1e-300, 1.0], "text": ["", "x"]},
]


def written(place: Path, count: int = 3) -> Path:
    """Write a journal with some of the batches, and say where it lies."""
    with open_journal(place, KEY) as journal:
        journal.set_plan(PLANNED)
        for number in range(count):
            journal.add_batch(number, BATCHES[number], {"requests": number + 1})
        return journal.folder


def read(place: Path) -> dict[int, dict[str, list[Any]]]:
    with open_journal(place, KEY) as journal:
        return journal.predictions


def test_what_is_written_comes_back(tmp_path: Path) -> None:
    folder = written(tmp_path)
    assert folder.parent == tmp_path
    assert len(folder.name) == 16
    with open_journal(tmp_path, KEY) as journal:
        assert journal.plan == PLANNED
        assert journal.predictions == dict(enumerate(BATCHES))
        assert journal.costs == {"requests": 3}
        assert journal.facts is None
        journal.finish({"cut": 1})
    with open_journal(tmp_path, KEY) as journal:
        assert journal.facts == {"cut": 1}


@given(st.lists(st.floats(0, 1), min_size=2, max_size=2))
def test_floats_come_back_to_the_last_bit(
    tmp_path_factory: pytest.TempPathFactory, values: list[float]
) -> None:
    place = tmp_path_factory.mktemp("floats")
    with open_journal(place, KEY) as journal:
        journal.set_plan(PLANNED)
        journal.add_batch(0, {"label": ["neutral", "neutral"], "p_neutral": values}, {})
    assert [value.hex() for value in read(place)[0]["p_neutral"]] == [value.hex() for value in values]


def test_a_line_torn_at_any_byte_is_dropped_and_written_again(tmp_path: Path) -> None:
    path = written(tmp_path) / PREDICTIONS_FILE
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    assert len(lines) == 3
    start = len(whole) - len(lines[2])
    for length in range(start, len(whole) + 1):
        path.write_bytes(whole[:length])
        torn = length < len(whole)
        with open_journal(tmp_path, KEY) as journal:
            assert sorted(journal.predictions) == ([0, 1] if torn else [0, 1, 2])
            journal.add_batch(2, BATCHES[2], {"requests": 3})
        assert read(tmp_path) == dict(enumerate(BATCHES))


def test_a_damaged_line_costs_its_own_batch_alone(tmp_path: Path) -> None:
    path = written(tmp_path) / PREDICTIONS_FILE
    with open_journal(tmp_path, KEY) as journal:
        journal.finish({})
    whole = path.read_bytes()
    at = whole.index(b"unreadable")
    path.write_bytes(whole[:at] + b"X" + whole[at + 1 :])
    with open_journal(tmp_path, KEY) as journal:
        assert sorted(journal.predictions) == [0, 2]
        assert journal.facts is None


def test_another_key_has_another_journal(tmp_path: Path) -> None:
    written(tmp_path)
    with open_journal(tmp_path, OTHER) as journal:
        assert journal.plan is None
        assert journal.predictions == {}
    assert read(tmp_path) == dict(enumerate(BATCHES))


@pytest.mark.parametrize("plan", [None, b"", b"[]", b'{"key": {}, "batches": [], "refused": []}'])
def test_predictions_without_their_plan_are_refused(tmp_path: Path, plan: bytes | None) -> None:
    folder = written(tmp_path)
    (folder / PLAN_FILE).unlink() if plan is None else (folder / PLAN_FILE).write_bytes(plan)
    before = everything_in(tmp_path)
    with pytest.raises(InputError, match=r"plan\.json .*delete"), open_journal(tmp_path, KEY):
        pytest.fail("the block must not run")
    assert everything_in(tmp_path) == before
    (folder / PREDICTIONS_FILE).unlink()  # without predictions, nothing is lost
    with open_journal(tmp_path, KEY) as journal:
        assert journal.plan is None
        assert journal.predictions == {}
        journal.set_plan(BatchPlan([[0, 1, 2, 3, 4]], {}))
        journal.add_batch(0, {"label": ["neutral"] * 5}, {})
    assert list(read(tmp_path)) == [0]


def test_a_journal_without_predictions_leaves_nothing(tmp_path: Path) -> None:
    written(tmp_path / "place", 0)
    assert list(tmp_path.iterdir()) == []
    folder = written(tmp_path / "place", 1)
    assert sorted(path.name for path in folder.iterdir()) == [PREDICTIONS_FILE, PLAN_FILE]


def test_the_list_of_missing_pairs_is_removed_when_complete(tmp_path: Path) -> None:
    folder = written(tmp_path)
    (folder / MISSING_FILE).touch()
    with open_journal(tmp_path, KEY) as journal:
        journal.finish({})
    assert not (folder / MISSING_FILE).exists()


def test_a_folder_that_can_not_be_created_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match=r"in .*/file"), open_journal(tmp_path / "file", KEY):
        pass


HOLDER = """
import sys, time
from pathlib import Path
from rightreasons.inference.journal import BatchPlan, open_journal
with open_journal(Path(sys.argv[1]), {"model": {"sha256": "abc"}, "pairs": "123"}) as journal:
    journal.set_plan(BatchPlan([[0]], {}))
    journal.add_batch(0, {"label": ["neutral"]}, {})
    print("here", flush=True)
    time.sleep(600)
"""


def test_a_journal_belongs_to_one_process_until_it_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"here\n"
        with pytest.raises(BusyError, match="another process"):
            read(tmp_path)
        journal_folders.remove_journals(tmp_path)
        os.kill(process.pid, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert read(tmp_path) == {0: {"label": ["neutral"]}}


def test_journals_are_removed_once_the_output_is_in_place(tmp_path: Path) -> None:
    out = tmp_path / "answers.csv"
    with journal_folders.hold_journal_folder(out) as place:
        assert place == tmp_path / "answers.csv.unfinished"
        written(place / "set" / "model")
        (place / "set" / "model.lock").mkdir()  # a model's name may end so
    assert list(tmp_path.iterdir()) == []


def test_journals_stay_where_the_output_is_not_made(tmp_path: Path) -> None:
    def fail(error: BaseException, count: int) -> None:
        with journal_folders.hold_journal_folder(tmp_path / "out") as place:
            written(place / "a", count)
            raise error

    with pytest.raises(KeyboardInterrupt) as stopped:
        fail(KeyboardInterrupt(), 0)
    assert str(stopped.value) == ""
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(KeyboardInterrupt, match=r"in .*\.unfinished\..* again"):
        fail(KeyboardInterrupt(), 1)
    with pytest.raises(OutputError):
        fail(OutputError("full"), 1)
    assert list(read(tmp_path / "out.unfinished" / "a")) == [0]


def test_an_interrupt_after_the_output_is_in_place_leaves_no_journal(tmp_path: Path) -> None:
    def stop_at_the_end() -> None:
        with journal_folders.hold_journal_folder(tmp_path / "out") as place:
            written(place)
            with write_atomically(tmp_path / "out") as part:
                part.write_text("whole")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as stopped:
        stop_at_the_end()
    assert str(stopped.value) == ""
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_what_is_no_journal_is_never_removed(tmp_path: Path) -> None:
    with journal_folders.hold_journal_folder(tmp_path / "out") as place:
        written(place)
        (place / "mine.txt").write_text("mine")
    assert [path.name for path in place.iterdir()] == ["mine.txt"]


def test_the_place_of_a_link_is_beside_what_it_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with journal_folders.hold_journal_folder(tmp_path / "link") as place:
        assert place == tmp_path / "real.unfinished"
    monkeypatch.chdir(tmp_path / "real")
    with journal_folders.hold_journal_folder(".") as place:
        assert place == tmp_path / "real.unfinished"


def test_the_root_folder_has_a_place_too() -> None:
    assert str(journal_folders.get_journal_folder("/")) == "/.unfinished"


def test_an_interrupt_while_journals_are_removed_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    removed, calls = journal_folders.remove_journals, []

    def interrupted(place: Path) -> None:
        calls.append(place)
        if len(calls) == 1:
            raise KeyboardInterrupt
        removed(place)

    monkeypatch.setattr(journal_folders, "remove_journals", interrupted)
    with suppress(KeyboardInterrupt), journal_folders.hold_journal_folder(tmp_path / "out") as place:
        written(place)
        with write_atomically(tmp_path / "out") as part:
            part.write_text("done", encoding="utf-8")
    assert len(calls) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
