"""Which pairs belong together: one column, columns within others, chains over several, and columns that cross."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rightreasons.scoring.sharing import MIN_CLUSTERS, WILSON, Sharing, find_sharing

VALUES = st.one_of(st.none(), st.integers(0, 30))
ROWS = st.lists(st.tuples(VALUES, VALUES, VALUES), min_size=MIN_CLUSTERS, max_size=80)


def frame(**columns: list[object]) -> pl.DataFrame:
    return pl.DataFrame(
        {name: pl.Series(values, dtype=pl.String, strict=False) for name, values in columns.items()}
    )


def clusters_of(found: Sharing) -> list[set[int]]:
    """List the clusters of two pairs and more."""
    assert found.clusters is not None
    assert found.clusters.width == 1
    rows = found.clusters.to_series().rename("cluster").to_frame().with_row_index("row").drop_nulls()
    return sorted(map(set, rows.group_by("cluster").agg("row")["row"].to_list()), key=min)


def many(start: int) -> list[object]:
    return [f"alone {start + place}" for place in range(MIN_CLUSTERS)]


@pytest.mark.parametrize(
    ("columns", "named"),
    [
        ({"group": ["g", "g", "h"], "source_id": ["s", "s", "t"], "premise": ["p", "p", "q"]}, ("group",)),
        ({"group": ["g", "h", "i"], "source_id": ["s", "s", "t"], "premise": ["p", "p", "p"]}, ("premise",)),
        ({"group": [None] * 3, "source_id": ["s", "t", "u"], "premise": ["p", "q", "p"]}, ("premise",)),
        ({"group": ["g", "g", "h"], "premise": ["p", "q", "q"]}, ("group", "premise")),
        ({"group": [None, None, "g"], "premise": ["p", "q", "r"]}, ()),
        ({"hypothesis": ["h", "h", "h"]}, ()),
    ],
)
def test_columns_within_others_are_left_out(columns: dict[str, list[object]], named: tuple[str, ...]) -> None:
    table = frame(**{name: [*values, *many(0)] for name, values in columns.items()})
    assert find_sharing(table).columns == named


def test_pairs_without_a_group_or_alone_in_it_have_no_cluster() -> None:
    shared = find_sharing(frame(group=["g", None, "h", "g", None, *many(0)]))
    assert shared.interval_kind == "clusters: group"
    assert clusters_of(shared) == [{0, 3}]
    assert find_sharing(frame(group=["g", "h"])).interval_kind == WILSON


def test_a_group_of_two_pairs_does_not_hide_the_premises() -> None:
    premises = [f"p{place // 3}" for place in range(60)]
    found = find_sharing(frame(group=["g", None, None, "g", *[None] * 56], premise=premises))
    assert found.interval_kind == "clusters: group, premise"
    assert clusters_of(found)[0] == {0, 1, 2, 3, 4, 5}
    assert [len(each) for each in clusters_of(found)] == [6] + [3] * 18


def test_a_chain_through_several_columns_is_one_cluster() -> None:
    length = 3 * MIN_CLUSTERS
    chain = frame(
        group=[f"g{place // 2}" for place in range(length)],
        premise=[f"p{(place + 1) // 2}" for place in range(length)],
    )
    rest = frame(group=[None] * 20 * length, premise=[f"a{place}" for place in range(20 * length)])
    apart = pl.concat([chain.with_columns(pl.all() + f" {copy}") for copy in range(MIN_CLUSTERS)])
    assert [len(each) for each in clusters_of(find_sharing(pl.concat([apart, rest])))] == [
        length
    ] * MIN_CLUSTERS


def test_columns_that_join_everything_are_kept_apart() -> None:
    claims, documents = 12, 15
    crossed = frame(
        group=[place // documents for place in range(claims * documents)],
        premise=[place % documents for place in range(claims * documents)],
    )
    found = find_sharing(crossed)
    assert found.interval_kind == "clusters: group x premise"
    assert found.clusters is not None
    assert found.clusters.columns == ["+group", "+premise", "-group premise"]
    assert [one.n_unique() for one in found.clusters] == [claims, documents, 1]
    assert found.clusters["-group premise"].null_count() == crossed.height
    assert found.coarsest_clusters is not None
    assert found.coarsest_clusters.name == "+group"


@pytest.mark.parametrize("values", [1, MIN_CLUSTERS - 1])
def test_a_column_of_few_values_does_not_hide_the_others(values: int) -> None:
    few = [f"g{place % values}" for place in range(60)]
    found = find_sharing(frame(group=few, premise=[f"p{place // 2}" for place in range(60)]))
    assert found.interval_kind == "clusters: premise (not group: fewer than ten values)"
    assert len(clusters_of(found)) == 30
    assert find_sharing(frame(group=few)).interval_kind == "clusters: group"


@settings(deadline=None)
@given(ROWS)
def test_components_are_those_of_a_plain_search(rows: list[tuple[int | None, ...]]) -> None:
    # So many pairs on their own keep the components worth more than ten, and each column has more than ten values.
    lonely = [(f"{place}", f"{place}", f"{place}") for place in range(100, 4000)]
    whole = [*rows, *lonely]
    group, source, premise = (list(column) for column in zip(*whole, strict=True))
    found = find_sharing(frame(group=group, source_id=source, premise=premise))
    expected = _searched(rows)
    assert ([] if found.clusters is None else clusters_of(found)) == expected


def _searched(rows: list[tuple[int | None, ...]]) -> list[set[int]]:
    """Grow each cluster pair by pair."""
    left, clusters = set(range(len(rows))), []
    while left:
        cluster, grown = set(), {min(left)}
        while grown - cluster:
            cluster |= grown
            grown = {
                other
                for other in range(len(rows))
                for one in cluster
                if any(a is not None and a == b for a, b in zip(rows[one], rows[other], strict=True))
            } | cluster
        left -= cluster
        clusters.append(cluster)
    return sorted((cluster for cluster in clusters if len(cluster) > 1), key=min)
