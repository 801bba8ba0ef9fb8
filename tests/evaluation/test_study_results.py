"""The folder of a study's results: tables, the report, and people as a model beside others."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import polars as pl
import pytest

import rightreasons as rr
from rightreasons.core.errors import InputError, OutputError
from rightreasons.evaluation.study_keep import keep_study_items, select_kept_items
from rightreasons.evaluation.study_results import analyse_judgements
from rightreasons.io.predictions import read_predictions
from rightreasons.people.simulation import simulate_judgements
from rightreasons.people.store import open_store
from rightreasons.people.study import open_study
from rightreasons.reports.exhibits.published_people import describe_people, list_people_rows

sys.path.append(str(Path(__file__).parents[1] / "people"))
from hand_judgements import join_judgements, write_judgements
from made_study import LABEL_QUESTION, NOTE_QUESTION, SENSE_QUESTION, make_study

PEOPLE = {
    "anna": {"items": "enenenen", "controls": "e"},
    "ben": {"items": "eneneeee", "controls": "e"},
    "cleo": {"items": "enennnee", "controls": "e"},
    "dan": {"items": "nenenene", "controls": "n"},
}


def test_folder_of_results(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study", questions=[LABEL_QUESTION, SENSE_QUESTION, NOTE_QUESTION])
    sense = write_judgements(
        study, {"anna": {"items": "yyyyyyyy"}, "ben": {"items": "yyyyxxxx"}}, question="sense"
    )
    note = write_judgements(study, {"ben": {"items": ".....<b>=1+1</b>"[:6]}}, question="note")
    judgements = join_judgements(join_judgements(write_judgements(study, PEOPLE), sense), note)
    out = tmp_path / "out"
    analysed = analyse_judgements(judgements, out=out)
    assert {path.name for path in out.iterdir()} == {
        *("report.html", "report.md", "results.json", "tables", "predictions", "items.parquet"),
        "items.parquet.card.json",
    }
    names = {path.stem for path in (out / "tables").glob("*.parquet")}
    assert {"participants", "excluded", "sensitivity", "agreement", "accuracy-label", "labels-label"} <= names
    assert {
        "disputed-label",
        "items-label",
        "labels-sense",
        "disputed-sense",
        "texts",
        "reliability",
    } <= names
    # The question about sense has no gold answers and no labels.
    assert "accuracy-sense" not in names
    assert {path.name for path in (out / "predictions").iterdir()} == {
        f"{name}.{ending}"
        for name in ("label", "label-dawid-skene", "label-mace")
        for ending in ("csv", "parquet")
    }
    card = json.loads((out / "results.json").read_text(encoding="utf-8"))
    assert card["exclude"] == ["controls_wrong > 0"]
    assert card["study"]["digest"] == study.digest
    assert card["accuracy"]["label"][-1]["accuracy"] == pytest.approx(20 / 24)
    assert [row["n"] for row in card["participants"]] == [3, 1, 4]
    assert analysed.report.warnings == ()
    with pytest.raises(OutputError):
        analyse_judgements(judgements, out=out)
    # The same judgements give the same tables.
    analyse_judgements(judgements, out=tmp_path / "again")
    for path in (out / "tables").glob("*.csv"):
        assert path.read_bytes() == (tmp_path / "again" / "tables" / path.name).read_bytes()


def test_hostile_answers_do_not_reach_the_page(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study", questions=[LABEL_QUESTION, NOTE_QUESTION])
    labels = write_judgements(study, {"a": {"items": "e"}, "b": {"items": "n"}})
    hostile = "</script><script>alert(1)</script>=1+1"
    notes = labels.answers.with_columns(question=pl.lit("note"), answer=pl.lit(hostile))
    judgements = join_judgements(labels, labels.__class__(study, labels.participants, notes))
    analyse_judgements(judgements, out=tmp_path / "out")
    assert "<script>alert(1)" not in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_people_are_a_model(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study")
    analysed = analyse_judgements(write_judgements(study, PEOPLE), out=tmp_path / "out")
    people = read_predictions(tmp_path / "out" / "predictions" / "label.parquet")
    assert people.equals(read_predictions(tmp_path / "out" / "predictions" / "label.csv"))
    items = rr.read_pairs(tmp_path / "out" / "items.parquet")
    # Anna, Ben and Cleo are right on all items by majority but the last two of non-entailment.
    scores = rr.score(items, people).rows
    assert scores.filter(pl.col("gold") == "all")["correct"].to_list() == [7]
    assert analysed.make_set().pairs["id"].to_list() == items.pairs["id"].to_list()
    rr.evaluate(
        [f"file:{tmp_path / 'out' / 'predictions' / 'label.parquet'}", "constant:entailment"],
        sets=[str(tmp_path / "out" / "items.parquet")],
        out=tmp_path / "run",
        baselines=False,
    )
    rows = rr.compare(tmp_path / "run").rows
    row = rows.filter(pl.col("gold") == "all").row(0, named=True)
    assert {row["a"], row["b"]} == {"file:label.parquet", "constant"}
    # People are right on four pairs of non-entailment more, less one of them.
    assert abs(row["difference"]) == pytest.approx(3 / 8)
    assert row["p"] is not None
    board = rr.leaderboard(tmp_path / "run", out=tmp_path / "board")
    assert any("file:label.parquet" in str(exhibit.frame.rows()) for exhibit in board.exhibits)
    # And a study is what a model is compared with: shares of people against themselves.
    store = open_store(study)
    store.add_judgements(write_judgements(study, {name: PEOPLE[name] for name in ("anna", "ben")}))
    store.close()
    against = rr.score_against_people(items, people, tmp_path / "study")
    assert against.comparison.accuracy.value == 1
    assert (against.pairs, against.judgements) == (8, 16)


def test_simulated_participants_are_pointed_out(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study", count=24, per_form=6)
    analysed = analyse_judgements(simulate_judgements(study, mix={"careful": 1.0}))
    assert [str(analysed.results.simulated) in warning for warning in analysed.report.warnings] == [True]
    assert analysed.results.simulated == analysed.results.judgements.whole.participants.height


def test_sets_made_from_simulated_judgements_say_so(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study", count=24, per_form=6)
    simulated = simulate_judgements(study, mix={"careful": 1.0})
    count = str(simulated.participants.height)
    (remark,) = analyse_judgements(simulated).make_set().card.remarks
    assert count in remark
    assert select_kept_items(simulated, "1 of 2 label").kept.card.remarks[1:] == (remark,)
    people = analyse_judgements(write_judgements(study, PEOPLE))
    assert people.make_set().card.remarks == ()


def test_kept_items_are_a_set(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study", judgements=3)
    judgements = write_judgements(study, PEOPLE)
    found = select_kept_items(judgements, "3 of 3 label")
    assert found.kept.pairs["id"].to_list() == [f"pair-{number}" for number in (0, 1, 2, 3, 6)]
    assert (found.judged, found.kept.card.rows) == (8, 5)
    assert "3 of 3 label" in found.kept.card.remarks[0]
    assert not {"kind", "item", "stratum"} & set(found.kept.pairs.columns)
    store = open_store(study)
    store.add_judgements(write_judgements(study, {"a": {"items": "en", "controls": "e"}}))
    store.close()
    with pytest.raises(InputError, match="1 of 3 label = non-entailment and 3 of 3 label"):
        keep_study_items(
            study.folder, "1 of 3 label = non-entailment and 3 of 3 label", out=tmp_path / "kept.csv"
        )
    assert not (tmp_path / "kept.csv").exists()
    keep_study_items(study.folder, "1 of 3 label", out=tmp_path / "kept.csv")
    assert rr.read_pairs(tmp_path / "kept.csv").pairs["id"].to_list() == ["pair-0", "pair-1"]


def test_published_figures_of_people() -> None:
    rows = list_people_rows(["hans-released"])
    assert rows.filter(pl.col("gold") == "")["value"].to_list() == [0.76, 0.97]
    assert dict(rows.filter(pl.col("gold") != "").select("gold", "value").rows()) == {
        "entailment": 0.75,
        "non-entailment": 0.77,
    }
    names = ("antonymy", "numerical", "word-overlap", "length-mismatch")
    stress = [list_people_rows([f"stress/{name}"]) for name in names]
    label = [table.filter(pl.col("figure") == "majority: label")["value"].item() for table in stress]
    assert label == [0.86, 0.91, 0.91, 0.85]
    pairs = list_people_rows(["random-pair"])
    assert pairs.group_by("split").agg(pl.col("value").sum().round(9))["value"].to_list() == [1] * 4
    assert list_people_rows(["nps"])["value"].to_list() == [88 / 200]
    notes = describe_people("hans")
    assert len(notes) == 2
    assert all(share in notes[0] for share in ("76%", "75%", "77%"))
    assert describe_people("items") == ()


@pytest.mark.slow
def test_hans_study_beside_the_embedded_model(tmp_path: Path) -> None:
    """Plan the study of HANS with one pair of each category, simulate it, and compare people with the model."""
    rr.plan_study("hans-released", protocol="hans", out=tmp_path / "study", each=1, items_per_participant=19)
    study = open_study(tmp_path / "study")
    store = open_store(study)
    store.add_judgements(simulate_judgements(study, mix={"careful": 1.0}, seed=3))
    store.close()
    analysed = rr.analyse_study(tmp_path / "study", out=tmp_path / "out")
    published = next(each for each in analysed.report.exhibits if each.key == "published-people").frame
    assert published["published"].to_list()[:3] == [0.76, 0.75, 0.77]
    assert (published["ours_low"] <= published["ours"]).all()
    people = f"file:{tmp_path / 'out' / 'predictions' / 'label.parquet'}"
    rr.evaluate(
        [people, "default"],
        sets=[str(tmp_path / "out" / "items.parquet")],
        out=tmp_path / "run",
        baselines=False,
    )
    found = rr.compare(tmp_path / "run")
    names = {str(model) for row in found.rows.select("a", "b").rows() for model in row}
    assert names == {"file:label.parquet", "default"}


def test_the_password_of_a_database_is_not_published(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study", questions=[LABEL_QUESTION])
    store = open_store(study)
    store.add_judgements(write_judgements(study, {name: PEOPLE[name] for name in ("anna", "ben")}))
    store.close()
    out = tmp_path / "out"
    command = "rightreasons study results study --database postgresql+psycopg://me:s3cret@db.example/study"
    rr.analyse_study(study.folder, out=out, command=command)
    files = [path for path in out.rglob("*") if path.is_file()]
    assert "postgresql+psycopg://me:***@db.example/study" in (out / "results.json").read_text(
        encoding="utf-8"
    )
    assert not [path.name for path in files if b"s3cret" in path.read_bytes()]
