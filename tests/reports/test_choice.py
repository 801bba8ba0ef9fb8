"""What is said on the choice between models: never more than the corrected tests show."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rightreasons.reports.choice import (
    BASIS,
    MIXED_RULES,
    NO_COMMON_SET,
    PairwiseComparison,
    explain_disagreement,
    recommend_models,
)
from rightreasons.reports.exhibits.comparison import TEST_DECIDES, describe_comparison, make_comparison_table
from rightreasons.reports.report import Finding, Headline
from rightreasons.scoring.families import (
    compare_models,
    correct_families,
    count_whole_tests,
    describe_chance_findings,
    pair_models,
)

TWO = ("entailment", "non-entailment")


def answers(pairs: pl.DataFrame, right: dict[str, float], seed: int) -> pl.DataFrame:
    """Make answers that are right with a probability for each true label."""
    chance = pairs["label"].replace_strict(right, return_dtype=pl.Float64).to_numpy()
    hit = pl.Series(np.random.default_rng(seed).random(pairs.height) < chance)
    return pl.DataFrame({"gold": pairs["label"], "right": hit})


def family(sets: dict[str, dict[str, dict[str, float]]], n: int = 1000) -> pl.DataFrame:
    """Compare models on some sets, each given by its accuracies on two labels, as one family."""
    rows = []
    for place, (name, models) in enumerate(sets.items()):
        ids = [f"{name} {number}" for number in range(n)]
        pairs = pl.DataFrame({"id": ids, "premise": ids, "label": [TWO[number % 2] for number in range(n)]})
        given = {
            model: answers(pairs, right, 10 * place + seed)
            for seed, (model, right) in enumerate(models.items())
        }
        found = compare_models(pairs, given, pair_models(list(given)))
        rows.append(found.select(pl.lit(name).alias("set"), pl.all()))
    return correct_families(pl.concat(rows))


def share(entailed: float, other: float) -> dict[str, float]:
    return dict(zip(TWO, (entailed, other), strict=True))


def alone(*names: str) -> dict[str, list[str]]:
    return {name: [name] for name in names}


def test_one_that_is_better_is_named_with_figures_that_the_comparison_has() -> None:
    rows = family({"s": {"A": share(0.9, 0.9), "B": share(0.7, 0.7)}})
    whole = rows.filter(pl.col("gold") == "all").row(0, named=True)
    first, *rest = recommend_models(rows, alone("A", "B"))
    said = re.fullmatch(
        r"A is significantly better than B on s \(by (.*) points, (95% .* to .*), n = 1,000\)\.", first
    )
    assert said
    assert f"A is {said[1]} points more accurate than B on s ({said[2]})" in describe_comparison(whole, "s")
    assert rest == [BASIS.format(chance=describe_chance_findings(count_whole_tests(rows)))]


def test_it_does_not_matter_which_of_two_comes_first() -> None:
    rows = family({"s": {"B": share(0.7, 0.7), "A": share(0.9, 0.9)}})
    assert recommend_models(rows, alone("A", "B"))[0] == recommend_models(rows, alone("B", "A"))[0]
    assert recommend_models(rows, alone("A", "B"))[0].startswith("A is significantly better than B on s (by ")


def test_sets_that_disagree_are_said_to() -> None:
    rows = family(
        {
            "s": {"A": share(0.9, 0.9), "B": share(0.7, 0.7)},
            "t": {"A": share(0.5, 0.5), "B": share(0.8, 0.8)},
            "u": {"A": share(0.8, 0.8), "B": share(0.8, 0.8)},
        }
    )
    lines = recommend_models(rows, alone("A", "B"))
    assert lines[0].startswith("The sets disagree: of 3, A is significantly better on 1, B on 1. ")
    assert lines[1].startswith("A is significantly better than B on s (")
    assert lines[2].startswith("B is significantly better than A on t (")
    assert re.match(
        r"No significant difference on u \(n = 1,000, detectable difference \d+\.\d points\)\.", lines[3]
    )


def test_labels_that_disagree_are_said_to() -> None:
    rows = family({"s": {"A": share(0.6, 0.9), "B": share(0.8, 0.3)}})
    assert "; but B is better on its entailment pairs, by " in recommend_models(rows, alone("A", "B"))[0]
    even = family({"s": {"A": share(0.9, 0.5), "B": share(0.5, 0.9)}})
    (first, *_) = recommend_models(even, alone("A", "B"))
    assert first.startswith("No significant difference between A and B on s (")
    assert "but A is better on its entailment pairs" in first
    assert "but B is better on its non-entailment pairs" in first


def test_a_model_with_several_runs_is_better_only_where_all_are() -> None:
    runs = {"a1": share(0.9, 0.9), "a2": share(0.9, 0.9), "B": share(0.7, 0.7)}
    lines = recommend_models(family({"s": runs}), {"A (2 runs)": ["a1", "a2"], "B": ["B"]})
    assert re.match(
        r"A \(2 runs\) is significantly better than B on s \(by \S+ to \S+ points in all 2 pairs of runs",
        lines[0],
    )
    runs["a2"] = share(0.7, 0.7)
    lines = recommend_models(family({"s": runs}), {"A (2 runs)": ["a1", "a2"], "B": ["B"]})
    assert lines[0] == (
        "No significant difference between A (2 runs) and B on s "
        "(shown in 1 for A (2 runs) and 0 for B of 2 pairs of runs, n = 1,000)."
    )
    assert "better means better in all pairs of runs" in lines[1]


def test_who_was_not_asked_a_set_is_not_chosen_for_never_being_worse() -> None:
    strong, weak = share(0.9, 0.9), share(0.6, 0.6)
    rows = family({"s": {"A": weak, "B": weak, "C": strong}, "t": {"A": weak, "B": strong}})
    first = recommend_models(rows, alone("A", "B", "C"))[0]
    assert first.startswith(
        "The sets disagree: each model that was run on all of them (unlike C) is significantly worse"
    )
    rows = family({"s": {"A": strong, "B": weak, "C": strong}, "t": {"A": strong, "B": weak}})
    first = recommend_models(rows, alone("A", "B", "C"))[0]
    assert first.startswith(
        "A is on no set significantly worse than another model, and on some set better than 1 of 2 others."
    )
    assert first.endswith(" Not run on all of these sets: C.")


def errors_apart(wrong: dict[str, dict[str, int]], n: int = 1000) -> pl.DataFrame:
    """Compare models that are wrong on so many pairs of each set, no two on the same pair."""
    rows = []
    for name, models in wrong.items():
        ids = [f"{name} {number}" for number in range(n)]
        pairs = pl.DataFrame({"id": ids, "premise": ids, "label": [TWO[number % 2] for number in range(n)]})
        given, start = {}, 0
        for model, count in models.items():
            right = [not start <= number < start + count for number in range(n)]
            given[model] = pl.DataFrame({"gold": pairs["label"], "right": right})
            start += count
        found = compare_models(pairs, given, pair_models(list(given)))
        rows.append(found.select(pl.lit(name).alias("set"), pl.all()))
    return correct_families(pl.concat(rows))


def test_a_model_that_is_told_from_none_is_not_praised_for_it() -> None:
    """Two models change places between the sets; the third lies between them, too near to be told from either."""
    wrong = {"s": {"A": 170, "B": 230, "C": 198}, "t": {"A": 230, "B": 170, "C": 198}}
    first = recommend_models(errors_apart(wrong), alone("A", "B", "C"))[0]
    assert first.startswith(
        "C is on no set significantly better or worse than another model, and each of the others is worse"
    )


def test_of_many_models_the_best_and_those_like_it_are_named() -> None:
    models = {"A": share(0.9, 0.9), "B": share(0.9, 0.9), "C": share(0.6, 0.6)}
    best = "A" if _right(models, "A") >= _right(models, "B") else "B"
    other = {"A": "B", "B": "A"}[best]
    lines = recommend_models(family({"s": models}), alone(*models))
    assert lines[0] == (
        f"s (n = 1,000): {best} has the highest accuracy; significantly better than C; "
        f"no significant difference from {other}."
    )
    lines = recommend_models(family({f"s{number}": models for number in range(9)}), alone(*models))
    assert lines[0].startswith("On no set significantly worse than another model")
    assert lines[0].endswith(": A; B.")
    assert "5 more sets are in the tables." in lines
    assert len(lines) < 8


def _right(models: dict[str, dict[str, float]], name: str) -> int:
    rows = family({"s": models}).filter(pl.col("gold") == "all")
    found = [
        row["right_a"] if row["a"] == name else row["right_b"]
        for row in rows.to_dicts()
        if name in (row["a"], row["b"])
    ]
    return int(found[0])


def test_many_models_on_sets_that_disagree() -> None:
    models = ("A", "B", "C")
    sets = {
        f"s{best}": {name: share(*([0.9, 0.9] if name == best else [0.6, 0.6])) for name in models}
        for best in models
    }
    assert recommend_models(family(sets), alone(*models))[0].startswith(
        "The sets disagree: each model is significantly worse"
    )


def test_a_model_that_shares_no_telling_set_is_not_praised_for_it() -> None:
    good, bad = share(0.9, 0.9), share(0.6, 0.6)
    sets = {"one": {"A": good, "B": bad, "C": bad}, "two": {"A": bad, "B": good}}
    assert recommend_models(family(sets), alone("A", "B", "C"))[0].startswith("The sets disagree")
    sets = {
        "one": {"A": good, "B": bad},
        "two": {"A": bad, "B": good},
        "three": {"A": bad, "B": bad, "C": bad},
    }
    first = recommend_models(family(sets), alone("A", "B", "C"))[0]
    assert first.startswith(
        "The sets disagree: each model that was run on all of them (unlike C) is significantly worse"
    )


def test_one_model_is_no_choice_and_models_without_a_common_set_none_either() -> None:
    rows = family({"s": {"A": share(0.9, 0.9), "B": share(0.7, 0.7)}})
    assert recommend_models(rows, {"A (2 runs)": ["A", "B"]}) == []
    assert recommend_models(pl.DataFrame(), alone("A", "B")) == [NO_COMMON_SET]
    assert recommend_models(rows, alone("A", "B"), mixed=True) == [MIXED_RULES]
    assert "No set in common with another model: C." in recommend_models(rows, alone("A", "B", "C"))


def test_better_is_not_said_to_be_good() -> None:
    rows = family({"s": {"A": share(0.4, 0.4), "B": share(0.2, 0.2)}})
    bad = [Headline(name, "", "bad", (Finding("s", "", "bad"),)) for name in "AB"]
    assert "Better does not mean good: all models fail on s." in recommend_models(rows, alone("A", "B"), bad)
    good = Headline("A", "", "good", (Finding("s", "", "good"),))
    assert not any(
        "not mean good" in line for line in recommend_models(rows, alone("A", "B"), [good, bad[1]])
    )


def test_long_names_are_cut_and_stay_apart() -> None:
    names = ["x" * 5000 + middle + "y" * 5000 for middle in "12"]
    rows = family({"z" * 9999: {names[0]: share(0.9, 0.9), names[1]: share(0.5, 0.5)}})
    first = recommend_models(rows, alone(*names))[0]
    assert len(first) < 700
    assert "y (1) is significantly better than x" in first


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(*[st.sampled_from([0.5, 0.55, 0.6, 0.9])] * 2), min_size=1, max_size=3),
    st.sampled_from([40, 300]),
)
def test_nothing_is_claimed_that_no_corrected_test_shows(chances: list[tuple[float, float]], n: int) -> None:
    rows = family(
        {f"s{place}": {"A": share(a, a), "B": share(b, b)} for place, (a, b) in enumerate(chances)}, n
    )
    shown = rows.filter((pl.col("gold") == "all") & pl.col("shown"))
    wins = {
        model: set(shown.filter(pl.col("difference") * sign > 0)["set"])
        for model, sign in (("A", 1), ("B", -1))
    }
    lines = recommend_models(rows, alone("A", "B"))
    for model, other in (("A", "B"), ("B", "A")):
        told = [
            line for line in lines if line.startswith(f"{model} is significantly better than {other} on ")
        ]
        named = {name for line in told for name in re.findall(r"(s\d) \(by", line)}
        assert named == wins[model]


@pytest.mark.parametrize("n", [2, 5])
def test_so_few_pairs_show_nothing(n: int) -> None:
    rows = family({"s": {"A": share(1, 1), "B": share(0, 0)}}, n)
    first = recommend_models(rows, alone("A", "B"))[0]
    assert first.startswith("No significant difference between A and B on s (n = ")


def compared(only_a: int, only_b: int, n: int, size: int = 1) -> pl.DataFrame:
    """Compare two models that differ on so many of n pairs, of which so many share a premise, on one true label."""
    place = pl.int_range(n, eager=True)
    pairs = pl.DataFrame({"id": place, "premise": place // size, "label": ["neutral"] * n})
    a = pl.DataFrame({"gold": pairs["label"], "right": place < only_a})
    b = pl.DataFrame({"gold": pairs["label"], "right": (place >= only_a) & (place < only_a + only_b)})
    found = compare_models(pairs, {"a": a, "b": b}, [("a", "b")])
    return correct_families(found.select(pl.lit("s").alias("set"), pl.all()))


def test_no_difference_beside_an_interval_without_0_is_explained_in_the_same_sentence() -> None:
    (row,) = compared(9, 20, 200).to_dicts()
    assert not row["shown"]
    assert row["low"] < row["high"] < 0
    text = describe_comparison(row, "s")
    assert text.startswith("No significant difference")
    assert (
        "p=0.061 after correction; the exact test, which decides, is more conservative than the interval)"
        in text
    )
    rows = compared(9, 20, 200)
    assert TEST_DECIDES in make_comparison_table("s", rows, said=rows).notes


@pytest.mark.parametrize("size", [1, 3])
def test_sentences_that_seem_to_contradict_themselves_say_why(size: int) -> None:
    """On a grid of counts: an interval with 0 and a shown difference, or the contrary, never stand without a reason."""
    told = set()
    for only_b in range(0, 40, 2):
        for row in compared(9, only_b, 120, size).to_dicts():
            has_zero = row["low"] <= 0 <= row["high"]
            why = explain_disagreement(row)
            assert bool(why) == (row["shown"] == has_zero)
            assert (
                (why in describe_comparison(row, "s"))
                if why
                else ("conservative" not in describe_comparison(row, "s"))
            )
            told.add(bool(why))
    assert told == {True, False}


def test_the_other_reasons_of_a_disagreement() -> None:
    row = {"low": 0.01, "high": 0.1, "p": 0.03, "shown": False}
    assert "not corrected" in explain_disagreement(row)
    row = {"low": -0.01, "high": 0.1, "p": 0.03, "shown": True}
    assert "includes 0" in explain_disagreement(row)
    whole = {**row, "n": 100, "only_a": 5, "only_b": 0, "difference": 0.05}
    assert "includes 0" in PairwiseComparison("s", "all", ("a", "b"), (whole,)).describe_margin()


def test_models_on_different_sets_are_not_said_to_disagree() -> None:
    rows = pl.concat(
        [
            family({"s": {"A": share(0.9, 0.9), "B": share(0.6, 0.6)}}),
            family({"t": {"C": share(0.9, 0.9), "D": share(0.6, 0.6)}}),
        ]
    )
    first, *rest = recommend_models(rows, alone("A", "B", "C", "D"))
    assert first.startswith("No model was run on all sets")
    assert not any("disagree" in line for line in (first, *rest))
