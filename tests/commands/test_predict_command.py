"""What `predict` finds out before it asks, and pairs that have no labels."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from command_line import inside, refused
from rightreasons.core import registry


@pytest.fixture(autouse=True)
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(registry.SETS, "tiny", "tiny_set:Tiny")
    monkeypatch.setitem(registry.MODELS, "toy", "toy_model:Toy")


@pytest.mark.parametrize(
    ("out", "says"),
    [("x.xyz", "'.xyz' of x.xyz"), ("noext", "noext has no extension")],
)
def test_the_ending_is_checked_before_anything_is_asked(
    out: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[pl.DataFrame] = []
    monkeypatch.setattr("toy_model.Toy.predict", lambda _, pairs: asked.append(pairs))
    assert says in refused(inside, "predict", "toy", "tiny", "--out", out)
    assert not asked


def test_the_help_says_how_large_a_named_set_is() -> None:
    told = " ".join(inside("predict", "--help")[1].split())
    assert "default size (30,000 pairs for hans)" in told


TEXTS = pl.DataFrame(
    {"id": ["a", "b"], "premise": ["A man sleeps.", "A dog ran."], "hypothesis": ["He rests.", "It ran."]}
)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("labels", [None, ["-", ""], [None, None]])
def test_pairs_without_any_label_are_answered(ending: str, labels: list[str | None] | None) -> None:
    table = TEXTS if labels is None else TEXTS.with_columns(gold_label=pl.Series(labels, dtype=pl.String))
    writers = {"csv": table.write_csv, "jsonl": table.write_ndjson, "parquet": table.write_parquet}
    writers[ending](f"pairs.{ending}")
    code, _, said = inside("predict", "toy", f"pairs.{ending}", "--out", "answers.csv")
    assert code == 0, said
    assert "Note: No pair has a gold label" in said
    assert "Wrote 2 predictions to answers.csv." in said
    assert pl.read_csv("answers.csv").rows() == [("a", "entailment"), ("b", "entailment")]


def test_pairs_of_which_some_have_a_label_are_those_that_score_will_have() -> None:
    TEXTS.with_columns(label=pl.Series(["neutral", "-"])).write_csv("pairs.csv")
    code, _, said = inside("predict", "toy", "pairs.csv", "--out", "answers.csv")
    assert code == 0, said
    assert "1 of 2 pairs have no gold label and were left out" in said
    assert "Wrote 1 prediction to answers.csv." in said
    assert inside("score", "pairs.csv", "answers.csv")[0] == 0


def test_score_and_evaluate_want_labels() -> None:
    TEXTS.write_csv("pairs.csv")
    Path("answers.csv").write_text("id,label\na,neutral\nb,neutral\n", encoding="utf-8")
    for words in (
        ("score", "pairs.csv", "answers.csv"),
        ("evaluate", "toy", "--sets", "pairs.csv", "--out", "run"),
    ):
        said = refused(inside, *words)
        assert "pairs.csv, line 1: the header has no label among id, premise, hypothesis" in said
        assert "only predict needs no labels" in said


def test_a_named_set_may_be_limited_and_a_file_may_not() -> None:
    assert inside("predict", "constant", "hans", "--limit", 60, "--out", "answers.csv")[0] == 0
    inside("generate", "hans", "--limit", 60, "--out", "set.csv")
    assert pl.read_csv("answers.csv")["id"].to_list() == pl.read_csv("set.csv")["id"].to_list()
    assert "'set.csv' is a file of pairs, taken whole. Leave out --limit." in refused(
        inside, "predict", "constant", "set.csv", "--limit", 60, "--out", "other.csv"
    )
