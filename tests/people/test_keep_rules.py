"""Rules that keep items: terms, combinations, and rules that are wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hand_judgements import join_judgements, write_judgements
from made_study import LABEL_QUESTION, SENSE_QUESTION, make_study

from rightreasons.core.errors import InputError
from rightreasons.people.keep_rules import KeepCombination, KeepTerm, parse_keep_rule
from rightreasons.people.question_labels import QuestionLabels

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def labels(tmp_path: Path) -> dict[str, QuestionLabels]:
    """Three judgements of eight items, whose gold labels are e n e n e n e n."""
    study = make_study(tmp_path / "study", judgements=3, questions=[LABEL_QUESTION, SENSE_QUESTION])
    answers = {"a": {"items": "enenenen"}, "b": {"items": "ennnnnnn"}, "c": {"items": "eeee...."}}
    first = write_judgements(study, answers)
    sense = {"a": {"items": "yyyyxxxx"}, "b": {"items": "yxyxyxyx"}, "c": {"items": "yyxx...."}}
    both = join_judgements(first, write_judgements(study, sense, question="sense"))
    return {
        question.name: QuestionLabels.from_judgements(both, question) for question in study.protocol.questions
    }


@pytest.mark.parametrize(
    ("rule", "kept"),
    [
        ("2 of 3 label", [0, 1, 2, 3, 5, 7]),
        ("3 of 3 label", [0]),
        ("2 of 3 sense", [0, 1, 2]),
        ("2 of 3 label and 2 of 3 sense", [0, 1, 2]),
        ("3 OF 3 label OR 3 of 3 sense", [0]),
        ("2 of 3 label = non-entailment", [1, 3, 5, 7]),
        ("2 of 3 sense=no", [3, 5, 7]),
        ("3 of 3 label or 2 of 3 label and 2 of 3 sense = no", [0, 3, 5, 7]),
        ("(3 of 3 label or 2 of 3 label) and 2 of 3 sense = no", [3, 5, 7]),
    ],
)
def test_rules_keep_items(labels: dict[str, QuestionLabels], rule: str, kept: list[int]) -> None:
    assert parse_keep_rule(rule).select(labels, 3).nonzero()[0].tolist() == kept


def test_and_binds_tighter_than_or() -> None:
    term = [KeepTerm(k, 3, "q") for k in (1, 2, 3)]
    assert parse_keep_rule("1 of 3 q or 2 of 3 q and 3 of 3 q") == KeepCombination(
        "or", (term[0], KeepCombination("and", (term[1], term[2])))
    )
    assert parse_keep_rule("2 of 3 q") == term[1]


@pytest.mark.parametrize(
    "rule",
    [
        *("", "label", "2 of label", "two of 3 label", "2 3 label", "4 of 3 label", "0 of 3 label", "2 of 3"),
        *(
            "2 of 3 label and",
            "and 2 of 3 label",
            "(2 of 3 label",
            "2 of 3 label)",
            "2 of 3 label =",
            "2 of 3 label 5",
        ),
        *("2 of 3 label = = x", "² of 3 label", "2 of 3 and"),
    ],
)
def test_rules_that_are_wrong_are_named(rule: str) -> None:
    with pytest.raises(InputError) as error:
        parse_keep_rule(rule)
    assert repr(rule) in str(error.value)


@pytest.mark.parametrize(
    ("rule", "name"),
    [("2 of 3 lable", "lable"), ("2 of 3 label = maybe", "maybe"), ("2 of 5 label", "3 judgements")],
)
def test_rules_that_do_not_fit_the_study(labels: dict[str, QuestionLabels], rule: str, name: str) -> None:
    with pytest.raises(InputError, match=name):
        parse_keep_rule(rule).select(labels, 3)


def test_a_question_without_gold_answers_and_without_yes(tmp_path: Path) -> None:
    easy = {
        "name": "easy",
        "text": "?",
        "choices": [{"value": "low", "text": "a"}, {"value": "high", "text": "b"}],
    }
    study = make_study(tmp_path / "other", judgements=3, questions=[easy])
    asked = QuestionLabels.from_judgements(write_judgements(study, {}), study.protocol.questions[0])
    with pytest.raises(InputError, match="easy = low"):
        parse_keep_rule("2 of 3 easy").select({"easy": asked}, 3)
