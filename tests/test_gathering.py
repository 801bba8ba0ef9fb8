"""Runs side by side: equal sets meet, models are told apart, and what is missing or changed is refused."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import polars as pl
import pytest

import rightreasons as rr
from rightreasons import registry
from rightreasons.errors import InputError, UnknownNameError
from rightreasons.gathering import gather
from rightreasons.seals import SEAL

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.SETS, "tiny", "tiny_set:Tiny")


def run(folder: Path, *models: str, **options: object) -> Path:
    rr.evaluate(list(models), out=folder, sets="tiny", html=False, **{"size": 10, "seed": 2, **options})
    return folder


def test_answers_stand_beside_their_pairs(tmp_path: Path) -> None:
    results = gather([run(tmp_path / "a", "random")]).results("tiny")
    stored = pl.read_parquet(tmp_path / "a" / "answers" / "tiny" / "random.parquet")
    found = results.answers["random"]
    assert found["answer"].to_list() == stored["label"].to_list()
    assert found["gold"].to_list() == results.pairs["label"].to_list()
    assert found["right"].to_list() == (found["gold"] == found["answer"]).to_list()
    assert results.asked == ["random"]
    assert "majority" in results.answers


def test_equal_sets_of_two_runs_meet(tmp_path: Path) -> None:
    folders = [run(tmp_path / "a", "random"), run(tmp_path / "b", "rules:subsequence")]
    gathered = gather(folders)
    assert gathered.names == ["tiny"]
    assert gathered.results("tiny").asked == ["random", "rules:subsequence"]


def test_sets_of_one_name_that_were_made_otherwise_stay_apart(tmp_path: Path) -> None:
    folders = [run(tmp_path / "a", "random"), run(tmp_path / "b", "rules:subsequence", seed=3)]
    gathered = gather(folders)
    assert gathered.names == ["tiny (a)", "tiny (b)"]
    assert gathered.results("tiny (a)").asked == ["random"]
    assert gathered.results("tiny (b)").asked == ["rules:subsequence"]


def test_models_of_one_name_are_told_apart_by_their_run(tmp_path: Path) -> None:
    folders = [run(tmp_path / "a", "random"), run(tmp_path / "b", "random", **{"random.seed": 9})]
    results = gather(folders).results("tiny")
    assert results.asked == ["random (a)", "random (b)"]
    assert not results.answers["random (a)"].equals(results.answers["random (b)"])


def test_models_may_be_shown_by_other_names(tmp_path: Path) -> None:
    folder = run(tmp_path / "a", "random", "rules:subsequence")
    assert gather([folder], {"random": "chance"}).results("tiny").asked == ["chance", "rules:subsequence"]
    with pytest.raises(UnknownNameError, match="randon"):
        gather([folder], {"randon": "chance"})
    with pytest.raises(InputError, match="Two models would be called"):
        gather([folder], {"random": "rules:subsequence"})


def test_a_run_is_given_once(tmp_path: Path) -> None:
    folder = run(tmp_path / "a", "random")
    with pytest.raises(InputError, match="given twice"):
        gather([folder, folder / ".." / "a"])


def test_an_unfinished_run_says_what_is_missing(tmp_path: Path) -> None:
    journal = tmp_path / "a.unfinished" / "tiny" / "slow" / "0123456789abcdef"
    journal.mkdir(parents=True)
    (journal / "plan.json").write_text(json.dumps({"key": {}, "batches": [[0, 1], [2]], "refused": []}))
    with pytest.raises(InputError) as caught:
        gather([tmp_path / "a"])
    assert str(caught.value) == (
        f"The run {str(tmp_path / 'a')!r} is unfinished: slow on tiny has 0 of 3 answers. "
        "Give the same evaluate command again to finish it."
    )


@pytest.mark.parametrize(
    "name", ["card.json", "scores.json", "answers/tiny/random.parquet", "sets/tiny.parquet"]
)
def test_a_file_that_was_changed_or_is_missing_is_named(tmp_path: Path, name: str) -> None:
    folder = run(tmp_path / "a", "random")
    file = folder / name
    whole = file.read_bytes()
    file.write_bytes(whole.replace(b"random", b"oracle", 1) if name == "card.json" else whole + b" ")
    with pytest.raises(InputError, match=f"The file {name} of the run .* was changed"):
        gather([folder])
    file.unlink()
    with pytest.raises(InputError, match=r"lacks|There is no"):
        gather([folder])


def test_pages_may_be_changed(tmp_path: Path) -> None:
    folder = run(tmp_path / "a", "random")
    (folder / "report.md").write_text("mine")
    assert gather([folder]).names == ["tiny"]


def test_a_run_of_an_older_version_has_no_seal(tmp_path: Path) -> None:
    folder = run(tmp_path / "a", "random")
    (folder / SEAL).unlink()
    assert gather([folder]).names == ["tiny"]
    shutil.rmtree(folder / "answers")
    with pytest.raises(InputError, match="lacks the answers"):
        gather([folder]).results("tiny")


@pytest.mark.parametrize("text", ["[]", "{", '{"a": 1}'])
def test_a_seal_that_is_none(tmp_path: Path, text: str) -> None:
    folder = run(tmp_path / "a", "random")
    (folder / SEAL).write_text(text)
    with pytest.raises(InputError, match=r"seal|lacks a"):
        gather([folder])
