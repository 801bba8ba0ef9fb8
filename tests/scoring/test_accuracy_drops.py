"""What changing pairs costs, pair by pair."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from rightreasons.core.errors import InputError
from rightreasons.core.labels import (
    CONTRADICTION,
    ENTAILMENT,
    NEUTRAL,
    NON_ENTAILMENT,
    THREE_LABELS,
    merge_labels,
)
from rightreasons.scoring.accuracy_drops import find_source_matches, join_with_sources, measure_accuracy_drop


def before(right: list[bool]) -> pl.DataFrame:
    return answered(pl.DataFrame({"id": [str(n) for n in range(len(right))], "right": right}))


def after(right: list[bool], sources: list[int] | None = None) -> pl.DataFrame:
    ids = [str(n) for n in (sources if sources is not None else range(len(right)))]
    return answered(pl.DataFrame({"source_id": ids, "right": right}))


def answered(table: pl.DataFrame) -> pl.DataFrame:
    answer = pl.when("right").then(pl.lit(ENTAILMENT)).otherwise(pl.lit(NEUTRAL))
    return table.with_columns(gold=pl.lit(ENTAILMENT), prediction=answer)


def test_each_pair_stands_beside_its_source() -> None:
    both = join_with_sources(before([True, True, False]), after([False, True, True, True], [1, 0, 2, 9]))
    assert both["source_id"].to_list() == ["1", "0", "2"]
    assert both["right_before"].to_list() == [True, True, False]


def test_pairs_whose_true_label_changed_are_left_out() -> None:
    changed = after([True, True]).with_columns(gold=pl.Series([ENTAILMENT, NEUTRAL]))
    assert join_with_sources(before([True, True]), changed)["source_id"].to_list() == ["0"]


@pytest.mark.parametrize("two", ["before", "after"])
def test_where_one_has_two_labels_both_are_compared_by_two(two: str) -> None:
    golds = pl.Series(THREE_LABELS * 2)
    said = pl.Series([ENTAILMENT, CONTRADICTION, NEUTRAL, NEUTRAL, NEUTRAL, ENTAILMENT])
    three = pl.DataFrame({"gold": golds, "prediction": said, "right": golds == said})
    merged = three.with_columns(
        merge_labels(pl.col("gold", "prediction")), right=merge_labels(golds) == merge_labels(said)
    )
    ids = pl.Series([str(n) for n in range(6)])
    one, other = (merged, three) if two == "before" else (three, merged)
    both = join_with_sources(one.with_columns(id=ids), other.with_columns(source_id=ids))
    assert both.height == 6
    assert both["right_before"].to_list() == both["right"].to_list() == [True, True, True, False, True, False]


@pytest.mark.parametrize(("rule", "answer"), [("argmax", ENTAILMENT), ("sum", NON_ENTAILMENT)])
def test_predictions_are_merged_by_the_rule_of_the_run(rule: str, answer: str) -> None:
    """Entailment is the likeliest label; the two others together are likelier."""
    odds = {"p_entailment": 0.4, "p_neutral": 0.35, "p_contradiction": 0.25}
    ids = pl.Series([str(n) for n in range(3)])
    golds, said = pl.Series(THREE_LABELS), pl.Series([ENTAILMENT] * 3)
    three = pl.DataFrame({"id": ids, "gold": golds, "prediction": said, "right": golds == said})
    three = three.with_columns(pl.lit(odd).alias(name) for name, odd in odds.items())
    two = pl.DataFrame(
        {
            "source_id": ids,
            "gold": merge_labels(golds),
            "prediction": merge_labels(golds),
            "right": [True] * 3,
        }
    )
    both = join_with_sources(three, two, rule)
    assert both["prediction_before"].to_list() == [answer] * 3
    assert both["right_before"].to_list() == (merge_labels(golds) == answer).to_list()


def test_the_rule_sum_needs_probabilities() -> None:
    ids = pl.Series([str(n) for n in range(3)])
    three = pl.DataFrame({"id": ids, "gold": THREE_LABELS, "prediction": THREE_LABELS, "right": [True] * 3})
    two = three.with_columns(merge_labels(pl.col("gold", "prediction"))).rename({"id": "source_id"})
    with pytest.raises(InputError, match="needs the probabilities"):
        join_with_sources(three, two, "sum")


EDITED = pl.DataFrame(
    {
        "premise": ["A man ran.", "A man ran.", "A dog ran.", "A man ran.", "A man ran."],
        "hypothesis": ["He rna.", "He ran x.", "He rna.", "He ran.", "He ran."],
        "side": ["hypothesis", "hypothesis", "hypothesis", None, "hypothesis"],
        "edit_at": [4, 6, 4, None, -3],
        "edit_from": ["an", None, "an", None, "x"],
        "edit_to": ["na", " x", "na", None, "x"],
        "premise_before": ["A man ran."] * 5,
        "hypothesis_before": ["He ran."] * 5,
    }
)


def test_pairs_are_with_their_source_if_undoing_the_edit_gives_it() -> None:
    # The third has another premise; the fourth has no edit, and the last one that can't be.
    assert find_source_matches(EDITED).to_list() == [True, True, False, True, True]
    other = EDITED.with_columns(hypothesis_before=pl.lit("She ran."))
    assert find_source_matches(other).to_list() == [False] * 5
    assert find_source_matches(EDITED.drop("edit_at")) is None


def test_counts_and_cost() -> None:
    found = measure_accuracy_drop(
        join_with_sources(before([True] * 6 + [False] * 4), after([False] * 3 + [True] * 4 + [False] * 3))
    )
    assert found is not None
    assert (found.n, found.sources) == (10, 10)
    parts = (found.before, found.after, found.lost, found.gained)
    assert [part.hits for part in parts] == [6, 4, 3, 1]
    assert found.drop == pytest.approx(0.2)
    assert found.low < found.drop < found.high


def test_nothing_in_common_costs_nothing_known() -> None:
    assert measure_accuracy_drop(join_with_sources(before([True]), after([True], [7]))) is None


def test_no_change_is_not_certainty() -> None:
    found = measure_accuracy_drop(join_with_sources(before([True] * 50), after([True] * 50)))
    assert found is not None
    assert found.drop == 0
    assert found.low < -0.02
    assert found.high > 0.02


def test_several_pairs_of_one_source_tell_less_than_as_many_sources() -> None:
    rng = np.random.default_rng(2)
    was, now = rng.random(200) < 0.8, rng.random(200) < 0.6
    alone = measure_accuracy_drop(join_with_sources(before(was.tolist() * 4), after(now.tolist() * 4)))
    sources = list(range(200)) * 4
    together = measure_accuracy_drop(
        join_with_sources(before(was.tolist()), after(now.tolist() * 4, sources))
    )
    assert alone is not None
    assert together is not None
    assert (together.n, together.sources, together.drop) == (800, 200, alone.drop)
    assert (together.high - together.low) / (alone.high - alone.low) == pytest.approx(2, rel=0.15)
    assert together.lost.high - together.lost.low > alone.lost.high - alone.lost.low


def test_larger_clusters_are_drawn_whole() -> None:
    rng = np.random.default_rng(4)
    lost = np.repeat(rng.random(50) < 0.3, 6)
    both = join_with_sources(before([True] * 300), after((~lost).tolist()))
    alone, by_premise = (
        measure_accuracy_drop(both),
        measure_accuracy_drop(both, pl.Series(np.repeat(np.arange(50), 6))),
    )
    assert alone is not None
    assert by_premise is not None
    assert by_premise.high - by_premise.low > 2 * (alone.high - alone.low)


def test_the_interval_holds_the_true_cost_mostly() -> None:
    rng = np.random.default_rng(9)
    held = 0
    for _ in range(100):
        was = rng.random(150) < 0.8
        now = np.where(rng.random(150) < 0.25, False, was)
        found = measure_accuracy_drop(join_with_sources(before(was.tolist()), after(now.tolist())))
        assert found is not None
        held += found.low <= 0.2 <= found.high
    assert held >= 88


def test_the_order_of_pairs_is_nothing_to_it() -> None:
    rng = np.random.default_rng(6)
    one, other = before((rng.random(60) < 0.7).tolist()), after((rng.random(60) < 0.5).tolist())
    assert measure_accuracy_drop(join_with_sources(one, other)) == measure_accuracy_drop(
        join_with_sources(one.reverse(), other.sample(fraction=1, shuffle=True, seed=1))
    )
