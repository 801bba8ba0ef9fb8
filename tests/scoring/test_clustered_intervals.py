"""Pairs that share something: which column, how they are summed, and what that does to the interval."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rightreasons.scoring.accuracy import make_score_rows, score_predictions
from rightreasons.scoring.cells import find_cells
from rightreasons.scoring.clustered_intervals import (
    TOO_FEW_CLUSTERS,
    ClusterLayer,
    bootstrap_cluster_sums,
    build_layers_by_cell,
    compute_clustered_interval,
    compute_effective_sample_size,
    compute_t_quantile,
    estimate_cluster_variance,
)
from rightreasons.scoring.intervals import wilson_interval
from rightreasons.scoring.sharing import MIN_CLUSTERS, WILSON, Sharing, find_sharing

E, N, X = "entailment", "neutral", "non-entailment"
ROWS = st.lists(
    st.tuples(
        st.sampled_from("ab"),
        st.sampled_from([E, X]),
        st.one_of(st.none(), st.integers(0, 6)),
        st.booleans(),
    ),
    min_size=1,
    max_size=60,
)


def pairs_of(groups: list[object], right: list[bool], **tags: object) -> tuple[pl.DataFrame, pl.DataFrame]:
    pairs = pl.DataFrame({"group": pl.Series(groups, dtype=pl.String, strict=False), **tags})
    gold = pl.Series("gold", [E] * len(right))
    answer = pl.select(pl.when(pl.Series(right)).then(pl.lit(E)).otherwise(pl.lit(X))).to_series()
    return pairs, pl.DataFrame({"gold": gold, "prediction": answer})


@settings(deadline=None)
@given(ROWS)
def test_sums_are_those_of_a_plain_loop(rows: list[tuple[str, str, int | None, bool]]) -> None:
    tag, gold, group, right = (list(column) for column in zip(*rows, strict=True))
    pairs = pl.DataFrame({"tag": tag, "group": pl.Series(group, dtype=pl.Int64)})
    found, shared = find_cells(pairs, pl.Series(gold), ["tag"]), find_sharing(pairs)
    made = build_layers_by_cell(found, shared, pl.DataFrame({"right": right}))
    for cell, (name, label) in enumerate(found.rows.iter_rows()):
        inside = [row for row in rows if row[0] == name and label in (row[1], "all")]
        clusters: dict[object, list[int]] = {}
        for place, row in enumerate(inside):
            sums = clusters.setdefault(("alone", place) if row[2] is None else row[2], [0, 0])
            sums[0] += 1
            sums[1] += row[3]
        ((sums, times, _),) = made[cell]
        several = [
            tuple(each) for each, count in zip(sums.tolist(), times, strict=True) for _ in range(count)
        ]
        assert sorted(several) == sorted(map(tuple, clusters.values()))


@settings(deadline=None)
@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_the_pairs_does_not_matter(
    rows: list[tuple[str, str, int | None, bool]], random: object
) -> None:
    def scored(given: list[tuple[str, str, int | None, bool]]) -> list[tuple[object, ...]]:
        tag, gold, group, right = (list(column) for column in zip(*given, strict=True))
        pairs = pl.DataFrame({"tag": tag, "group": pl.Series(group, dtype=pl.Int64)})
        other = {E: X, X: E}
        answers = [label if hit else other[label] for label, hit in zip(gold, right, strict=True)]
        return sorted(
            make_score_rows(pairs, pl.DataFrame({"gold": gold, "prediction": answers}), ["tag"]).rows()
        )

    mixed = list(rows)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    assert scored(rows) == scored(mixed)


def test_drawing_kinds_is_drawing_clusters() -> None:
    rng = np.random.default_rng(5)
    sizes = rng.integers(1, 5, 60)
    each = np.stack([sizes, rng.binomial(sizes, rng.beta(1, 1, 60))], axis=1)
    sums, times = np.unique(each, axis=0, return_counts=True)
    ours = bootstrap_cluster_sums(sums, times, draws=20_000)
    plain = each[rng.integers(0, 60, (20_000, 60))].sum(axis=1)
    for mine, theirs in zip(ours.T, plain.T, strict=True):
        assert mine.mean() == pytest.approx(theirs.mean(), rel=0.01)
        assert mine.std() == pytest.approx(theirs.std(), rel=0.03)


def plain_cr2(sizes: np.ndarray, hits: np.ndarray) -> tuple[float, float]:
    """Work out CR2 and its degrees of freedom with whole matrices over pairs, as the papers have them."""
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    n, count = len(cluster), len(sizes)
    y = np.concatenate([[1.0] * hit + [0.0] * (size - hit) for size, hit in zip(sizes, hits, strict=True)])
    residual = y - y.mean()
    variance = y.mean() * (1 - y.mean())
    member = (cluster[:, None] == np.arange(count)[None, :]).astype(float)
    sums = member.T @ residual
    alike = np.clip(
        (sums @ sums - variance * n) / (variance * (sizes * (sizes - 1)).sum()), 0, 1
    )  # the correlation within clusters
    same = cluster[:, None] == cluster[None, :]
    omega = np.where(same, alike, 0.0) + (1 - alike) * np.eye(n)
    makes_residual = np.eye(n) - 1 / n
    weights = np.stack([member[:, i] / np.sqrt(1 - sizes[i] / n) / n for i in range(count)], axis=1)
    moments = weights.T @ makes_residual @ omega @ makes_residual @ weights
    return float(((weights.T @ residual) ** 2).sum()), float(np.trace(moments) ** 2 / (moments**2).sum())


@settings(deadline=None, max_examples=30)
@given(
    st.lists(st.tuples(st.integers(1, 8), st.floats(0, 1)), min_size=3, max_size=25).filter(
        lambda given: any(n > 1 for n, _ in given)
    )
)
def test_variance_and_freedom_are_those_of_the_matrices(given_clusters: list[tuple[int, float]]) -> None:
    sizes = np.array([n for n, _ in given_clusters])
    hits = np.array([round(n * share) for n, share in given_clusters])
    share = hits.sum() / sizes.sum()
    if share in (0, 1):
        return
    each = np.stack([sizes, hits], axis=1)
    sums, times = np.unique(each, axis=0, return_counts=True)
    found = estimate_cluster_variance(*sums.T, times, share * (1 - share))
    variance, freedom = plain_cr2(sizes, hits)
    assert found.variance == pytest.approx(variance)
    assert found.degrees_of_freedom == pytest.approx(freedom)
    assert 0.99 <= found.degrees_of_freedom <= len(sizes) - 0.99


def test_clusters_of_one_size_have_one_degree_of_freedom_less_than_there_are() -> None:
    each = np.array([[3, 1], [3, 2], [3, 0], [3, 3]])
    assert estimate_cluster_variance(
        *each.T, np.array([5, 4, 3, 2]), 0.25
    ).degrees_of_freedom == pytest.approx(13)


@pytest.mark.parametrize("freedom", [3, 3.5, 5, 10, 30, 1000])
def test_students_quantile(freedom: float) -> None:
    from scipy.stats import t

    assert compute_t_quantile(freedom) == pytest.approx(t.ppf(0.975, freedom), rel=0.005)


def test_one_cluster_that_holds_a_third_of_the_pairs_costs_more_than_its_variance() -> None:
    rng = np.random.default_rng(6)
    even = np.stack([np.full(40, 3), rng.binomial(3, 0.6, 40)], axis=1)
    uneven = np.stack([np.array([40] + [2] * 40), np.array([24, *rng.binomial(2, 0.6, 40)])], axis=1)
    ones = np.ones(41, np.int64)
    free = [
        estimate_cluster_variance(*each.T, ones[: len(each)], 0.24).degrees_of_freedom
        for each in (even, uneven)
    ]
    assert free[1] < free[0] / 3
    assert (
        compute_effective_sample_size([ClusterLayer(uneven, ones)], 0.24)
        < 0.24 / estimate_cluster_variance(*uneven.T, ones, 0.24).variance
    )


def test_crossed_columns_count_at_least_as_much_as_each_alone() -> None:
    rng = np.random.default_rng(7)
    claim, document = (part.ravel() for part in np.indices((20, 25)))
    ease = rng.normal(size=20)[claim] + rng.normal(size=25)[document] + rng.normal(size=500)
    right = ease > 0
    crossed, alone = {"group": claim, "premise": document}, {"id": np.arange(500)}
    answers = pl.DataFrame({"gold": [E] * 500, "prediction": np.where(right, E, X)})
    widths = {}
    for name, columns in {
        "both": crossed,
        "g": {"group": claim},
        "p": {"premise": document},
        "no": alone,
    }.items():
        row = make_score_rows(pl.DataFrame(columns), answers).row(0, named=True)
        widths[name] = row["high"] - row["low"]
        assert (
            row["interval"]
            == {
                "both": "clusters: group x premise",
                "g": "clusters: group",
                "p": "clusters: premise",
                "no": WILSON,
            }[name]
        )
    assert widths["both"] > max(widths["g"], widths["p"]) > widths["no"]


def test_copies_of_a_pair_are_worth_one() -> None:
    once = pairs_of(list(range(40)), [True, True, True, False] * 10)
    thrice = pairs_of(
        sorted([*range(40)] * 3), [hit for hit in [True, True, True, False] * 10 for _ in "abc"]
    )
    alone, copied = (make_score_rows(*each).row(0, named=True) for each in (once, thrice))
    assert (alone["interval"], copied["interval"]) == (WILSON, "clusters: group")
    assert copied["n"] == 120
    assert copied["high"] - copied["low"] == pytest.approx(alone["high"] - alone["low"], rel=0.05)
    assert wilson_interval(90, 120)[0] > copied["low"]


@pytest.mark.parametrize("right", [True, False])
def test_where_all_is_alike_the_pairs_of_a_cluster_count_as_one(right: bool) -> None:
    row = make_score_rows(*pairs_of(sorted([*range(20)] * 3), [right] * 60)).row(0, named=True)
    low, high = wilson_interval(20 * right, 20)
    assert (row["low"], row["high"]) == (pytest.approx(float(low)), pytest.approx(float(high)))
    assert row["accuracy"] in (row["low"], row["high"])


def test_twins_of_which_one_is_right_leave_room_for_one_that_is_not() -> None:
    row = make_score_rows(*pairs_of(sorted([*range(50)] * 2), [True, False] * 50)).row(0, named=True)
    assert row["low"] == pytest.approx(0.5 - 1.96**2 / 100, abs=0.002)
    assert row["high"] == pytest.approx(0.5 + 1.96**2 / 100, abs=0.002)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 6), st.integers(0, 6)), min_size=2, max_size=40).filter(
        lambda given: any(n > 1 for n, _ in given)
    )
)
def test_the_interval_holds_the_share_and_has_a_width(given_clusters: list[tuple[int, int]]) -> None:
    each = np.array([(n, min(n, right)) for n, right in given_clusters], dtype=np.int64)
    sums, times = np.unique(each, axis=0, return_counts=True)
    n, right = times @ sums
    low, high = compute_clustered_interval([ClusterLayer(sums, times)])
    assert 0 <= low <= right / n <= high <= 1
    assert high - low >= 1 / n


def test_ten_clusters_are_the_limit_and_it_is_noted() -> None:
    right = [True, True, False, True] * 5
    few = make_score_rows(*pairs_of(sorted([*range(MIN_CLUSTERS - 1)] * 2), right[: 2 * MIN_CLUSTERS - 2]))
    assert few["interval"].to_list() == [TOO_FEW_CLUSTERS] * 2
    correct, n = few.row(0, named=True)["correct"], few.row(0, named=True)["n"]
    assert few["low"][0] == wilson_interval(correct, n)[0]
    enough = make_score_rows(*pairs_of(sorted([*range(MIN_CLUSTERS)] * 2), right))
    assert enough["interval"].to_list() == ["clusters: group"] * 2


def test_a_cell_in_which_all_are_alone_has_wilsons() -> None:
    groups = sorted([*range(20)] * 2)
    pairs = pl.DataFrame({"id": [str(i) for i in range(40)], "group": groups, "label": [E, X] * 20})
    answers = pl.DataFrame({"id": pairs["id"], "label": [E, E, N, N] * 10})
    rows = score_predictions(pairs, answers).rows
    assert dict(rows.select("gold", "interval").rows()) == {E: WILSON, X: WILSON, "all": "clusters: group"}


def test_what_is_shared_can_be_given() -> None:
    pairs, answers = pairs_of(sorted([*range(20)] * 2), [True, False, True, True] * 10)
    assert make_score_rows(pairs, answers, (), find_sharing(pairs)).equals(make_score_rows(pairs, answers))
    alone = make_score_rows(pairs, answers, (), Sharing())
    assert set(alone["interval"]) == {WILSON}
