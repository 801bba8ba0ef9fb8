"""What `evaluate` checks before it runs a model, what it counts by, and how it resumes from stored predictions."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import rightreasons as rr
from command_line import inside, refused
from rightreasons.core import registry
from rightreasons.core.errors import InputError, UnknownNameError

PAIRS = pl.DataFrame(
    {
        "id": [f"p{n}" for n in range(6)],
        "premise": [f"The man number {n} is asleep." for n in range(6)],
        "hypothesis": [f"The man number {n} sleeps." for n in range(6)],
        "label": ["entailment", "non-entailment"] * 3,
        "colour": ["red", "blue", "green"] * 2,
    }
)
WORDS = """
def predict(premises, hypotheses):
    with open("calls.txt", "a") as file:
        file.write(f"{len(premises)}\\n")
    return ["entailment"] * len(premises)
"""


class NeverRun:
    """A model that must not be run."""

    name = "never-run"

    def predict(self, pairs: pl.DataFrame) -> pl.DataFrame:
        pytest.fail(f"run on {pairs.height} pairs")


@pytest.fixture(autouse=True)
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(registry.SETS, "tiny", "tiny_set:Tiny")
    PAIRS.write_csv("plain.csv")
    Path("words_only.py").write_text(WORDS, encoding="utf-8")


def test_the_rule_is_checked_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "rightreasons.evaluation.sets.generate_set", lambda *_, **__: pytest.fail("a set was made")
    )
    with pytest.raises(UnknownNameError, match=r"'sums'.*\bsum\b"):
        rr.evaluate(NeverRun(), sets="tiny", rule="sums", out="run")


@pytest.mark.parametrize(
    ("by", "pattern"),
    [
        ("shade", r"tag .*'shade'.*: colour, heuristic, rank, subcase, template\."),
        ("gold", "'gold'"),
    ],
)
def test_tags_are_checked_before_any_model_is_run(by: str, pattern: str) -> None:
    with pytest.raises(InputError, match=pattern):
        rr.evaluate(NeverRun(), sets=["tiny", "plain.csv"], by=by, out="run", baselines=False)


def test_the_sets_that_have_a_tag_are_counted_by_it() -> None:
    words = ("--sets", "tiny,plain.csv", "--by", "template,colour", "--out", "run")
    code, _, stderr = inside("evaluate", "constant", *words, "--no-baselines")
    assert code == 0, stderr
    assert re.search(r"^Note: tiny: .*\bcolour\b", stderr, re.MULTILINE)
    assert re.search(r"^Note: plain: .*\btemplate\b", stderr, re.MULTILINE)
    scores = pl.read_csv("run/scores.csv")
    assert "template" in set(scores.filter(set="tiny")["by"])
    assert set(scores.filter(set="plain")["by"]) == {"", "colour"}
    assert scores.filter(set="plain", by="colour", gold="all")["n"].to_list() == [2, 2, 2]
    assert "green" in Path("run/report.md").read_text(encoding="utf-8")


def test_missing_probabilities_are_refused_after_the_first_set() -> None:
    PAIRS.write_csv("second.csv")
    words = ("evaluate", "python:words_only:predict", "--sets", "plain.csv,second.csv", "--no-baselines")
    code, _, stderr = inside(*words, "--rule", "sum", "--out", "run")
    assert code == 2
    assert re.search(r"words_only:predict on plain: .*'sum'.* run\.unfinished\b.*--rule argmax", stderr)

    assert not Path("run").exists()
    calls = Path("calls.txt").read_text(encoding="utf-8").split()
    assert calls.count("6") == 1  # the model was run on one of two sets
    code, out, stderr = inside(*words, "--rule", "argmax", "--out", "run")
    assert code == 0, stderr
    assert re.search(r"\brun, with 6 predictions .*run/report\.html", out)
    assert Path("calls.txt").read_text(encoding="utf-8").split().count("6") == 2


def test_an_uninterrupted_run_reports_no_earlier_predictions() -> None:
    out = inside("evaluate", "python:words_only:predict", "--sets", "plain.csv", "--out", "run")[1]
    assert re.search(r" run\. .*run/report\.html\.$", out.rstrip().splitlines()[-1])


FLAGS = ("evaluate", "toy", "--sets", "tiny", "--out", "run")


@pytest.mark.parametrize(
    "words",
    [
        ("-o", "batch_size=16"),
        ("-o", "batch-size=16"),
        ("-o", "batch_size=16", "--batch-size", "16"),
    ],
)
def test_a_flag_can_be_passed_as_an_option(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.MODELS, "toy", "toy_model:Toy")
    assert inside(*FLAGS, *words)[0] == 0
    card: dict[str, Any] = json.loads(Path("run/card.json").read_text(encoding="utf-8"))
    assert card["models"][0]["options"] == {"batch_size": 16}
    assert inside("predict", "toy", "tiny", "--out", "a.csv", *words)[0] == 0


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("-o", "batch_size=16", "--batch-size", "8"), "--batch-size is 8, and -o batch_size is 16."),
        (("-o", "batch_size=0"), "'--batch-size': 0 "),
        (("-o", "max_cost=much"), "'--max-cost': 'much'"),
        (("-o", "device=cpu"), "--device"),
        (("-o", "max_requests=5"), "--max-requests"),
        (("-o", "limit=5"), "--limit"),
    ],
)
def test_a_flag_passed_as_an_option_is_checked_like_a_flag(
    words: tuple[str, ...], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(registry.MODELS, "toy", "toy_model:Toy")
    assert expected in refused(inside, *FLAGS, *words)


def test_names_are_not_wrapped_in_a_pipe() -> None:
    names = [f"{'-'.join(['network'] * 12)}-{n}" for n in range(3)]
    table = pl.DataFrame({"id": ["a"], "premise": ["P."], "hypothesis": ["H."], "label": ["neutral"]})
    table.write_csv("-".join(["pairs"] * 12) + ".csv")
    for name in names:
        table.select("id", "label").write_csv(f"{name}.csv")
    models = [f"file:{name}.csv" for name in names]
    code, out, stderr = inside(
        "evaluate", *models, "--sets", "-".join(["pairs"] * 12) + ".csv", "--out", "run"
    )
    assert code == 0, stderr
    for name in names:
        assert any(line.split().count(f"{name}.csv") for line in out.splitlines()), name
    code, out, _ = inside("compare", "run")
    assert code == 0
    for name in models[:2]:
        assert any(name in line for line in out.splitlines()), name
