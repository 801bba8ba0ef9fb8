"""What `evaluate` finds out before it asks, what it counts by, and what it says of answers that were kept."""

from __future__ import annotations

import json
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
def say(premises, hypotheses):
    with open("calls.txt", "a") as file:
        file.write(f"{len(premises)}\\n")
    return ["entailment"] * len(premises)
"""


class Unasked:
    """A model that must not be asked."""

    name = "unasked"

    def predict(self, pairs: pl.DataFrame) -> pl.DataFrame:
        pytest.fail(f"asked about {pairs.height} pairs")


@pytest.fixture(autouse=True)
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(registry.SETS, "tiny", "tiny_set:Tiny")
    PAIRS.write_csv("plain.csv")
    Path("words_only.py").write_text(WORDS, encoding="utf-8")


def test_the_rule_is_checked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "rightreasons.evaluation.sets.generate_set", lambda *_, **__: pytest.fail("a set was made")
    )
    with pytest.raises(UnknownNameError, match="Did you mean sum"):
        rr.evaluate(Unasked(), sets="tiny", rule="sums", out="run")


@pytest.mark.parametrize(
    ("by", "says"),
    [
        ("shade", r"no tag called 'shade'. Choose from: colour, heuristic, rank, subcase, template\."),
        ("gold", "can't be counted by 'gold'"),
    ],
)
def test_tags_are_checked_before_anything_is_asked(by: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        rr.evaluate(Unasked(), sets=["tiny", "plain.csv"], by=by, out="run", baselines=False)


def test_the_sets_that_have_a_tag_are_counted_by_it() -> None:
    words = ("--sets", "tiny,plain.csv", "--by", "template,colour", "--out", "run")
    code, _, said = inside("evaluate", "constant", *words, "--no-baselines")
    assert code == 0, said
    assert "Note: tiny: The set has no tag colour," in said
    assert "Note: plain: The set has no tag template," in said
    scores = pl.read_csv("run/scores.csv")
    assert "template" in set(scores.filter(set="tiny")["by"])
    assert set(scores.filter(set="plain")["by"]) == {"", "colour"}
    assert scores.filter(set="plain", by="colour", gold="all")["n"].to_list() == [2, 2, 2]
    assert "green" in Path("run/report.md").read_text(encoding="utf-8")


def test_a_model_without_probabilities_is_found_out_by_its_first_answers() -> None:
    PAIRS.write_csv("second.csv")
    words = ("evaluate", "python:words_only:say", "--sets", "plain.csv,second.csv", "--no-baselines")
    code, _, said = inside(*words, "--rule", "sum", "--out", "run")
    assert code == 2
    assert "words_only:say on plain: The rule 'sum' needs the probabilities" in said
    assert "kept in run.unfinished; the same command with --rule argmax" in said
    assert not Path("run").exists()
    asked = Path("calls.txt").read_text(encoding="utf-8").split()
    assert asked.count("6") == 1  # of two sets, one was asked
    code, out, said = inside(*words, "--rule", "argmax", "--out", "run")
    assert code == 0, said
    assert "Wrote the run to run, with 6 predictions from an unfinished run; read run/report.html." in out
    assert Path("calls.txt").read_text(encoding="utf-8").split().count("6") == 2


def test_a_run_in_one_go_has_no_answers_from_before() -> None:
    out = inside("evaluate", "python:words_only:say", "--sets", "plain.csv", "--out", "run")[1]
    assert out.endswith("Wrote the run to run; read run/report.html.\n")


FLAGS = ("evaluate", "toy", "--sets", "tiny", "--out", "run")


@pytest.mark.parametrize(
    "words",
    [
        ("-o", "batch_size=16"),
        ("-o", "batch-size=16"),
        ("-o", "batch_size=16", "--batch-size", "16"),
    ],
)
def test_a_flag_may_be_written_as_an_option(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.MODELS, "toy", "toy_model:Toy")
    assert inside(*FLAGS, *words)[0] == 0
    card: dict[str, Any] = json.loads(Path("run/card.json").read_text(encoding="utf-8"))
    assert card["models"][0]["options"] == {"batch_size": 16}
    assert inside("predict", "toy", "tiny", "--out", "a.csv", *words)[0] == 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("-o", "batch_size=16", "--batch-size", "8"), "--batch-size is 8, and -o batch_size is 16"),
        (("-o", "batch_size=0"), "Invalid value for '--batch-size': 0 "),
        (("-o", "max_cost=much"), "Invalid value for '--max-cost': 'much'"),
        (("-o", "device=cpu"), "does not accept --device"),
        (("-o", "max_requests=5"), "does not accept --max-requests"),
        (("-o", "limit=5"), "Use --limit"),
    ],
)
def test_a_flag_written_as_an_option_is_held_to_the_same(
    words: tuple[str, ...], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(registry.MODELS, "toy", "toy_model:Toy")
    assert says in refused(inside, *FLAGS, *words)


def test_names_in_a_pipe_are_never_broken() -> None:
    names = [f"{'-'.join(['network'] * 12)}-{n}" for n in range(3)]
    table = pl.DataFrame({"id": ["a"], "premise": ["P."], "hypothesis": ["H."], "label": ["neutral"]})
    table.write_csv("-".join(["pairs"] * 12) + ".csv")
    for name in names:
        table.select("id", "label").write_csv(f"{name}.csv")
    models = [f"file:{name}.csv" for name in names]
    code, out, said = inside("evaluate", *models, "--sets", "-".join(["pairs"] * 12) + ".csv", "--out", "run")
    assert code == 0, said
    for name in names:
        assert any(line.split().count(f"{name}.csv") for line in out.splitlines()), name
    code, out, _ = inside("compare", "run")
    assert code == 0
    for name in models[:2]:
        assert any(name in line for line in out.splitlines()), name
