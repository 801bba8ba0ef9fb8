from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import polars as pl
import pytest
from made_study import LABEL_QUESTION, SENSE_QUESTION, make_study

from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.people.exclusion import MEASURES, find_excluded, measure_participants, parse_exclusion_rule
from rightreasons.people.judgements import ANSWER_COLUMNS, PARTICIPANT_COLUMNS, Judgements

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 1, 1, tzinfo=UTC)
Answer = tuple[str, str, str, float]  # participant, item, answer, seconds


@pytest.fixture
def study_folder(tmp_path: Path) -> Path:
    return tmp_path / "study"


def make_judgements(
    folder: Path, answers: list[Answer], people: str = "abc", question: str = "label", **changes: object
) -> Judgements:
    """Make judgements on a study with 8 items (odd ones are not entailed) and a control, which is entailed."""
    study = make_study(folder, **changes)
    given = [
        (who, 1, place, item, question, answer, seconds, NOW)
        for place, (who, item, answer, seconds) in enumerate(answers)
    ]
    participants = [(who, "link", "completed", NOW, NOW) for who in people]
    return Judgements(
        study,
        pl.DataFrame(participants, schema=dict(PARTICIPANT_COLUMNS), orient="row"),
        pl.DataFrame(given, schema=dict(ANSWER_COLUMNS), orient="row"),
    )


ANSWERS: list[Answer] = [
    ("a", "item-0", "entailment", 2.0),
    ("a", "item-1", "non-entailment", 4.0),
    ("a", "item-2", "entailment", 9.0),
    ("a", "control-0", "entailment", 1.0),
    ("b", "item-0", "entailment", 1.0),
    ("b", "item-1", "entailment", 1.0),
    ("b", "control-0", "non-entailment", 1.0),
]


def test_measures(study_folder: Path) -> None:
    measured = measure_participants(make_judgements(study_folder, ANSWERS))
    assert measured.columns == ["participant", *MEASURES]
    a, b, c = measured.rows(named=True)
    assert a == {
        "participant": "a",
        "controls_wrong": 0,
        "controls_wrong_share": 0,
        "controls_judged": 1,
        "judged": 3,
        "median_seconds": 3,
        "mean_seconds": 4,
        "minimum_seconds": 1,
        "same_answer_share": pytest.approx(2 / 3),
        "accuracy": 1,
    }
    assert (b["controls_wrong"], b["controls_wrong_share"], b["same_answer_share"], b["accuracy"]) == (
        1,
        1,
        1,
        0.5,
    )
    assert (c["judged"], c["controls_wrong"], c["median_seconds"], c["accuracy"]) == (0, 0, None, None)


@pytest.mark.parametrize(
    ("rule", "excluded"),
    [
        ("controls_wrong > 0", {"b": 1}),
        ("judged < 3", {"b": 2, "c": 0}),
        ("judged <= 3", {"a": 3, "b": 2, "c": 0}),
        ("median_seconds < 1.5", {"b": 1}),  # who judged nothing has no median
        ("same_answer_share > 0.95", {"b": 1}),
        ("accuracy == 1", {"a": 1}),
        ("accuracy != 1", {"b": 0.5}),
        ("mean_seconds>=4", {"a": 4}),
    ],
)
def test_rules(study_folder: Path, rule: str, excluded: dict[str, float]) -> None:
    found = find_excluded(make_judgements(study_folder, ANSWERS), [rule])
    assert dict(found.select("participant", "value").iter_rows()) == excluded
    assert set(found["rule"]) <= {str(parse_exclusion_rule(rule))}


def test_a_participant_has_a_row_for_each_rule_that_holds(study_folder: Path) -> None:
    found = find_excluded(make_judgements(study_folder, ANSWERS), ["controls_wrong > 0", "judged < 3"])
    assert found.rows() == [
        ("b", "controls_wrong > 0", 1.0),
        ("b", "judged < 3", 2.0),
        ("c", "judged < 3", 0.0),
    ]


def test_no_rules_exclude_nobody(study_folder: Path) -> None:
    found = find_excluded(make_judgements(study_folder, ANSWERS), [])
    assert found.height == 0
    assert found.columns == ["participant", "rule", "value"]


def test_of_several_questions_those_with_a_gold_answer_count(study_folder: Path) -> None:
    made = make_judgements(study_folder, ANSWERS, questions=[LABEL_QUESTION, SENSE_QUESTION])
    sense = made.answers.with_columns(question=pl.lit("sense"), answer=pl.lit("no"))
    both = Judgements(made.study, made.participants, pl.concat([made.answers, sense]))
    assert measure_participants(both).equals(measure_participants(made))


def test_a_study_without_gold_answers_has_no_accuracy(study_folder: Path) -> None:
    answers = [("a", "item-0", "yes", 1.0), ("a", "control-0", "no", 1.0)]
    made = make_judgements(study_folder, answers, "a", "sense", questions=[SENSE_QUESTION])
    row = measure_participants(made).row(0, named=True)
    assert (row["controls_wrong"], row["accuracy"], row["same_answer_share"]) == (0, None, 1)


def test_missing_times_are_no_reason_to_exclude(study_folder: Path) -> None:
    made = make_judgements(study_folder, ANSWERS)
    untimed = Judgements(
        made.study, made.participants, made.answers.with_columns(seconds=pl.lit(None, pl.Float64))
    )
    assert find_excluded(untimed, ["median_seconds < 5", "minimum_seconds < 5"]).height == 0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "judged",
        "judged <",
        "judged < x",
        "judged => 3",
        "3 > judged",
        "judged < -1",
        "judged < 3 or accuracy < 1",
    ],
)
def test_other_texts_are_refused_with_an_example(text: str) -> None:
    with pytest.raises(InputError, match="controls_wrong > 0") as raised:
        parse_exclusion_rule(text)
    assert repr(text) in str(raised.value)


def test_an_unknown_measure_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"'judgd'.*judged"):
        parse_exclusion_rule("judgd < 3")
