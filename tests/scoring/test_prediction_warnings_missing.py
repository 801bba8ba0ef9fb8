"""Predictions without a label count as wrong, are counted separately, and raise no other warning."""

from __future__ import annotations

import json
import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.core.labels import NO_LABEL, RULES, THREE_LABELS, TWO_LABELS
from rightreasons.scoring.accuracy import must_merge_labels, render_hans_layout, score_predictions

E, N, C, X = "entailment", "neutral", "contradiction", "non-entailment"


def make(gold: list[str], given: list[str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    ids = [f"p{i}" for i in range(len(gold))]
    return pl.DataFrame({"id": ids, "label": gold}), pl.DataFrame({"id": ids, "label": given})


def test_they_are_wrong_and_counted_separately() -> None:
    scores = score_predictions(*make([E, X] * 10, [E, N] * 9 + ["unreadable", "refused"]))
    assert scores.rows["n"].to_list() == [10, 10, 20]
    assert scores.rows["correct"].to_list() == [9, 9, 18]
    assert scores.predicted == {E: 9, X: 9, "unreadable": 1, "refused": 1}
    (warning,) = scores.warnings
    assert warning.count("1 of 20") == warning.count("(5.0%)") == 2
    assert re.search(r"label, and 1 of 20 .*refused.* 18 .* 100\.0%", warning)
    assert json.loads(scores.to_json())["predicted"] == scores.predicted
    assert score_predictions(*make([E, N], [E, C])).predicted == {E: 1, C: 1}


def test_all_unreadable_is_reported_once() -> None:
    (warning,) = score_predictions(*make([E, X] * 5, ["unreadable"] * 10)).warnings
    assert warning.startswith("10 of 10 predictions (100.0%)")
    assert warning.count("%") == 1
    assert "refused" not in warning


def test_constant_predictions_are_found_among_those_with_a_label() -> None:
    scores = score_predictions(*make([E, X] * 5, [E, E, "unreadable", E, E] * 2))
    assert re.match(r"All 8 .*'entailment'", scores.warnings[1])
    one_sided = score_predictions(*make([E, X] * 5, [E, "refused"] * 5))
    assert len(one_sided.warnings) == 1


@pytest.mark.parametrize("rule", RULES)
def test_swapped_names_are_found_and_the_figures_are_for_all_pairs(rule: str) -> None:
    pairs, predictions = make([E, X] * 5, [N, E] * 4 + ["unreadable"] * 2)
    yes = pl.when(pl.col("label") == E).then(0.8).when(pl.col("label") == N).then(0.1)
    predictions = predictions.with_columns(
        p_entailment=yes, p_neutral=0.9 - yes, p_contradiction=pl.when(yes.is_not_null()).then(0.1)
    )
    scores = score_predictions(pairs, predictions, rule=rule)
    assert scores.rows["correct"][-1] == 0
    assert re.search(r"entailment as neutral, neutral as entailment.* 0\.0% .*80\.0%", scores.warnings[-1])


@given(
    st.lists(
        st.tuples(st.sampled_from(TWO_LABELS), st.sampled_from((*THREE_LABELS, *NO_LABEL))),
        min_size=1,
        max_size=30,
    )
)
def test_counts_are_those_of_a_plain_loop(rows: list[tuple[str, str]]) -> None:
    gold, given_ = (list(column) for column in zip(*rows, strict=True))
    scores = score_predictions(*make(gold, given_))
    right = [answer not in NO_LABEL and (true == E) == (answer == E) for true, answer in rows]
    assert scores.rows["correct"][-1] == sum(right)
    assert scores.rows["n"][-1] == len(rows)
    assert {word: scores.predicted.get(word, 0) for word in NO_LABEL} == {
        word: given_.count(word) for word in NO_LABEL
    }
    assert sum(scores.predicted.values()) == len(rows)
    assert any("count as wrong" in text for text in scores.warnings) is any(map(given_.count, NO_LABEL))


def test_they_are_no_reason_to_merge_and_no_label_of_a_merged_set() -> None:
    assert not must_merge_labels(*make([E, N], ["unreadable", "refused"]))
    merged = score_predictions(*make([E, N, C], [E, "unreadable", X]))
    assert merged.rows.select("gold", "n", "correct").rows() == [(E, 1, 1), (X, 2, 1), ("all", 3, 2)]


def test_the_hans_layout_counts_them_as_wrong() -> None:
    pairs, predictions = make([E, X, X, X], [E, "unreadable", "refused", C])
    pairs = pairs.with_columns(heuristic=pl.lit("h"), subcase=pl.lit("s"), template=pl.lit("t"))
    layout = render_hans_layout(pairs, predictions)
    assert re.search(r"non-entailed .*:\nh: 0\.3333333333333333\n", layout)
    assert re.search(r"Subcase .*:\ns: 0\.5\n", layout)
