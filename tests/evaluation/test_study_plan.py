from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import rightreasons as rr
from rightreasons.core.errors import InputError, OutputError
from rightreasons.people.study import open_study


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_study_folder_has_all_that_its_plan_needs() -> None:
    study = rr.plan_study("nps", protocol="nps", out="study", seed=3, command="the command")
    assert sorted(path.name for path in Path("study").iterdir()) == [
        "forms.parquet",
        "items.parquet",
        "secrets.json",
        "study.json",
    ]
    assert (study.card["name"], study.card["seed"], study.card["command"]) == ("nps", 3, "the command")
    assert study.card["set"][0]["set"] == "nps"
    assert study.card["counts"] == {
        "items": 200,
        "controls": 16,
        "strata": 4,
        "judgements": 600,
        "participants": 12,
    }
    again = open_study("study")
    assert again.protocol.exclude == ("controls_wrong > 1",)
    assert again.items.equals(study.items)


def test_a_plan_can_be_repeated_and_a_seed_gives_another() -> None:
    first, again, other = (
        rr.plan_study("nps", protocol="nps", out=f"study-{number}", seed=seed)
        for number, seed in enumerate((0, 0, 1))
    )
    assert first.items.equals(again.items)
    assert first.forms.equals(again.forms)
    assert first.secrets != again.secrets
    assert set(first.items["id"]) != set(other.items["id"])


def test_numbers_can_be_changed_and_are_kept_in_the_card() -> None:
    study = rr.plan_study("nps", protocol="nps", out="study", judgements=2, each=3, items_per_participant=4)
    assert study.card["counts"]["judgements"] == 24
    assert study.card["counts"]["participants"] == 6
    assert open_study("study").protocol.judgements == 2


def test_options_go_to_the_set() -> None:
    study = rr.plan_study("hans", protocol="hans", out="study", each=1, mode="faithful")
    assert study.card["counts"]["strata"] == 114


def test_remarks_are_in_the_card() -> None:
    study = rr.plan_study("stress/numerical", protocol="stress", out="study", name="numbers")
    assert study.card["name"] == "numbers"
    assert any("Participants judge 50 items instead of 100" in remark for remark in study.card["remarks"])


def test_the_pairs_of_an_audit_can_be_judged() -> None:
    rr.audit("pocket", out="audit", audits="heuristics")
    files = sorted(Path("audit/pairs").glob("*.jsonl"))
    study = rr.plan_study(files, protocol="stress", out="study", each=1)
    assert study.items["heuristic"].drop_nulls().len() == len(files)


def test_the_most_certain_predictions_are_judged() -> None:
    rr.evaluate("default", sets="random-pair", limit=60, out="run", html=False)
    study = rr.plan_study(
        "random-pair", protocol="random-pair", out="study", run="run", top_by="p_neutral", top=20, each=8
    )
    predicted = pl.read_parquet(next(Path("run/predictions").rglob("default.parquet")))
    top = predicted.sort("p_neutral", descending=True).head(20)
    assert study.items.height == 8
    assert set(study.items["id"]) < set(top["id"])
    assert set(study.items["top"]) == {"default p_neutral"}
    assert study.card["set"][0]["models"] == ["default"]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"top_by": "p_neutral"}, "--from"),
        ({"models": "default"}, "--from"),
        ({"run": "run"}, "--top-by"),
        ({"run": "run", "top_by": "p_neutral", "mode": "x"}, "'mode'"),
        ({"protocol": "nope"}, "nope"),
        ({"out": "no/study"}, "no"),
    ],
)
def test_what_can_not_be_planned_leaves_nothing_behind(given: dict[str, Any], says: str) -> None:
    with pytest.raises((InputError, OutputError), match=says):
        rr.plan_study("nps", **{"protocol": "nps", "out": "study", **given})
    assert list(Path().iterdir()) == []


def test_a_folder_is_replaced_only_if_forced_and_only_a_study_without_judgements() -> None:
    rr.plan_study("nps", protocol="nps", out="study")
    with pytest.raises(OutputError, match="exists already"):
        rr.plan_study("nps", protocol="nps", out="study")
    rr.plan_study("nps", protocol="nps", out="study", force=True, each=1)
    assert open_study("study").card["counts"]["items"] == 4
    Path("study/study.db").write_bytes(b"judgements")
    before = Path("study/study.json").read_bytes()
    for force in (False, True):
        with pytest.raises(OutputError, match=r"exists already|study\.db"):
            rr.plan_study("nps", protocol="nps", out="study", force=force)
    assert Path("study/study.json").read_bytes() == before
    assert Path("study/study.db").read_bytes() == b"judgements"
    Path("mine").mkdir()
    Path("mine/notes.txt").write_text("x", encoding="utf-8")
    with pytest.raises(OutputError, match=r"study\.json"):
        rr.plan_study("nps", protocol="nps", out="mine", force=True)


def test_a_changed_plan_is_refused() -> None:
    study = rr.plan_study("nps", protocol="nps", out="study", each=1)
    study.items.with_columns(label=pl.lit("entailment")).write_parquet("study/items.parquet")
    with pytest.raises(InputError, match=r"items\.parquet .*changed"):
        open_study("study")


def test_the_card_is_readable_json() -> None:
    rr.plan_study("nps", protocol="nps", out="study", each=1)
    card = json.loads(Path("study/study.json").read_text(encoding="utf-8"))
    assert card["protocol"]["content"]["exclude"] == ["controls_wrong > 1"]
    assert set(card["files"]) == {"items.parquet", "forms.parquet"}
