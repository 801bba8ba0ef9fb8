"""Samples of what a corpus gives: level over subcases and labels, the same for a seed whatever the order."""

from __future__ import annotations

import re
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.core.errors import InputError, TooFewPairsError
from rightreasons.sets.corpus_set import SampleRequest, TablePlan, plan_corpus_set


class Toy:
    """A set in name only."""

    name = "toy"
    version = 1
    labels = ("entailment", "neutral")
    short = "refuse"


def table(*cells: tuple[str, str, int]) -> pl.DataFrame:
    """Make so many rows of each subcase and label."""
    rows = [(subcase, label) for subcase, label, count in cells for _ in range(count)]
    frame = pl.DataFrame(rows, schema=["subcase", "label"], orient="row")
    return frame.with_columns(pl.format("toy-{}", pl.int_range(pl.len())).alias("id"))


def planned(rows: pl.DataFrame, part: Any = Toy, **chosen: Any) -> TablePlan:
    sizes = {"size": None, "limit": None, "seed": 0, "split": "eval", **chosen}
    return plan_corpus_set(part, rows, SampleRequest(**sizes), options={}, sources={})


BALANCED = table(("a", "entailment", 30), ("a", "neutral", 30), ("b", "entailment", 30), ("b", "neutral", 30))


def test_all_rows_in_their_order_unless_told() -> None:
    assert planned(BALANCED).rows(0, 1000).equals(BALANCED)


@pytest.mark.parametrize("limit", [1, 2, 7, 60, 119])
def test_a_limit_is_level_over_subcases_and_labels(limit: int) -> None:
    rows = planned(BALANCED, limit=limit).rows(0, limit)
    assert rows.height == limit
    counts = rows.group_by("subcase", "label").len()["len"]
    assert counts.max() - (counts.min() if counts.len() == 4 else 0) <= 1


@pytest.mark.parametrize("size", [1, 2, 9, 60])
def test_a_size_is_that_of_each_subcase_with_labels_level(size: int) -> None:
    rows = planned(BALANCED, size=size).rows(0, 1000)
    assert rows["subcase"].value_counts().sort("subcase").rows() == [("a", size), ("b", size)]
    labels = rows.group_by("subcase", "label").len()["len"]
    assert labels.max() - (labels.min() if labels.len() == 4 else 0) <= 1


def test_the_card_names_the_labels_that_the_rows_have() -> None:
    two = table(("a", "non-entailment", 3), ("a", "entailment", 3))
    assert planned(two).card.labels == ("entailment", "non-entailment")
    assert planned(BALANCED).card.labels == ("entailment", "neutral")


def test_size_and_limit_together() -> None:
    rows = planned(BALANCED, size=10, limit=15).rows(0, 1000)
    assert rows.height == 15
    assert rows["subcase"].value_counts()["count"].to_list() in ([7, 8], [8, 7])


@given(st.permutations(range(20)), st.integers(1, 20), st.integers(0, 3))
def test_the_choice_does_not_depend_on_the_order_of_rows(order: list[int], limit: int, seed: int) -> None:
    rows = BALANCED[:20]
    chosen = planned(rows, limit=limit, seed=seed).rows(0, 99)["id"]
    assert set(planned(rows[order], limit=limit, seed=seed).rows(0, 99)["id"]) == set(chosen)


def test_a_larger_limit_keeps_what_a_smaller_one_had() -> None:
    small, large = (set(planned(BALANCED, limit=n).rows(0, n)["id"]) for n in (13, 40))
    assert small < large


def test_too_large_requests_are_refused_or_reported() -> None:
    with pytest.raises(TooFewPairsError, match=r"\ba .* 60 .* 61 "):
        planned(BALANCED, size=61)
    with pytest.raises(TooFewPairsError, match=r"\b120 .* 500 "):
        planned(BALANCED, limit=500)

    class Lenient(Toy):
        short = "allow"

    plan = planned(BALANCED, Lenient, limit=500)
    assert len(plan) == 120
    assert re.search(r"\b120 .* 500 ", plan.card.remarks[0])


def test_one_pair_is_singular() -> None:
    with pytest.raises(TooFewPairsError, match=r"\b1 pair\b.* 3 "):
        planned(BALANCED.head(1), limit=3)


def test_nothing_at_all_is_an_error_with_its_reasons() -> None:
    with pytest.raises(TooFewPairsError, match=r"\btoy\b.* None of 3 texts has a number\. .*--corpus"):
        plan_corpus_set(
            Toy,  # type: ignore[arg-type]
            BALANCED.clear(),
            SampleRequest(None, None, 0, "eval"),
            options={},
            sources={},
            remarks=["None of 3 texts has a number."],
        )


@pytest.mark.parametrize(("split", "message"), [("train", "--corpus"), ("dev", "'dev'")])
def test_there_is_one_split(split: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        planned(BALANCED, split=split)


@pytest.mark.parametrize("wrong", [{"size": 0}, {"limit": -3}])
def test_sizes_start_at_one(wrong: dict[str, int]) -> None:
    with pytest.raises(InputError, match=r"\b1\b"):
        planned(BALANCED, **wrong)
