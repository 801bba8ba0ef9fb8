"""Answers that are constant, or whose label names may be mixed up, are scored with a warning at the top."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

import rightreasons
from command_line import inside

if TYPE_CHECKING:
    from rightreasons import ChallengeSet

THREE = ("entailment", "neutral", "contradiction")


@pytest.fixture(scope="module")
def hans() -> ChallengeSet:
    return rightreasons.generate("hans", size=10, parses="none")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hans: ChallengeSet) -> None:
    monkeypatch.chdir(tmp_path)
    rightreasons.write_pairs(hans, "two.parquet")
    rightreasons.write_pairs(with_three_labels(hans), "three.parquet")


def with_three_labels(made: ChallengeSet) -> ChallengeSet:
    """Call the non-entailed pairs neutral and contradiction in turn."""
    turn = pl.int_range(pl.len()) % 2
    other = pl.when(turn == 0).then(pl.lit("neutral")).otherwise(pl.lit("contradiction"))
    label = pl.when(pl.col("label") == "entailment").then("label").otherwise(other)
    return rightreasons.ChallengeSet(made.pairs.with_columns(label=label), rightreasons.Card("three"))


def answer(order: tuple[str, ...]) -> None:
    """Write answers that are all right, but for the names of the labels."""
    names = dict(zip(THREE, order, strict=True))
    pairs = rightreasons.read_pairs("three.parquet").pairs
    pairs.select("id", pl.col("label").replace(names)).write_csv("answers.csv")


def warnings(name: str, *more: str) -> list[str]:
    """Score, and hold table and JSON to the same warnings, at the top."""
    code, table, said = inside("score", name, "answers.csv", *more)
    assert code == 0
    code, text, _ = inside("score", name, "answers.csv", "--json", *more)
    assert code == 0
    found: list[str] = json.loads(text)["warnings"]
    lines = table.splitlines()
    assert lines[: len(found)] == [f"Warning: {warning}" for warning in found]
    assert lines[len(found)].startswith("Labels: ")
    assert said.splitlines() == lines[: len(found)]
    return found


@pytest.mark.parametrize("label", [*THREE, "non-entailment"])
@pytest.mark.parametrize("name", ["two.parquet", "three.parquet"])
def test_a_constant_answer_is_warned_of(name: str, label: str) -> None:
    pairs = rightreasons.read_pairs(name).pairs
    pairs.select("id", label=pl.lit(label)).write_csv("answers.csv")
    assert sum("300" in warning for warning in warnings(name)) == 1


def test_a_constant_answer_to_a_set_of_one_label_is_as_it_should_be(hans: ChallengeSet) -> None:
    one = hans.pairs.filter(pl.col("label") == "entailment")
    rightreasons.write_pairs(rightreasons.ChallengeSet(one, hans.card), "one.parquet")
    one.select("id", "label").write_csv("answers.csv")
    assert warnings("one.parquet") == []


@pytest.mark.parametrize("order", list(permutations(THREE)), ids=" ".join)
def test_permuted_answers_are_warned_of_where_it_matters(order: tuple[str, ...]) -> None:
    answer(order)
    mixed_up = ["mixed up" in warning for warning in warnings("three.parquet")]
    assert mixed_up == ([] if order == THREE else [True])
    # Two labels are the same whichever of the other two is which.
    mixed_up = ["mixed up" in warning for warning in warnings("two.parquet", "--by", "heuristic")]
    assert mixed_up == ([] if order[0] == "entailment" else [True])


def test_the_advice_is_the_way_back() -> None:
    answer(("neutral", "contradiction", "entailment"))
    (warning,) = warnings("three.parquet")
    assert "entailment as contradiction, neutral as entailment, contradiction as neutral" in warning
    assert "from 0.0% to 100.0%" in warning


@pytest.mark.parametrize("words", [("--csv",), ("--layout", "hans"), ("--out", "scores.txt")])
def test_outputs_without_a_place_for_warnings_have_them_on_stderr(words: tuple[str, ...]) -> None:
    answer(("neutral", "entailment", "contradiction"))
    code, out, said = inside("score", "two.parquet", "answers.csv", *words)
    assert code == 0
    assert "Warning" not in out
    assert said.startswith("Warning: ")


def test_a_run_begins_with_the_warnings_in_every_form() -> None:
    answer(("neutral", "entailment", "contradiction"))
    code, out, _ = inside("evaluate", "file:answers.csv", "--sets", "two.parquet", "--out", "run")
    assert code == 0
    assert out.startswith("Warning: file:answers.csv on two: Reading")
    page = Path("run/report.md").read_text(encoding="utf-8")
    assert page.index("**Warning.**") < page.index("## two")
    notes = json.loads(Path("run/scores.json").read_text(encoding="utf-8"))["notes"]
    assert notes[0]["warnings"]


@pytest.mark.parametrize("name", ["bert_preds.txt", "decomp_attn_heur_preds.txt"])
def test_honest_answers_to_the_released_set_are_not_warned_of(hans_data: Path, name: str) -> None:
    code, text, said = inside("score", "hans-released", hans_data / name, "--json")
    assert code == 0
    assert json.loads(text)["warnings"] == []
    assert said == ""


def test_answers_without_a_label_are_warned_of_in_scores_and_runs() -> None:
    pairs = rightreasons.read_pairs("two.parquet").pairs
    said = pl.when(pl.int_range(pl.len()) < 12).then(pl.lit("unreadable")).otherwise("label")
    pairs.select("id", label=said, text=pl.lit("well, ...")).write_csv("answers.csv")
    (warning,) = warnings("two.parquet")
    assert warning.startswith("12 of 300 predictions (4.0%)")
    assert "100.0%" in warning.partition(" 288 ")[2]
    code, out, _ = inside("evaluate", "file:answers.csv", "--sets", "two.parquet", "--out", "run")
    assert code == 0
    assert out.startswith(f"Warning: file:answers.csv on two: {warning}")
    kept = pl.read_parquet("run/predictions/two/file-answers.csv.parquet")
    assert kept["label"].value_counts().filter(pl.col("label") == "unreadable")["count"].to_list() == [12]
    assert kept["text"].unique().to_list() == ["well, ..."]
