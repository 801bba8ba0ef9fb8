"""Who is right where, and the errors that two models have in common."""

from __future__ import annotations

import polars as pl

from rightreasons.scoring.families import count_common_errors, name_correct_models

E, N, C = "entailment", "neutral", "contradiction"


def test_outcomes_name_those_who_are_right() -> None:
    right = {"a": [True, True, False, False], "b": [True, False, True, False]}
    two = name_correct_models({name: pl.Series(each) for name, each in right.items()})
    assert two.to_list() == ["all right", "only a", "only b", "all wrong"]
    three = name_correct_models(
        {**{name: pl.Series(each) for name, each in right.items()}, "c": pl.Series([True] * 4)}
    )
    assert three.to_list() == ["all right", "only a, c", "only b, c", "only c"]


def test_common_errors_are_counted_by_gold_label_and_predictions() -> None:
    gold = [N, N, C, C, E, E, N]
    said = {"a": [E, E, E, N, E, C, E], "b": [E, E, E, E, C, C, N]}
    a, b = (
        pl.DataFrame({"gold": gold, "prediction": each}).with_columns(
            right=pl.col("gold") == pl.col("prediction")
        )
        for each in said.values()
    )
    found = count_common_errors(a, b)
    assert found.drop("share").rows() == [(N, E, E, 2), (C, E, E, 1), (C, N, E, 1), (E, C, C, 1)]
    assert found["share"].to_list() == [0.4, 0.2, 0.2, 0.2]


def test_without_common_errors_there_are_no_rows() -> None:
    right = pl.DataFrame({"gold": [E], "prediction": [E], "right": [True]})
    assert count_common_errors(right, right).is_empty()
