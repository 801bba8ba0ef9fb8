"""Shares of answers by tags."""

from __future__ import annotations

import polars as pl
import pytest

from rightreasons.core.labels import CONTRADICTION, ENTAILMENT, NEUTRAL, THREE_LABELS, UNREADABLE
from rightreasons.scoring.confusions import WITHOUT_LABEL, compute_prediction_shares
from rightreasons.scoring.intervals import wilson_interval

ANSWERS = pl.DataFrame({"prediction": [NEUTRAL, ENTAILMENT, ENTAILMENT, CONTRADICTION, NEUTRAL, ENTAILMENT]})
TAGS = pl.DataFrame({"subcase": ["b", "b", "a", "a", "a", None], "template": ["x", "y", "x", "x", "y", "z"]})


def test_rows_come_as_the_set_has_them_and_all_pairs_last() -> None:
    table = compute_prediction_shares(ANSWERS, TAGS.select("subcase"), THREE_LABELS)
    assert table["subcase"].to_list() == ["b", "a", None, None]
    assert table["n"].to_list() == [2, 3, 1, 6]
    assert table[ENTAILMENT].to_list() == pytest.approx([0.5, 1 / 3, 1, 0.5])
    assert table.select(pl.sum_horizontal(THREE_LABELS)).to_series().to_list() == pytest.approx([1] * 4)
    low, high = (float(end) for end in wilson_interval(3, 6))
    assert (table[f"{ENTAILMENT}_low"][-1], table[f"{ENTAILMENT}_high"][-1]) == pytest.approx((low, high))


def test_several_tags_and_none() -> None:
    assert compute_prediction_shares(ANSWERS, TAGS, THREE_LABELS)["n"].to_list() == [1, 1, 2, 1, 1, 6]
    whole = compute_prediction_shares(ANSWERS, TAGS.select(), THREE_LABELS)
    assert whole["n"].to_list() == [6]


def test_predictions_without_a_label_have_their_own_column() -> None:
    assert WITHOUT_LABEL not in compute_prediction_shares(ANSWERS, TAGS, THREE_LABELS).columns
    odd = ANSWERS.with_columns(pl.Series("prediction", [UNREADABLE, *ANSWERS["prediction"][1:]]))
    assert compute_prediction_shares(odd, TAGS, THREE_LABELS)[WITHOUT_LABEL][-1] == pytest.approx(1 / 6)


def test_pairs_of_a_group_tell_less() -> None:
    many = pl.concat([ANSWERS] * 50)
    tags = pl.concat([TAGS.select("subcase")] * 50)
    copies = pl.Series(list(range(6)) * 50, dtype=pl.UInt64) + pl.Series([n // 120 * 6 for n in range(300)])
    alone, together = (
        compute_prediction_shares(many, tags, THREE_LABELS),
        compute_prediction_shares(many, tags, THREE_LABELS, copies),
    )
    assert together[ENTAILMENT].equals(alone[ENTAILMENT])
    assert together[f"{ENTAILMENT}_low"][-1] < alone[f"{ENTAILMENT}_low"][-1]
