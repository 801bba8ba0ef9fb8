"""What `predict` checks before it runs a model, and pairs without labels."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

import rightreasons as rr
from command_line import inside, refused
from rightreasons.core import registry


@pytest.fixture(autouse=True)
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(registry.SETS, "tiny", "tiny_set:Tiny")
    monkeypatch.setitem(registry.MODELS, "toy", "toy_model:Toy")


@pytest.mark.parametrize(
    ("out", "path"),
    [("x.xyz", "x.xyz"), ("noext", "noext")],
)
def test_the_extension_is_checked_before_the_model_is_run(
    out: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[pl.DataFrame] = []
    monkeypatch.setattr("toy_model.Toy.predict", lambda _, pairs: calls.append(pairs))
    assert path in refused(inside, "predict", "toy", "tiny", "--out", out)
    assert not calls


def test_the_help_gives_the_size_of_a_named_set() -> None:
    (size,) = re.findall(r"([\d,]+) pairs for hans", " ".join(inside("predict", "--help")[1].split()))
    assert size == f"{len(rr.plan('hans')):,}"


TEXTS = pl.DataFrame(
    {"id": ["a", "b"], "premise": ["A man sleeps.", "A dog ran."], "hypothesis": ["He rests.", "It ran."]}
)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("labels", [None, ["-", ""], [None, None]])
def test_pairs_without_labels_are_predicted(ending: str, labels: list[str | None] | None) -> None:
    table = TEXTS if labels is None else TEXTS.with_columns(gold_label=pl.Series(labels, dtype=pl.String))
    writers = {"csv": table.write_csv, "jsonl": table.write_ndjson, "parquet": table.write_parquet}
    writers[ending](f"pairs.{ending}")
    code, _, stderr = inside("predict", "toy", f"pairs.{ending}", "--out", "answers.csv")
    assert code == 0, stderr
    assert re.search(r"^Note: .*\bgold label", stderr, re.MULTILINE)
    assert "2 predictions to answers.csv" in stderr
    assert pl.read_csv("answers.csv").rows() == [("a", "entailment"), ("b", "entailment")]


def test_pairs_without_labels_are_skipped_as_in_score() -> None:
    TEXTS.with_columns(label=pl.Series(["neutral", "-"])).write_csv("pairs.csv")
    code, _, stderr = inside("predict", "toy", "pairs.csv", "--out", "answers.csv")
    assert code == 0, stderr
    assert re.search("^Note: .*1 of 2 pairs", stderr, re.MULTILINE)
    assert "1 prediction to answers.csv" in stderr
    assert inside("score", "pairs.csv", "answers.csv")[0] == 0


def test_score_and_evaluate_require_labels() -> None:
    TEXTS.write_csv("pairs.csv")
    Path("answers.csv").write_text("id,label\na,neutral\nb,neutral\n", encoding="utf-8")
    for words in (
        ("score", "pairs.csv", "answers.csv"),
        ("evaluate", "toy", "--sets", "pairs.csv", "--out", "run"),
    ):
        assert re.search(
            r"pairs\.csv, line 1: .* id, premise, hypothesis\b.* predict ", refused(inside, *words)
        )


def test_limit_works_for_named_sets_only() -> None:
    assert inside("predict", "constant", "hans", "--limit", 60, "--out", "answers.csv")[0] == 0
    inside("generate", "hans", "--limit", 60, "--out", "set.csv")
    assert pl.read_csv("answers.csv")["id"].to_list() == pl.read_csv("set.csv")["id"].to_list()
    message = refused(inside, "predict", "constant", "set.csv", "--limit", 60, "--out", "other.csv")
    assert re.search(r"'set\.csv'.*--limit", message)
