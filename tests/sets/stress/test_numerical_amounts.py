"""Labels by arithmetic on amounts, compared with what a search through numbers says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.sets.stress.numerical_amounts import (
    INFINITY,
    Amount,
    are_amounts_disjoint,
    is_amount_within,
    label_amounts,
    label_texts_by_amount,
    read_amount,
)

VALUES = st.integers(-3, 3)
AMOUNTS = st.one_of(
    VALUES.map(lambda value: Amount(value, value)),
    VALUES.map(lambda value: Amount(value, INFINITY)),
    VALUES.map(lambda value: Amount(-INFINITY, value)),
    st.tuples(VALUES, VALUES).filter(lambda ends: ends[0] < ends[1]).map(lambda ends: Amount(*ends)),
)
# Halves and what lies beyond all bounds show every way in which two of these amounts can lie to each other.
POINTS = [half / 2 for half in range(-20, 21)]


def members(amount: Amount) -> set[float]:
    if amount.is_exact:
        return {amount.low}
    return {point for point in POINTS if amount.low < point < amount.high}


@given(AMOUNTS, AMOUNTS)
def test_labels_are_those_of_the_sets_of_numbers(premise: Amount, hypothesis: Amount) -> None:
    mine, yours = members(premise), members(hypothesis)
    assert is_amount_within(premise, hypothesis) == (mine <= yours)
    assert are_amounts_disjoint(premise, hypothesis) == mine.isdisjoint(yours)
    expected = "entailment" if mine <= yours else "contradiction" if mine.isdisjoint(yours) else "neutral"
    assert label_amounts(premise, hypothesis) == expected


@pytest.mark.parametrize(
    ("premise", "hypothesis", "label"),
    [
        ("12", "more than 5", "entailment"),
        ("twelve", "Less than 12.5", "entailment"),
        ("more than $20", "more than $ 5", "entailment"),
        ("12", "12.0", "entailment"),
        ("12", "more than 12", "contradiction"),
        ("12", "13", "contradiction"),
        ("2 million", "fewer than 1,999,999", "contradiction"),
        ("less than 5", "more than 5", "contradiction"),
        ("more than 5", "12", "neutral"),
        ("less than 20%", "12%", "neutral"),
        ("more than 5", "less than 12", "neutral"),
    ],
)
def test_amounts_are_read_from_texts(premise: str, hypothesis: str, label: str) -> None:
    assert label_texts_by_amount(f"Of {premise} cats", f"Of {hypothesis} cats", 3) == label


def test_a_place_without_an_amount_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"\b3\b"):
        read_amount("Of more than cats", 3)
