"""Pairs that share something: which column, how they are summed, and what that does to the interval."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rightreasons.scoring.accuracy import count_right, score
from rightreasons.scoring.cells import cells
from rightreasons.scoring.clusters import (
    FEWEST,
    TOO_FEW,
    WILSON,
    Sharing,
    clustered,
    drawn,
    share_interval,
    sharing,
    variance_of,
)
from rightreasons.scoring.intervals import wilson

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
    return pairs, pl.DataFrame({"gold": gold, "answer": answer})


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        ({"group": ["g", "g", "h"], "source_id": ["s", "s", "s"], "premise": ["p"] * 3}, "group"),
        ({"group": ["g", "h", "i"], "source_id": ["s", "s", "t"], "premise": ["p"] * 3}, "source_id"),
        ({"group": [None] * 3, "source_id": ["s", "t", "u"], "premise": ["p", "q", "p"]}, "premise"),
        ({"group": [None, None, "g"], "premise": ["p", "q", "r"]}, None),
        ({"hypothesis": ["h", "h", "h"]}, None),
    ],
)
def test_the_first_column_that_pairs_share_is_taken(columns: dict[str, list[str]], found: str | None) -> None:
    assert sharing(pl.DataFrame(columns)).column == found


def test_pairs_without_a_group_or_alone_in_it_have_no_cluster() -> None:
    shared = sharing(pl.DataFrame({"group": ["g", None, "h", "g", None]}))
    assert shared.kind == "clusters: group"
    assert shared.clusters is not None
    assert shared.clusters.is_null().to_list() == [False, True, True, False, True]


@settings(deadline=None)
@given(ROWS)
def test_sums_are_those_of_a_plain_loop(rows: list[tuple[str, str, int | None, bool]]) -> None:
    tag, gold, group, right = (list(column) for column in zip(*rows, strict=True))
    pairs = pl.DataFrame({"tag": tag, "group": pl.Series(group, dtype=pl.Int64)})
    found, shared = cells(pairs, pl.Series(gold), ["tag"]), sharing(pairs)
    made = clustered(found, shared, pl.DataFrame({"right": right}))
    for cell, (name, label) in enumerate(found.rows.iter_rows()):
        inside = [row for row in rows if row[0] == name and label in (row[1], "all")]
        clusters: dict[object, list[int]] = {}
        for place, row in enumerate(inside):
            sums = clusters.setdefault(("alone", place) if row[2] is None else row[2], [0, 0])
            sums[0] += 1
            sums[1] += row[3]
        sums, times = made[cell]
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
        return sorted(count_right(pairs, pl.DataFrame({"gold": gold, "answer": answers}), ["tag"]).rows())

    mixed = list(rows)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    assert scored(rows) == scored(mixed)


def test_drawing_kinds_is_drawing_clusters() -> None:
    rng = np.random.default_rng(5)
    sizes = rng.integers(1, 5, 60)
    each = np.stack([sizes, rng.binomial(sizes, rng.beta(1, 1, 60))], axis=1)
    sums, times = np.unique(each, axis=0, return_counts=True)
    ours = drawn(sums, times, draws=20_000)
    plain = each[rng.integers(0, 60, (20_000, 60))].sum(axis=1)
    for mine, theirs in zip(ours.T, plain.T, strict=True):
        assert mine.mean() == pytest.approx(theirs.mean(), rel=0.01)
        assert mine.std() == pytest.approx(theirs.std(), rel=0.03)


def test_the_variance_is_that_of_drawing_clusters_and_hardly_depends_on_the_draws() -> None:
    rng = np.random.default_rng(8)
    sizes = rng.integers(1, 7, 40)
    each = np.stack([sizes, rng.binomial(sizes, rng.beta(1, 1, 40))], axis=1)
    sums, times = np.unique(each, axis=0, return_counts=True)
    plain = each[rng.integers(0, 40, (200_000, 40))].sum(axis=1)
    expected = np.var(plain[:, 1] / plain[:, 0])
    found = [variance_of(*sums.T, times, drawn(sums, times, seed=seed)) for seed in range(20)]
    assert found == pytest.approx([expected] * 20, rel=0.04)
    alone = [np.var(np.divide(*drawn(sums, times, seed=seed).T[::-1])) for seed in range(20)]
    assert np.std(found) < np.std(alone) / 3


def test_copies_of_a_pair_are_worth_one() -> None:
    once = pairs_of(list(range(40)), [True, True, True, False] * 10)
    thrice = pairs_of(
        sorted([*range(40)] * 3), [hit for hit in [True, True, True, False] * 10 for _ in "abc"]
    )
    alone, copied = (count_right(*each).row(0, named=True) for each in (once, thrice))
    assert (alone["interval"], copied["interval"]) == (WILSON, "clusters: group")
    assert copied["n"] == 120
    assert copied["high"] - copied["low"] == pytest.approx(alone["high"] - alone["low"], rel=0.02)
    assert wilson(90, 120)[0] > copied["low"]


@pytest.mark.parametrize("right", [True, False])
def test_where_all_is_alike_the_pairs_of_a_cluster_count_as_one(right: bool) -> None:
    row = count_right(*pairs_of(sorted([*range(20)] * 3), [right] * 60)).row(0, named=True)
    low, high = wilson(20 * right, 20)
    assert (row["low"], row["high"]) == (pytest.approx(float(low)), pytest.approx(float(high)))
    assert row["accuracy"] in (row["low"], row["high"])


def test_twins_of_which_one_is_right_leave_room_for_one_that_is_not() -> None:
    row = count_right(*pairs_of(sorted([*range(50)] * 2), [True, False] * 50)).row(0, named=True)
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
    low, high = share_interval(sums, times)
    assert 0 <= low <= right / n <= high <= 1
    assert high - low >= 1 / n


def test_ten_clusters_are_the_limit_and_it_is_told() -> None:
    right = [True, True, False, True] * 5
    few = count_right(*pairs_of(sorted([*range(FEWEST - 1)] * 2), right[: 2 * FEWEST - 2]))
    assert few["interval"].to_list() == [TOO_FEW] * 2
    correct, n = few.row(0, named=True)["correct"], few.row(0, named=True)["n"]
    assert few["low"][0] == wilson(correct, n)[0]
    enough = count_right(*pairs_of(sorted([*range(FEWEST)] * 2), right))
    assert enough["interval"].to_list() == ["clusters: group"] * 2


def test_a_cell_in_which_all_are_alone_has_wilsons() -> None:
    groups = sorted([*range(20)] * 2)
    pairs = pl.DataFrame({"id": [str(i) for i in range(40)], "group": groups, "label": [E, X] * 20})
    answers = pl.DataFrame({"id": pairs["id"], "label": [E, E, N, N] * 10})
    rows = score(pairs, answers).rows
    assert dict(rows.select("gold", "interval").rows()) == {E: WILSON, X: WILSON, "all": "clusters: group"}


def test_what_is_shared_can_be_given() -> None:
    pairs, answers = pairs_of(sorted([*range(20)] * 2), [True, False, True, True] * 10)
    assert count_right(pairs, answers, (), sharing(pairs)).equals(count_right(pairs, answers))
    alone = count_right(pairs, answers, (), Sharing(None, None))
    assert set(alone["interval"]) == {WILSON}
