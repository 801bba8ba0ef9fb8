"""The oracle of the fuzz suite, on files whose score a person can count."""

from __future__ import annotations

import json

import pytest

from fuzz.oracle import judge_predictions

THREE = {"a": "entailment", "b": "neutral", "c": "contradiction"}
TWO = {"a": "entailment", "b": "non-entailment", "c": "non-entailment"}


@pytest.mark.parametrize(
    ("gold", "text", "correct"),
    [
        (THREE, "id,label\na,entailment\nb,neutral\nc,neutral\n", 2),
        (THREE, "id,label\nc,C\nb,n\na,Entails\n", 3),
        (
            THREE,
            "id,label\na,entailment\nb,non-entailment\nc,neutral\n",
            3,
        ),  # merged, since one answer has two labels
        (TWO, "pairID,gold_label\na,contradiction\nb,neutral\nc,not_entailment\n", 2),
        (TWO, "id\tprediction\tlabel\na\tentailment\tx\nb\trefused\tx\nc\tunreadable\tx\n", 1),
        (TWO, "id,p_entailment,p_neutral,p_contradiction\na,.4,.3,.3\nb,.4,.35,.25\nc,0,0,1\n", 2),
    ],
)
def test_good_files_are_counted_by_id(gold: dict[str, str], text: str, correct: int) -> None:
    verdict = judge_predictions(gold, text.encode(), kind="csv")
    assert verdict.invalid == ""
    assert verdict.counts is not None
    assert verdict.counts["all"] == (3, correct)


def test_the_rule_sum_adds_what_is_not_entailment() -> None:
    text = b"id,p_entailment,p_neutral,p_contradiction\na,.4,.3,.3\nb,.4,.35,.25\nc,0,0,1\n"
    verdict = judge_predictions(TWO, text, kind="csv", rule="sum")
    assert verdict.counts is not None
    assert verdict.counts["all"] == (3, 2)
    assert verdict.counts["entailment"] == (1, 0)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("id,label\na,entailment\nb,neutral\n", "ids"),
        ("id,label\na,entailment\nb,neutral\nc,neutral\nc,neutral\n", "twice"),
        ("id,label\na,entailment\nb,neutral\nd,neutral\n", "ids"),
        ("id,label\na,1\nb,neutral\nc,neutral\n", "not a label"),
        ("id,label\na\nb,neutral\nc,neutral\n", "fields"),
        (
            "id,label,p_entailment,p_neutral,p_contradiction\na,neutral,.5,.4,.1\nb,n,0,1,0\nc,n,0,1,0\n",
            "more probable",
        ),
        (
            "id,label,p_entailment,p_neutral,p_contradiction\na,neutral,.5,.6,.1\nb,n,0,1,0\nc,n,0,1,0\n",
            "add up",
        ),
        (
            "id,p_entailment,p_neutral,p_contradiction,label,p_non_entailment\na,.1,.8,.1,n,.1\nb,0,1,0,n,1\nc,0,1,0,n,1\n",
            "contradict each other",
        ),
    ],
)
def test_what_is_wrong_beyond_doubt_is_named(text: str, why: str) -> None:
    assert why in judge_predictions(THREE, text.encode(), kind="csv").invalid


def test_a_key_that_is_there_twice_is_a_contradiction() -> None:
    rows = [json.dumps({"id": name, "label": "neutral"}) for name in "ab"]
    text = "\n".join([*rows, '{"id": "c", "label": "neutral", "label": "entailment"}'])
    assert "twice" in judge_predictions(THREE, text.encode(), kind="jsonl").invalid


def test_what_the_rules_do_not_settle_is_left_open() -> None:
    verdict = judge_predictions(THREE, b"id,label\ra,entailment\rb,neutral\rc,neutral\r", kind="csv")
    assert (verdict.counts, verdict.invalid) == (None, "")
