"""The recommendation of a model never claims more than the corrected tests show."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rightreasons.reports.choice import (
    BASIS,
    BY_SET,
    DIFFERENT_RULES,
    NO_COMMON_SET,
    SEVERAL_RUNS,
    PairwiseComparison,
    collect_comparisons,
    explain_interval_disagreement,
    recommend_models,
)
from rightreasons.reports.exhibits.comparison import TEST_DECIDES, describe_comparison, make_comparison_table
from rightreasons.reports.report_data import Finding, Headline
from rightreasons.scoring.families import (
    compare_models,
    correct_family_p_values,
    count_whole_set_tests,
    describe_chance_findings,
    pair_models,
)

TWO = ("entailment", "non-entailment")


def draw_predictions(pairs: pl.DataFrame, right: dict[str, float], seed: int) -> pl.DataFrame:
    """Draw predictions that are correct with a probability for each gold label."""
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
            model: draw_predictions(pairs, right, 10 * place + seed)
            for seed, (model, right) in enumerate(models.items())
        }
        found = compare_models(pairs, given, pair_models(list(given)))
        rows.append(found.select(pl.lit(name).alias("set"), pl.all()))
    return correct_family_p_values(pl.concat(rows))


def share(entailed: float, other: float) -> dict[str, float]:
    return dict(zip(TWO, (entailed, other), strict=True))


def alone(*names: str) -> dict[str, list[str]]:
    return {name: [name] for name in names}


def read_figures(text: str) -> list[str]:
    """Read the decimals of a sentence: the margin, then the ends of its interval or the detectable difference."""
    return re.findall(r"-?\d+\.\d", text)


def find_winners(rows: pl.DataFrame, entries: dict[str, list[str]]) -> dict[str, str | None]:
    """Find the winner on each set, as the recommendation does."""
    return {found.set: found.winner for found in collect_comparisons(rows, entries)}


def test_the_better_model_is_named_with_the_figures_of_the_comparison() -> None:
    rows = family({"s": {"A": share(0.9, 0.9), "B": share(0.7, 0.7)}})
    whole = rows.filter(pl.col("gold") == "all").row(0, named=True)
    first, *rest = recommend_models(rows, alone("A", "B"))
    assert re.match(r"A .* B on s .*n = 1,000", first)
    assert len(read_figures(first)) == 3
    assert read_figures(first) == read_figures(describe_comparison(whole, "s").partition("p<")[0])
    assert find_winners(rows, alone("A", "B")) == {"s": "A"}
    assert rest == [BASIS.format(chance=describe_chance_findings(count_whole_set_tests(rows)))]


def test_the_order_of_two_models_does_not_matter() -> None:
    rows = family({"s": {"B": share(0.7, 0.7), "A": share(0.9, 0.9)}})
    assert recommend_models(rows, alone("A", "B"))[0] == recommend_models(rows, alone("B", "A"))[0]
    assert recommend_models(rows, alone("A", "B"))[0].startswith("A ")
    assert find_winners(rows, alone("A", "B")) == find_winners(rows, alone("B", "A")) == {"s": "A"}


def test_disagreeing_sets_are_reported() -> None:
    rows = family(
        {
            "s": {"A": share(0.9, 0.9), "B": share(0.7, 0.7)},
            "t": {"A": share(0.5, 0.5), "B": share(0.8, 0.8)},
            "u": {"A": share(0.8, 0.8), "B": share(0.8, 0.8)},
        }
    )
    lines = recommend_models(rows, alone("A", "B"))
    assert find_winners(rows, alone("A", "B")) == {"s": "A", "t": "B", "u": None}
    assert re.match(r".*disagree.* 3 .*A .* 1 .*B .* 1\b", lines[0])
    assert re.match(r"A .*B on s \(", lines[1])
    assert re.match(r"B .*A on t \(", lines[2])
    assert re.match(r"No .* on u \(n = 1,000, .*\d+\.\d ", lines[3])
    assert len(read_figures(lines[3])) == 1


def test_disagreeing_labels_are_reported() -> None:
    rows = family({"s": {"A": share(0.6, 0.9), "B": share(0.8, 0.3)}})
    assert re.search(r"; but B .* entailment pairs, by \d", recommend_models(rows, alone("A", "B"))[0])
    even = family({"s": {"A": share(0.9, 0.5), "B": share(0.5, 0.9)}})
    (first, *_) = recommend_models(even, alone("A", "B"))
    assert find_winners(even, alone("A", "B")) == {"s": None}
    assert re.match(
        r"No .*A and B on s \(.*; but A .* entailment pairs.*; but B .* non-entailment pairs", first
    )


def test_a_model_with_several_runs_is_better_only_where_all_are() -> None:
    runs = {"a1": share(0.9, 0.9), "a2": share(0.9, 0.9), "B": share(0.7, 0.7)}
    entries = {"A (2 runs)": ["a1", "a2"], "B": ["B"]}
    rows = family({"s": runs})
    lines = recommend_models(rows, entries)
    assert find_winners(rows, entries) == {"s": "A (2 runs)"}
    assert re.match(r"A \(2 runs\) .* B on s \(by \d+\.\d to \d+\.\d .* 2 .*n = 1,000", lines[0])
    runs["a2"] = share(0.7, 0.7)
    rows = family({"s": runs})
    lines = recommend_models(rows, entries)
    assert find_winners(rows, entries) == {"s": None}
    assert re.match(r"No .*A \(2 runs\) and B on s \(.* 1 .* 0 .* 2 .*n = 1,000", lines[0])
    assert lines[1] == SEVERAL_RUNS


def test_a_model_that_was_not_run_on_all_sets_is_not_best_overall() -> None:
    strong, weak = share(0.9, 0.9), share(0.6, 0.6)
    rows = family({"s": {"A": weak, "B": weak, "C": strong}, "t": {"A": weak, "B": strong}})
    first = recommend_models(rows, alone("A", "B", "C"))[0]
    assert re.match(r".*disagree.*\(unlike C\)", first)
    rows = family({"s": {"A": strong, "B": weak, "C": strong}, "t": {"A": strong, "B": weak}})
    first = recommend_models(rows, alone("A", "B", "C"))[0]
    assert re.match(r"A is not .* better than 1 of 2 .*: C\.$", first)


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
    return correct_family_p_values(pl.concat(rows))


def test_a_model_without_any_significant_difference_is_not_praised_for_it() -> None:
    """Two models change places between the sets; the third lies between them, too near for a significant difference."""
    wrong = {"s": {"A": 170, "B": 230, "C": 198}, "t": {"A": 230, "B": 170, "C": 198}}
    first = recommend_models(errors_apart(wrong), alone("A", "B", "C"))[0]
    assert re.match(r"C is not significantly better or worse\b", first)
    assert first.endswith(BY_SET)


def test_of_many_models_the_best_and_those_like_it_are_named() -> None:
    models = {"A": share(0.9, 0.9), "B": share(0.9, 0.9), "C": share(0.6, 0.6)}
    best = "A" if _right(models, "A") >= _right(models, "B") else "B"
    other = {"A": "B", "B": "A"}[best]
    lines = recommend_models(family({"s": models}), alone(*models))
    assert re.match(rf"s \(n = 1,000\): {best} .*better than C; no .* {other}\.$", lines[0])
    lines = recommend_models(family({f"s{number}": models for number in range(9)}), alone(*models))
    assert lines[0].endswith(": A; B.")
    assert any(" 5 more sets" in line for line in lines)
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
    first = recommend_models(family(sets), alone(*models))[0]
    assert re.match(r".*disagree", first)
    assert first.endswith(BY_SET)
    assert "unlike" not in first


def test_a_model_without_a_conclusive_common_set_is_not_praised_for_it() -> None:
    good, bad = share(0.9, 0.9), share(0.6, 0.6)
    sets = {"one": {"A": good, "B": bad, "C": bad}, "two": {"A": bad, "B": good}}
    assert recommend_models(family(sets), alone("A", "B", "C"))[0].endswith(BY_SET)
    sets = {
        "one": {"A": good, "B": bad},
        "two": {"A": bad, "B": good},
        "three": {"A": bad, "B": bad, "C": bad},
    }
    first = recommend_models(family(sets), alone("A", "B", "C"))[0]
    assert re.match(r".*disagree.*\(unlike C\)", first)


def test_one_model_or_no_common_set_leaves_no_choice() -> None:
    rows = family({"s": {"A": share(0.9, 0.9), "B": share(0.7, 0.7)}})
    assert recommend_models(rows, {"A (2 runs)": ["A", "B"]}) == []
    assert recommend_models(pl.DataFrame(), alone("A", "B")) == [NO_COMMON_SET]
    assert recommend_models(rows, alone("A", "B"), mixed=True) == [DIFFERENT_RULES]
    assert any(line.endswith(": C.") for line in recommend_models(rows, alone("A", "B", "C")))


def test_better_than_a_failing_model_is_not_good() -> None:
    rows = family({"s": {"A": share(0.4, 0.4), "B": share(0.2, 0.2)}})
    bad = [Headline(name, "", "bad", (Finding("s", "", "bad"),)) for name in "AB"]
    plain = recommend_models(rows, alone("A", "B"))
    (warning,) = set(recommend_models(rows, alone("A", "B"), bad)) - set(plain)
    assert warning.endswith("fail on s.")
    good = Headline("A", "", "good", (Finding("s", "", "good"),))
    assert recommend_models(rows, alone("A", "B"), [good, bad[1]]) == plain


def test_long_names_are_cut_and_stay_apart() -> None:
    names = ["x" * 5000 + middle + "y" * 5000 for middle in "12"]
    rows = family({"z" * 9999: {names[0]: share(0.9, 0.9), names[1]: share(0.5, 0.5)}})
    first = recommend_models(rows, alone(*names))[0]
    assert len(first) < 700
    assert re.search(r"y \(1\) .* x.*y \(2\) ", first)


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
        claims = [line for line in lines if re.match(rf"{model} .* than {other} on ", line)]
        named = {name for line in claims for name in re.findall(r"(s\d) \(by", line)}
        assert named == wins[model]


@pytest.mark.parametrize("n", [2, 5])
def test_so_few_pairs_show_nothing(n: int) -> None:
    rows = family({"s": {"A": share(1, 1), "B": share(0, 0)}}, n)
    first = recommend_models(rows, alone("A", "B"))[0]
    assert re.match(rf"No .*A and B on s \(n = {n}, ", first)
    assert ("detectable" in first) == bool(read_figures(first)) == (n == 5)


def compared(only_a: int, only_b: int, n: int, size: int = 1) -> pl.DataFrame:
    """Compare two models that differ on so many of n pairs, of which so many share a premise, on one true label."""
    place = pl.int_range(n, eager=True)
    pairs = pl.DataFrame({"id": place, "premise": place // size, "label": ["neutral"] * n})
    a = pl.DataFrame({"gold": pairs["label"], "right": place < only_a})
    b = pl.DataFrame({"gold": pairs["label"], "right": (place >= only_a) & (place < only_a + only_b)})
    found = compare_models(pairs, {"a": a, "b": b}, [("a", "b")])
    return correct_family_p_values(found.select(pl.lit("s").alias("set"), pl.all()))


def test_no_difference_beside_an_interval_without_0_is_explained_in_its_sentence() -> None:
    (row,) = compared(9, 20, 200).to_dicts()
    assert not row["shown"]
    assert row["low"] < row["high"] < 0
    text = describe_comparison(row, "s")
    assert text.startswith("No ")
    assert "p=0.061" in text
    assert f"; {explain_interval_disagreement(row)})" in text
    rows = compared(9, 20, 200)
    assert TEST_DECIDES in make_comparison_table("s", rows, described=rows).notes


@pytest.mark.parametrize("size", [1, 3])
def test_apparent_contradictions_are_explained(size: int) -> None:
    """On a grid of counts: an interval with 0 and a shown difference, or the contrary, never stand without a reason."""
    explained = set()
    for only_b in range(0, 40, 2):
        for row in compared(9, only_b, 120, size).to_dicts():
            has_zero = row["low"] <= 0 <= row["high"]
            why = explain_interval_disagreement(row)
            assert bool(why) == (row["shown"] == has_zero)
            assert (
                (why in describe_comparison(row, "s"))
                if why
                else ("conservative" not in describe_comparison(row, "s"))
            )
            explained.add(bool(why))
    assert explained == {True, False}


def test_the_other_reasons_of_a_disagreement() -> None:
    row = {"low": 0.01, "high": 0.1, "p": 0.03, "shown": False}
    assert "not corrected" in explain_interval_disagreement(row)
    row = {"low": -0.01, "high": 0.1, "p": 0.03, "shown": True}
    assert "includes 0" in explain_interval_disagreement(row)
    whole = {**row, "n": 100, "only_a": 5, "only_b": 0, "difference": 0.05}
    assert "includes 0" in PairwiseComparison("s", "all", ("a", "b"), (whole,)).describe_margin()


def test_models_on_different_sets_do_not_disagree() -> None:
    rows = pl.concat(
        [
            family({"s": {"A": share(0.9, 0.9), "B": share(0.6, 0.6)}}),
            family({"t": {"C": share(0.9, 0.9), "D": share(0.6, 0.6)}}),
        ]
    )
    first, *rest = recommend_models(rows, alone("A", "B", "C", "D"))
    assert first.endswith(BY_SET)
    assert not any("disagree" in line for line in (first, *rest))
