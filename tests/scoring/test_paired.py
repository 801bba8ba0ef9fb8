"""Paired tests and intervals, held against scipy, statsmodels and plain enumeration."""

from __future__ import annotations

from itertools import product
from statistics import NormalDist

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rightreasons.scoring.families import compare_models, correct_family_p_values, pair_models
from rightreasons.scoring.intervals import tango_interval
from rightreasons.scoring.paired import (
    compare_predictions,
    compute_detectable_difference,
    compute_mcnemar_p,
    compute_sign_flip_p,
    correct_p_values,
)
from rightreasons.scoring.sharing import find_sharing

E, X = "entailment", "non-entailment"
COUNTS = st.integers(0, 3000)
Z = NormalDist().inv_cdf(0.975)


def make_predictions(gold: list[str], right: list[bool]) -> pl.DataFrame:
    return pl.DataFrame({"gold": gold, "right": right})


@settings(deadline=None)
@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_mcnemar_is_that_of_statsmodels(both: int, only_a: int, only_b: int, none: int) -> None:
    tables = pytest.importorskip("statsmodels.stats.contingency_tables")
    theirs = tables.mcnemar([[both, only_a], [only_b, none]], exact=True).pvalue
    assert compute_mcnemar_p(only_a, only_b) == pytest.approx(min(1.0, theirs), rel=1e-9, abs=1e-290)


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=60))
def test_the_correction_is_that_of_statsmodels(values: list[float]) -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    theirs = multitest.multipletests(values, method="fdr_bh")[1]
    assert correct_p_values(values) == pytest.approx(theirs, rel=1e-9, abs=1e-12)


@settings(deadline=None)
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=10))
def test_the_test_over_clusters_is_that_of_all_signs(differences: list[int]) -> None:
    values, times = np.unique(np.array(differences), return_counts=True)
    sums = [sum(sign * each for sign, each in zip(signs_, differences, strict=True))
            for signs_ in product((1, -1), repeat=len(differences))]  # fmt: skip
    expected = np.mean([abs(each) >= abs(sum(differences)) for each in sums])
    assert compute_sign_flip_p(values, times) == pytest.approx(expected, abs=1e-12)


@settings(deadline=None)
@given(COUNTS, COUNTS, COUNTS)
def test_the_test_over_single_pairs_is_mcnemars(only_a: int, only_b: int, same: int) -> None:
    made = compute_sign_flip_p(np.array([-1, 0, 1]), np.array([only_b, same, only_a]))
    assert made == pytest.approx(compute_mcnemar_p(only_a, only_b), rel=1e-12)


def test_large_clusters_do_not_run_out_of_numbers() -> None:
    sizes = np.arange(-40, 41)
    even = compute_sign_flip_p(sizes, np.full(81, 5_000))
    assert even == 1
    assert compute_sign_flip_p(sizes, np.where(sizes > 0, 6_000, 5_000)) < 1e-12
    near = compute_sign_flip_p(sizes, np.full(81, 5_000) + (sizes == 40) * 100)
    spread = np.sqrt(float((sizes**2 * 5_000).sum()))
    assert near == pytest.approx(2 * (1 - NormalDist().cdf(4000 / spread)), abs=0.01)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 400), st.integers(0, 400), st.integers(0, 2000))
def test_tangos_ends_are_where_the_score_test_rejects(only_a: int, only_b: int, same: int) -> None:
    n = only_a + only_b + same
    if n == 0:
        assert np.isnan(tango_interval(0, 0, 0)).all()
        return
    low, high = (float(end) for end in tango_interval(only_a, only_b, n))
    assert -1 <= low <= (only_a - only_b) / n <= high <= 1
    swapped = tango_interval(only_b, only_a, n)
    assert (float(swapped[0]), float(swapped[1])) == (pytest.approx(-high), pytest.approx(-low))
    for end in (low, high):
        if abs(end) < 1 - 1e-9:
            assert abs(score_by_search(only_a, only_b, n, end)) == pytest.approx(Z, abs=2e-3)


def score_by_search(only_a: int, only_b: int, n: int, difference: float) -> float:
    """Return the score statistic with the nuisance share found by searching for the greatest likelihood."""
    optimize = pytest.importorskip("scipy.optimize")

    def unlikely(share: float) -> float:
        counts = np.array([only_b, only_a, n - only_a - only_b])
        with np.errstate(divide="ignore", invalid="ignore"):
            chances = np.log([share, share + difference, 1 - 2 * share - difference])
            return -float((counts * chances)[counts > 0].sum())

    bounds = (max(0.0, -difference), (1 - difference) / 2)
    found = optimize.minimize_scalar(unlikely, bounds=bounds, method="bounded", options={"xatol": 1e-12})
    share = min((found.x, *bounds), key=lambda share: np.nan_to_num(unlikely(share), nan=np.inf))
    return (only_a - only_b - n * difference) / np.sqrt(n * (2 * share + difference * (1 - difference)))


@settings(deadline=None)
@given(st.integers(10, 10**6), st.floats(0.001, 1))
def test_what_could_be_shown_solves_connors_formula(n: int, discordant: float) -> None:
    found = compute_detectable_difference(n, discordant)
    if found is None:
        assert n < 40
        return
    share = max(discordant, found)
    y = NormalDist().inv_cdf(0.8)
    needed = (Z * np.sqrt(share) + y * np.sqrt(share - found**2)) ** 2 / found**2
    assert needed == pytest.approx(n, rel=1e-6)


def test_what_could_be_shown_is_shown_in_four_of_five_cases() -> None:
    n, share = 800, 0.2
    found = compute_detectable_difference(n, share)
    assert found is not None
    rng = np.random.default_rng(3)
    chances = [(share + found) / 2, (share - found) / 2, 1 - share]
    draws = rng.multinomial(n, chances, size=1500)
    assert np.mean([compute_mcnemar_p(int(a), int(b)) < 0.05 for a, b, _ in draws]) == pytest.approx(
        0.8, abs=0.04
    )


def test_nothing_can_be_shown_on_a_handful_of_pairs() -> None:
    assert compute_detectable_difference(3, 1.0) is None
    assert compute_detectable_difference(7, 0.0) > compute_detectable_difference(20, 0.0) > 7.85 / 40
    assert compute_detectable_difference(1000, 0.0) == pytest.approx(7.85 / 1000, rel=0.01)


def test_counts_and_intervals_of_a_small_comparison() -> None:
    gold = [E] * 6 + [X] * 4
    a = make_predictions(gold, [True] * 5 + [False] + [True, False, False, False])
    b = make_predictions(gold, [True] * 2 + [False] * 4 + [True, True, False, False])
    pairs = pl.DataFrame({"tag": ["s", "t"] * 5})
    rows = compare_predictions(pairs, a, b)
    assert rows["gold"].to_list() == [E, X, "all"]
    whole = rows.row(2, named=True)
    counts = {
        name: whole[name]
        for name in ("n", "right_a", "right_b", "both_right", "only_a", "only_b", "both_wrong")
    }
    assert counts == {
        "n": 10,
        "right_a": 6,
        "right_b": 4,
        "both_right": 3,
        "only_a": 3,
        "only_b": 1,
        "both_wrong": 3,
    }
    assert whole["difference"] == pytest.approx(0.2)
    assert whole["p"] == whole["mcnemar"] == pytest.approx(0.625)
    assert whole["interval"] == "score"
    assert (whole["low"], whole["high"]) == tuple(
        pytest.approx(float(end)) for end in tango_interval(3, 1, 10)
    )
    assert whole["bootstrap_low"] < whole["difference"] < whole["bootstrap_high"]
    split = compare_predictions(pairs, a, b, ["tag"])
    assert split.columns[0] == "tag"
    assert split.filter(pl.col("gold") == "all")["n"].to_list() == [5, 5]


def test_the_bootstrap_is_that_of_the_pairs_themselves() -> None:
    rng = np.random.default_rng(9)
    right = rng.random((2, 600)) < np.array([[0.7], [0.6]])
    gold = [E] * 600
    rows = compare_predictions(
        pl.DataFrame({"id": range(600)}),
        make_predictions(gold, list(right[0])),
        make_predictions(gold, list(right[1])),
    )
    drawn = rng.integers(0, 600, (20_000, 600))
    differences = (right[0].astype(int) - right[1].astype(int))[drawn].mean(axis=1)
    low, high = np.quantile(differences, [0.025, 0.975])
    assert rows["bootstrap_low"][0] == pytest.approx(low, abs=0.006)
    assert rows["bootstrap_high"][0] == pytest.approx(high, abs=0.006)
    assert (rows["low"][0], rows["high"][0]) == (
        pytest.approx(low, abs=0.006),
        pytest.approx(high, abs=0.006),
    )


def test_copies_of_pairs_show_no_more_than_the_pairs_once() -> None:
    rng = np.random.default_rng(4)
    once = rng.random((2, 300)) < np.array([[0.6], [0.5]])
    many = np.repeat(once, 4, axis=1)
    rows = [
        compare_predictions(
            pl.DataFrame({"group": np.repeat(np.arange(300), copies)}),
            *(make_predictions([E] * len(each), list(each)) for each in right),
        ).row(0, named=True)
        for right, copies in ((once, 1), (many, 4))
    ]
    assert rows[1]["interval"] == "clusters: group"
    assert rows[1]["p"] == pytest.approx(rows[0]["p"])
    assert rows[1]["mcnemar"] < rows[0]["p"]
    for end in ("low", "high", "detectable"):
        assert rows[1][end] == pytest.approx(rows[0][end], abs=0.006)


def test_couples_are_each_with_each_or_all_with_one() -> None:
    assert pair_models(["a", "b", "c"]) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert pair_models(["a", "b", "c"], "b") == [("a", "b"), ("c", "b")]


@pytest.mark.parametrize(
    ("golds", "expected"), [([E, X], [E, X, "all", E, X, E, X]), ([E, "neutral"], ["all"] * 3)]
)
def test_labels_stand_apart_where_there_are_two(golds: list[str], expected: list[str]) -> None:
    gold = golds * 8
    rng = np.random.default_rng(0)
    known = {name: make_predictions(gold, list(rng.random(16) < 0.5)) for name in "ab"}
    pairs = pl.DataFrame({"tag": (["s"] * 2 + ["t"] * 2) * 4, "premise": [str(i) for i in range(16)]})
    rows = correct_family_p_values(compare_models(pairs, known, [("a", "b")], [(), ("tag",)]))
    assert rows["gold"].to_list() == expected
    assert rows["by"].to_list() == [""] * (3 if len(expected) == 7 else 1) + ["tag"] * (
        4 if len(expected) == 7 else 2
    )
    whole, labels, parts = (
        rows.filter((pl.col("by") == "") & (pl.col("gold") == "all")),
        rows.filter((pl.col("by") == "") & (pl.col("gold") != "all")),
        rows.filter(pl.col("by") != ""),
    )
    for family in (whole, labels, parts):
        assert family["p_corrected"].to_list() == pytest.approx(list(correct_p_values(family["p"])))
        assert set(family["family"]) <= {family.height}
    assert whole["p_corrected"].to_list() == whole["p"].to_list()
    assert rows["shown"].to_list() == [p < 0.05 for p in rows["p_corrected"]]
    assert find_sharing(pairs).columns == ()
