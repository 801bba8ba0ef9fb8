from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from study_pairs_maker import LABEL, SENSE, draw_pairs, make_pairs, make_protocol

from rightreasons.core.errors import InputError, TooFewPairsError, UnknownNameError
from rightreasons.people.drawn_items import draw_items, number_values
from rightreasons.people.questions import Choice


@given(draw_pairs(), st.integers(0, 2**31), st.randoms())
def test_the_draw_does_not_depend_on_the_order_of_rows(
    pairs: pl.DataFrame, seed: int, random: object
) -> None:
    rows = list(range(pairs.height))
    random.shuffle(rows)  # type: ignore[attr-defined]
    smallest = int(pairs.group_by("type").len()["len"].min() or 0)  # type: ignore[arg-type]
    protocol = make_protocol(per_stratum=smallest)
    drawn, _ = draw_items(pairs, protocol, seed)
    again, _ = draw_items(pairs[rows], protocol, seed)
    assert drawn.equals(again)
    assert set(drawn.group_by("type").len()["len"]) == {smallest}
    assert drawn["id"].n_unique() == drawn.height


def test_all_pairs_are_items_unless_a_number_is_given() -> None:
    drawn, remarks = draw_items(make_pairs(7, kinds=[0, 1, 0, 1, 0, 1, 0]), make_protocol(), 0)
    assert sorted(drawn["id"]) == [f"p{number}" for number in range(7)]
    assert drawn["stratum"].to_list() == ["t0"] * 4 + ["t1"] * 3
    assert remarks == []


def test_a_stratum_is_a_combination_of_columns() -> None:
    pairs = make_pairs(4, kinds=[0, 0, 1, 1])
    drawn, _ = draw_items(pairs, make_protocol(strata=("type", "label")), 0)
    assert set(drawn["stratum"]) == {f"{kind} / {label}" for kind in ("t0", "t1") for label in LABEL.values}


def test_every_pair_is_drawn_equally_often() -> None:
    protocol = make_protocol(per_stratum=3)
    counts = pl.concat([draw_items(make_pairs(12), protocol, seed)[0] for seed in range(400)])[
        "id"
    ].value_counts()
    assert counts.height == 12
    assert counts["count"].min() > 70  # type: ignore[operator]
    assert counts["count"].max() < 130  # type: ignore[operator]


def test_twins_are_drawn_only_if_nothing_else_is_left() -> None:
    pairs = make_pairs(10, groups=[0, 0, 1, 1, 2, 2, None, None, None, None])
    for seed in range(20):
        drawn, _ = draw_items(pairs, make_protocol(per_stratum=7), seed)
        assert drawn["group"].drop_nulls().sort().to_list() == ["g0", "g1", "g2"]
    assert draw_items(pairs, make_protocol(per_stratum=8), 0)[0]["group"].drop_nulls().len() == 4


def test_a_pair_of_several_strata_is_drawn_for_each_and_judged_once() -> None:
    tops = [["a"], ["a", "b"], ["b"], ["a", "b"], ["a"], ["b"]]
    pairs = make_pairs(6).with_columns(top=pl.Series(tops), page=7)
    protocol = make_protocol(strata=("top",), per_stratum=3)
    for seed in range(20):
        drawn, _ = draw_items(pairs, protocol, seed)
        reasons = drawn["top"].str.split("; ").explode()
        assert dict(reasons.value_counts().iter_rows()) == {"a": 3, "b": 3}
        assert drawn["id"].n_unique() == drawn.height
        assert set(drawn["page"]) == {7}
        assert drawn.filter(pl.col("stratum") != pl.col("top").str.split("; ").list.first()).height == 0
    everything, _ = draw_items(pairs, replace(protocol, per_stratum=4), 0)
    assert everything.sort("id")["top"].to_list() == ["a", "a; b", "b", "a; b", "a", "b"]
    assert draw_items(pairs, make_protocol(), 0)[0]["top"].str.contains("b").sum() == 4


def test_a_small_stratum_is_refused() -> None:
    with pytest.raises(TooFewPairsError, match=r"'t1' has 1 pair.* 2 from each"):
        draw_items(make_pairs(3, kinds=[0, 0, 1]), make_protocol(per_stratum=2), 0)


@pytest.mark.parametrize(
    ("column", "advice"), [("category", "hans-released"), ("top", "--top-by"), ("x", "--out|copy")]
)
def test_a_missing_column_is_refused_with_the_way_out(column: str, advice: str) -> None:
    with pytest.raises(InputError, match=advice) as raised:
        draw_items(make_pairs(3), make_protocol(strata=(column,)), 0)
    assert repr(column) in str(raised.value)


def test_repeated_ids_are_refused() -> None:
    pairs = pl.concat([make_pairs(2), make_pairs(1)])
    with pytest.raises(InputError, match="'p0' occurs 2 times"):
        draw_items(pairs, make_protocol(), 0)


def test_pairs_without_a_stratum_are_left_out_with_a_remark() -> None:
    pairs = make_pairs(3).with_columns(type=pl.Series([None, "a", "a"]))
    drawn, remarks = draw_items(pairs, make_protocol(), 0)
    assert sorted(drawn["id"]) == ["p1", "p2"]
    assert remarks == ["1 pair without type can't be drawn."]


def test_three_labels_are_merged_if_two_are_asked_for() -> None:
    pairs = make_pairs(3).with_columns(label=pl.Series(["entailment", "neutral", "contradiction"]))
    drawn, remarks = draw_items(pairs, make_protocol(), 0)
    assert drawn.sort("id")["label"].to_list() == ["entailment", "non-entailment", "non-entailment"]
    assert len(remarks) == 1


def test_two_labels_are_no_answer_to_a_question_for_three() -> None:
    three = tuple(Choice(value, value, value[0]) for value in ("entailment", "neutral", "contradiction"))
    protocol = make_protocol(questions=(replace(LABEL, choices=three),))
    with pytest.raises(InputError, match="'non-entailment' in the column 'label'"):
        draw_items(make_pairs(3), protocol, 0)


def test_pairs_without_gold_labels_can_be_judged() -> None:
    pairs = make_pairs(3).with_columns(label=pl.lit(None, pl.String))
    assert draw_items(pairs, make_protocol(), 0)[0]["label"].null_count() == 3


def test_the_column_of_gold_answers_must_exist() -> None:
    with pytest.raises(UnknownNameError, match="'sense'"):
        draw_items(make_pairs(3), make_protocol(questions=(replace(SENSE, gold="odd"),)), 0)


def test_tags_with_the_names_of_a_study_get_others() -> None:
    pairs = make_pairs(2).with_columns(kind=pl.lit("n-is-a"), position=pl.lit(6), premise_parse=pl.lit("(S)"))
    drawn, _ = draw_items(pairs, make_protocol(strata=("kind",)), 0)
    assert drawn.columns == [
        "id",
        "premise",
        "hypothesis",
        "label",
        "group",
        "type",
        "pair_kind",
        "pair_position",
        "stratum",
    ]
    assert drawn["stratum"].to_list() == ["n-is-a"] * 2


def test_values_are_numbered_and_a_null_is_a_value_of_its_own() -> None:
    numbers = number_values(pl.Series(["b", None, "a", None, "b"])).tolist()
    assert sorted(set(numbers)) == [0, 1, 2, 3]
    assert numbers[0] == numbers[4]
    assert numbers[1] != numbers[3]
