"""`rightreasons labels`: the labels of a model's outputs, how they are known, and refusals."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from command_line import inside, refused

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = """
from rightreasons.models.label_probe import read_probe_pairs

KNOWN = {(p, h): label for p, h, label in read_probe_pairs().select("premise", "hypothesis", "label").rows()}
ORDER = ("contradiction", "entailment", "neutral")

def nameless(premises, hypotheses):
    return [[float(KNOWN[pair] == label) for label in ORDER] for pair in zip(premises, hypotheses)]

def misnamed(premises, hypotheses):
    return nameless(premises, hypotheses)

misnamed.labels = ("entailment", "neutral", "contradiction")

def lost(premises, hypotheses):
    return [[0, 1, 2]] * len(premises)

def untrained(premises, hypotheses):
    return lost(premises, hypotheses)

untrained.labels = ORDER

def words(premises, hypotheses):
    return ["neutral"] * len(premises)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    Path("heads_of_mine.py").write_text(SOURCE, encoding="utf-8")
    yield
    sys.modules.pop("heads_of_mine", None)


def test_table_of_mapping_and_accuracies() -> None:
    code, out, err = inside("labels", "python:heads_of_mine:nameless")
    assert (code, err) == (0, "")
    rows = [line.split() for line in out.splitlines()]
    assert rows[1:4] == [
        ["0", "output", "0", "contradiction"],
        ["1", "output", "1", "entailment"],
        ["2", "output", "2", "neutral"],
    ]
    assert "100%  contradiction,entailment,neutral (in use)" in out
    assert "48 unmistakable pairs" in out
    assert "identity 16 of 16, negation 16 of 16, unrelated 16 of 16" in out


def test_json_output() -> None:
    code, out, _ = inside("labels", "python:heads_of_mine:nameless", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["model"] == "python:heads_of_mine:nameless"
    assert found["labels"] == ["contradiction", "entailment", "neutral"]
    assert found["how"] == "probe"
    assert found["evidence"]["pairs"] == 48
    assert len(found["evidence"]["accuracy"]) == 6
    assert found["warnings"] == []


def test_doubtful_names_cause_a_warning_with_both_orders() -> None:
    code, out, err = inside("labels", "python:heads_of_mine:misnamed")
    assert code == 0
    assert err.startswith("Warning: ")
    assert "-o labels=contradiction,entailment,neutral" in err
    assert "0%  entailment,neutral,contradiction (in use)" in out
    assert "100%  contradiction,entailment,neutral\n" in out


def test_unresolved_orders_need_the_option() -> None:
    line = refused(inside, "labels", "python:heads_of_mine:lost")
    assert "48 unmistakable pairs" in line
    assert "90%" in line
    assert "-o labels=contradiction,entailment,neutral" in line
    code, out, _ = inside("labels", "python:heads_of_mine:lost", "-o", "labels=neutral,e,c")
    assert code == 0
    assert "option labels" in out


@pytest.mark.parametrize(
    "model",
    [
        "constant",
        "rules:subsequence",
        "random",
        "http://127.0.0.1:9",
        "openai:some@http://127.0.0.1:9/v1",
        "file:answers.csv",
        "python:heads_of_mine:words",
    ],
)
def test_models_that_return_labels_have_no_mapping(model: str) -> None:
    code, out, err = inside("labels", model)
    assert (code, err) == (0, "")
    assert repr(model) in out
    assert out.count("\n") == 1
    code, out, err = inside("labels", model, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == {"model": model, "labels": None, "how": "words", "evidence": {}, "warnings": []}


def test_accuracy_at_chance_causes_a_warning() -> None:
    code, out, err = inside("labels", "python:heads_of_mine:untrained")
    assert code == 0
    assert "names of" in out
    assert err.startswith("Warning: ")
    for fact in ("'python:heads_of_mine:untrained'", " 33% of 48 ", "(33%)"):
        assert fact in err
    assert err.count("\n") == 1


def test_missing_models_and_wrong_labels_are_refused() -> None:
    assert "'nowhere_at_all'" in refused(inside, "labels", "python:nowhere_at_all:f")
    assert "has 3 outputs" in refused(
        inside, "labels", "python:heads_of_mine:misnamed", "-o", "labels=entailment,non-entailment"
    )
