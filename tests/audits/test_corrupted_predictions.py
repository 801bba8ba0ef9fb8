"""Samples of pairs, and the predictions of a model before and after a corruption."""

from __future__ import annotations

from random import Random  # noqa: TC003 - hypothesis reads the annotation

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rightreasons as rr
from rightreasons.audits.corrupted_predictions import (
    INTACT,
    CorruptedPairs,
    draw_stratified_sample,
    predict_corrupted_pairs,
    refuse_unsuited_model,
)
from rightreasons.core import registry
from rightreasons.core.parts import complete_model

E, N, C = "entailment", "neutral", "contradiction"


@given(
    st.lists(st.sampled_from([E, N, C]), min_size=1, max_size=40),
    st.integers(1, 40),
    st.integers(0, 2),
    st.randoms(use_true_random=False),
)
def test_samples_are_stratified_and_depend_on_ids_alone(
    labels: list[str], size: int, seed: int, chance: Random
) -> None:
    pairs = pl.DataFrame({"id": [f"p{place}" for place in range(len(labels))], "label": labels})
    order = list(range(len(labels)))
    chance.shuffle(order)
    sample, other = (draw_stratified_sample(table, size, seed) for table in (pairs, pairs[order]))
    assert sample.height == min(size, len(labels))
    assert set(sample["id"]) == set(other["id"])
    assert sample["id"].to_list() == [name for name in pairs["id"] if name in set(sample["id"])]
    for label in set(labels):
        expected = labels.count(label) * sample.height / len(labels)
        assert abs((sample["label"] == label).sum() - expected) <= 1


def test_the_remainder_of_equal_labels_is_drawn() -> None:
    """Ten of three times thirty: which label has four does not depend on the order of the pairs."""
    pairs = pl.DataFrame({"id": [f"p{place}" for place in range(90)], "label": [E, N, C] * 30})
    samples = [
        draw_stratified_sample(table, 10, 0) for table in (pairs, pairs.reverse(), pairs.sort("label"))
    ]
    assert len({frozenset(sample["id"]) for sample in samples}) == 1
    largest = {
        draw_stratified_sample(pairs, 10, seed)["label"].value_counts(sort=True)["label"][0]
        for seed in range(30)
    }
    assert largest == {E, N, C}


def make_changed_pairs(before: list[bool], after: list[bool]) -> CorruptedPairs:
    words = {True: E, False: N}
    table = pl.DataFrame(
        {
            "gold": [E] * len(before),
            "prediction": [words[right] for right in after],
            "right": after,
            "prediction_before": [words[right] for right in before],
            "right_before": before,
        }
    )
    return CorruptedPairs("x", table, None)


def test_figures_before_and_after_by_hand() -> None:
    changed = make_changed_pairs([True, True, True, False, False], [True, False, False, False, True])
    assert (changed.accuracy.hits, changed.accuracy.n) == (2, 5)
    assert (changed.accuracy_before.hits, changed.accuracy_before.n) == (3, 5)
    assert (changed.still_correct.hits, changed.still_correct.n) == (1, 3)
    assert (changed.same_prediction.hits, changed.same_prediction.n) == (2, 5)
    assert changed.majority == 1
    change, low, high = changed.compute_change()
    assert change == pytest.approx(-1 / 5)
    assert -1 <= low < change < 0 < high <= 1


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_the_change_is_the_difference_of_both_accuracies(flags: list[tuple[bool, bool]]) -> None:
    before, after = map(list, zip(*flags, strict=True))
    changed, back = make_changed_pairs(before, after), make_changed_pairs(after, before)
    change, low, high = changed.compute_change()
    assert change == pytest.approx((changed.accuracy.share or 0) - (changed.accuracy_before.share or 0))
    assert low <= change <= high
    assert back.compute_change() == (-change, pytest.approx(-high), pytest.approx(-low))


class FirstLetter:
    """A model that predicts entailment if the hypothesis begins with an A."""

    name = "first letter"

    def __init__(self) -> None:
        self.calls: list[int] = []

    def predict(self, pairs: pl.DataFrame) -> pl.DataFrame:
        self.calls.append(pairs.height)
        begins = pl.col("hypothesis").str.starts_with("A")
        return pairs.select("id", label=pl.when(begins).then(pl.lit(E)).otherwise(pl.lit(N)))


def test_predictions_belong_to_their_pairs() -> None:
    rows = [("p0", "A b", E), ("p1", "C d", N), ("p2", "A", E)]
    sample = pl.DataFrame(rows, schema=["premise", "hypothesis", "label"], orient="row").with_columns(
        id=pl.Series(["x", "y", "z"]), premise_parse=pl.lit("(A b)")
    )
    model = FirstLetter()
    names = ("premise-removed", "words-shuffled", "nouns-deleted", "hypothesis-removed")
    predicted = predict_corrupted_pairs(complete_model(model), sample, names, 0)
    assert sum(model.calls) == 5 * 3
    assert predicted.model == "first letter"
    assert predicted.intact.name == INTACT
    assert predicted.intact.table["right"].to_list() == [True, True, True]
    assert predicted.idle == tuple(
        name for name in names if name not in {each.name for each in predicted.changed}
    )
    by_name = {each.name: each.table for each in predicted.changed}
    shuffled = by_name["words-shuffled"]
    assert shuffled.select("id", "hypothesis", "hypothesis_before", "right").rows() == [
        ("x", "b A", "A b", False),
        ("y", "d C", "C d", True),
    ]
    assert by_name["hypothesis-removed"]["prediction"].to_list() == [N, N, N]
    assert by_name["hypothesis-removed"]["prediction_before"].to_list() == [E, N, E]
    assert by_name["premise-removed"]["right"].to_list() == [True, True, True]
    assert "premise_parse" not in shuffled.columns


def test_models_that_look_up_ids_or_parses_are_refused() -> None:
    refuse_unsuited_model(registry.make_model("constant:neutral", {}))
    with pytest.raises(rr.InputError, match="premise_parse"):
        refuse_unsuited_model(registry.make_model("rules:constituent", {}))
