"""Judgements from other systems: each format, round trips, no identifiers in exports, and hostile or broken files."""

from __future__ import annotations

import csv
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import polars as pl
import pytest

from rightreasons.core.errors import InputError, OutputError
from rightreasons.people.exchange.transfer import export_study, import_judgements, read_judgement_file
from rightreasons.people.identifiers import hash_identifier
from rightreasons.people.offline_judgements import OFFLINE_FORMAT, sign_item
from rightreasons.people.retained import load_judgements
from rightreasons.people.simulation import simulate_judgements
from rightreasons.people.store import open_store

sys.path.append(str(Path(__file__).parents[1]))
from hand_judgements import join_judgements, write_judgements
from made_study import LABEL_QUESTION, NOTE_QUESTION, SENSE_QUESTION, make_study

if TYPE_CHECKING:
    from rightreasons.people.judgements import Judgements
    from rightreasons.people.study import Study

HOSTILE = '=HYPERLINK("http://example.org","x")'
PEOPLE = {
    "zoe@example.org": {"items": "enen....", "controls": "e"},
    "yan": {"items": "nnnnnnnn", "controls": "n"},
}


def fill_study(folder: Path, note: str = HOSTILE) -> Study:
    """Make a study with three questions and the judgements of two participants."""
    study = make_study(folder, questions=[LABEL_QUESTION, SENSE_QUESTION, NOTE_QUESTION])
    labels = write_judgements(study, PEOPLE)
    others = labels.answers.with_columns(question=pl.lit("sense"), answer=pl.lit("yes"))
    notes = labels.answers.with_columns(question=pl.lit("note"), answer=pl.lit(note))
    whole = [labels, *(labels.__class__(study, labels.participants, each) for each in (others, notes))]
    judgements = join_judgements(join_judgements(whole[0], whole[1]), whole[2])
    store = open_store(study)
    store.add_judgements(judgements)
    store.close()
    return study


def make_empty_copy(study: Study, folder: Path) -> Study:
    """Copy the plan of a study, without its judgements."""
    folder.mkdir()
    for name in ("study.json", "items.parquet", "forms.parquet", "secrets.json"):
        (folder / name).write_bytes((study.folder / name).read_bytes())
    from rightreasons.people.study import open_study

    return open_study(folder)


def list_answers(judgements: Judgements) -> list[Any]:
    """List the answers of each participant, without the names of participants."""
    table = judgements.answers.sort("item", "question").group_by("participant", maintain_order=True)
    return sorted(each.select("item", "question", "answer", "seconds").rows() for _, each in table)


@pytest.mark.parametrize(("target", "ending"), [("csv", ".csv"), ("label-studio", ".json")])
def test_round_trip(tmp_path: Path, target: Any, ending: str) -> None:
    study = fill_study(tmp_path / "study")
    out = tmp_path / f"out{ending}"
    export_study(study.folder, target, out)
    copy = make_empty_copy(study, tmp_path / "copy")
    summary = import_judgements(copy.folder, out)
    assert (summary.participants, summary.judgements, summary.added) == (2, 14, 14)
    assert list_answers(load_judgements(copy.folder)) == list_answers(load_judgements(study.folder))
    # A second import adds nothing.
    assert import_judgements(copy.folder, out).added == 0


@pytest.mark.parametrize(("target", "ending"), [("csv", ".csv"), ("label-studio", ".json")])
def test_simulated_participants_stay_simulated(tmp_path: Path, target: Any, ending: str) -> None:
    study = make_study(tmp_path / "study", count=24, per_form=6)
    store = open_store(study)
    store.add_judgements(simulate_judgements(study))
    store.close()
    out = tmp_path / f"out{ending}"
    export_study(study.folder, target, out)
    copy = make_empty_copy(study, tmp_path / "copy")
    import_judgements(copy.folder, out)
    found = load_judgements(copy.folder).participants
    assert found["source"].to_list() == ["simulated"] * study.forms["form"].n_unique()
    # People are never taken for simulated participants.
    people = fill_study(tmp_path / "people")
    export_study(people.folder, target, tmp_path / f"people{ending}")
    other = make_empty_copy(people, tmp_path / "other")
    import_judgements(other.folder, tmp_path / f"people{ending}")
    assert set(load_judgements(other.folder).participants["source"]) == {"import"}


@pytest.mark.parametrize("target", ["csv", "label-studio", "prolific"])
def test_exports_have_no_identifiers_and_no_gold_where_it_is_not_needed(tmp_path: Path, target: Any) -> None:
    study = fill_study(tmp_path / "study")
    names = [*PEOPLE, *load_judgements(study.folder).participants["participant"]]
    files = export_study(study.folder, target, tmp_path / "out.json")
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert not any(name in text for name in names)
        assert "2026" not in text  # no dates
        if target != "csv":
            assert '"control"' not in text
            assert "gold" not in text


def test_formulas_are_harmless_in_csv(tmp_path: Path) -> None:
    study = fill_study(tmp_path / "study")
    export_study(study.folder, "csv", tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert f"'{HOSTILE}" in cells
    assert not any(cell.startswith(("=", "+", "@")) for cell in cells)


def test_labeling_config_names_questions_and_choices(tmp_path: Path) -> None:
    question = {**LABEL_QUESTION, "text": 'Does "it" follow? <b> & more'}
    study = make_study(tmp_path / "study", questions=[question, NOTE_QUESTION])
    export_study(study.folder, "label-studio", tmp_path / "tasks.json")
    root = ET.fromstring((tmp_path / "tasks.xml").read_text(encoding="utf-8"))  # noqa: S314 - our own
    assert [each.get("name") for each in root.iter("Choices")] == ["label"]
    assert [each.get("alias") for each in root.iter("Choice")] == ["entailment", "non-entailment"]
    assert [each.get("name") for each in root.iter("TextArea")] == ["note"]
    assert root.find("Header").get("value") == question["text"]  # type: ignore[union-attr]
    tasks = json.loads((tmp_path / "tasks.json").read_text(encoding="utf-8"))
    assert [task["annotations"] for task in tasks] == [[]] * 9  # a study without judgements has tasks alone


def test_file_of_an_offline_page(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study")
    judged = {"answers": {"label": "entailment"}, "seconds": 3.5, "judged": "2026-01-02T03:04:05.678Z"}
    content = {
        "format": OFFLINE_FORMAT,
        "version": 1,
        "digest": study.digest,
        "participant": "expert",
        "judgements": [{"item": sign_item(study, "item-3"), **judged}],
    }
    path = tmp_path / "expert.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    assert import_judgements(study.folder, path).added == 1
    row = load_judgements(study.folder).answers.row(0, named=True)
    expert = hash_identifier(study.secrets.salt, "expert")
    assert (row["participant"], row["item"], row["answer"]) == (expert, "item-3", "entailment")
    path.write_text(json.dumps({**content, "digest": "0" * 64}), encoding="utf-8")
    with pytest.raises(InputError, match="another plan"):
        import_judgements(study.folder, path)


def test_existing_files_are_not_overwritten(tmp_path: Path) -> None:
    study = fill_study(tmp_path / "study")
    (tmp_path / "tasks.xml").write_text("mine", encoding="utf-8")
    with pytest.raises(OutputError):
        export_study(study.folder, "label-studio", tmp_path / "tasks.json")
    assert not (tmp_path / "tasks.json").exists()
    export_study(study.folder, "label-studio", tmp_path / "tasks.json", force=True)
    assert (tmp_path / "tasks.xml").read_text(encoding="utf-8") != "mine"


def test_identifiers_are_hashed_with_the_salt(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study")
    path = tmp_path / "answers.csv"
    path.write_text(
        'PROLIFIC_PID,id,label\n5f3c,pair-0,e\n5f3c,pair-1,"Yes, it must be true"\n', encoding="utf-8"
    )
    found = read_judgement_file(study, path)
    assert found.participants["participant"].to_list() == [hash_identifier(study.secrets.salt, "5f3c")]
    assert found.answers.select("item", "answer").rows() == [
        ("item-0", "entailment"),
        ("item-1", "entailment"),
    ]
    assert found.participants.select("source", "status", "finished").row(0) == ("import", "started", None)
    other = make_study(tmp_path / "other")
    assert (
        read_judgement_file(other, path).participants["participant"][0]
        != found.participants["participant"][0]
    )


def test_crowd_kit_and_mechanical_turk(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study")
    path = tmp_path / "crowd.tsv"
    path.write_text(
        "task\tworker\tlabel\nitem-0\tw1\tentailment\nitem-1\tw2\tnon-entailment\n", encoding="utf-8"
    )
    found = read_judgement_file(study, path)
    assert found.answers.select("item", "question", "answer").rows() == [
        ("item-0", "label", "entailment"),
        ("item-1", "label", "non-entailment"),
    ]
    several = make_study(tmp_path / "several", questions=[LABEL_QUESTION, SENSE_QUESTION])
    with pytest.raises(InputError, match="sense"):
        read_judgement_file(several, path)
    batch = tmp_path / "Batch_1_results.csv"
    batch.write_text(
        '"HITId","WorkerId","AssignmentStatus","WorkTimeInSeconds","SubmitTime","Input.item_1","Input.item_2",'
        '"Answer.label_1","Answer.label_2","Answer.sense_1","Answer.sense_2"\n'
        '"h","A1","Approved","30","Mon Nov 04 10:00:00 PST 2019","item-0","item-1",'
        '"entailment","non-entailment","yes","no"\n',
        encoding="utf-8",
    )
    turk = read_judgement_file(several, batch)
    assert turk.answers.select("item", "question", "answer", "seconds").sort("item", "question").rows() == [
        ("item-0", "label", "entailment", 15.0),
        ("item-0", "sense", "yes", 15.0),
        ("item-1", "label", "non-entailment", 15.0),
        ("item-1", "sense", "no", 15.0),
    ]
    assert turk.answers["judged"].unique().to_list() == [datetime(2019, 11, 4, 18, tzinfo=UTC)]


def make_task(**changes: Any) -> dict[str, Any]:
    annotation = {
        "completed_by": {"id": 3, "email": "someone@example.org"},
        "lead_time": 4.5,
        "created_at": "2026-01-02T03:04:05.678Z",
        "was_cancelled": False,
        "result": [{"from_name": "label", "type": "choices", "value": {"choices": ["entailment"]}}],
        **changes,
    }
    return {"id": 1, "data": {"item": "item-0"}, "annotations": [annotation]}


def write_tasks(path: Path, *tasks: object) -> Path:
    path.write_text(json.dumps(list(tasks)), encoding="utf-8")
    return path


def test_label_studio(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study")
    cancelled = make_task(was_cancelled=True, completed_by=4)
    found = read_judgement_file(
        study, write_tasks(tmp_path / "a.json", make_task(), cancelled, {"data": {"id": "pair-1"}})
    )
    row = found.answers.row(0, named=True)
    assert (found.answers.height, row["item"], row["seconds"]) == (1, "item-0", 4.5)
    assert row["participant"] == hash_identifier(study.secrets.salt, "3")
    assert (row["judged"].hour, row["judged"].year) == (3, 2026)


@pytest.mark.parametrize(
    ("task", "names"),
    [
        (5, ["task 1"]),
        ({"annotations": []}, ["task 1", "data"]),
        ({"data": {"text": "x"}, "annotations": []}, ["task 1", "item"]),
        (
            make_task(result=[{"from_name": "label", "value": {"choices": ["entailment", "neutral"]}}]),
            ["annotation 1"],
        ),
        (
            make_task(result=[{"from_name": "label", "value": {"choices": ["maybe"]}}]),
            ["annotation 1", "'maybe'"],
        ),
        (
            make_task(result=[{"from_name": "nothing", "value": {"choices": ["entailment"]}}]),
            ["'nothing'", "label"],
        ),
        (make_task(result="x"), ["task 1", "result"]),
        (make_task(result=[{"from_name": "label", "value": {"choices": ["entailment"]}}] * 2), ["already"]),
        (make_task(completed_by=None), ["annotation 1", "participant"]),
        (make_task(lead_time="fast"), ["'fast'"]),
        (make_task(lead_time=-3), ["-3"]),
        (make_task(created_at="yesterday"), ["'yesterday'"]),
        ({**make_task(), "data": {"item": "item-99"}}, ["item-99"]),
    ],
)
def test_wrong_label_studio_files(tmp_path: Path, task: object, names: list[str]) -> None:
    study = make_study(tmp_path / "study")
    path = write_tasks(tmp_path / "tasks.json", task)
    with pytest.raises(InputError) as error:
        import_judgements(study.folder, path)
    assert str(path) in str(error.value)
    assert all(name in str(error.value) for name in names)


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("task,worker,label\nitem-0,w,maybe\n", ["row 1", "'maybe'"]),
        ("task,worker,label\nitem-0,w,e\nitem-0,w,e\n", ["row 2", "row 1"]),
        ("task,worker,label\nitem-0,w,e\nnowhere,w,e\n", ["row 2", "'nowhere'"]),
        ("task,worker,label\nitem-0,,e\n", ["row 1", "participant"]),
        ("participant,item,label,seconds\np,item-0,e,fast\n", ["row 1", "'fast'"]),
        ("participant,item,label,seconds\np,item-0,e,nan\n", ["row 1", "nan"]),
        ("participant,item,other\np,item-0,e\n", ["label"]),
        ("somebody,item,label\np,item-0,e\n", ["prolific_pid"]),
        ("participant,item,label\np,item-0,\n", ["row 1", "label"]),
        ("WorkerId,Input.item,Answer.other\nw,item-0,e\n", ["Answer.label"]),
        ("task,worker,label\n", ["no judgements"]),
        ("[1, 2", ["JSON"]),
        ("[" * 100_000, ["JSON"]),
        ('{"version": 1}', ["JSON"]),
    ],
)
def test_wrong_files(tmp_path: Path, content: str, names: list[str]) -> None:
    study = make_study(tmp_path / "study")
    path = tmp_path / "answers.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as error:
        import_judgements(study.folder, path)
    assert all(name in str(error.value) for name in names)
    # Nothing was added.
    with pytest.raises(InputError, match="no judgements"):
        load_judgements(study.folder)


def test_a_judgement_needs_all_required_questions(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study", questions=[LABEL_QUESTION, SENSE_QUESTION])
    path = tmp_path / "answers.csv"
    path.write_text("participant,item,label\np,item-0,e\np,item-1,e\n", encoding="utf-8")
    with pytest.raises(InputError, match="'sense'"):
        read_judgement_file(study, path)


def test_no_item_gets_more_judgements_than_planned(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study")
    path = tmp_path / "answers.csv"
    path.write_text(
        "participant,item,label\n" + "".join(f"p{i},item-0,e\n" for i in range(3)), encoding="utf-8"
    )
    with pytest.raises(InputError, match="item-0"):
        import_judgements(study.folder, path)


def test_hostile_texts_survive(tmp_path: Path) -> None:
    text = 'a"b,\nc;=1+1\t<script>alert(1)</script>\u202e\x07'
    study = fill_study(tmp_path / "study", note=text)
    export_study(study.folder, "csv", tmp_path / "out.csv")
    copy = make_empty_copy(study, tmp_path / "copy")
    import_judgements(copy.folder, tmp_path / "out.csv")
    assert set(load_judgements(copy.folder).answers.filter(pl.col("question") == "note")["answer"]) == {text}
