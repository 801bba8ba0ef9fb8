"""The tables of the audit of duplicates, against loops over the pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from corpora_by_hand import make_corpus
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.audits.duplicate_tables import (
    compute_row_share,
    make_hypothesis_exhibit,
    make_kind_exhibit,
    make_near_example_exhibit,
    make_sharing_exhibit,
    make_split_exhibit,
)
from rightreasons.audits.repeated_pairs import NearPair, RepeatedPairs
from rightreasons.scoring.intervals import wilson_interval
from rightreasons.scoring.proportion import compute_proportion

if TYPE_CHECKING:
    from corpora_by_hand import Row

E, N, C = "entailment", "neutral", "contradiction"
row_lists = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("xyz"), st.sampled_from([E, N, None])),
    min_size=1,
    max_size=12,
)


@given(row_lists)
def test_sharing_counts_texts_and_pairs(rows: list[Row]) -> None:
    frame = make_sharing_exhibit(RepeatedPairs.from_pairs(make_corpus(rows).pairs)).frame
    for place, side in enumerate(("premise", "hypothesis")):
        texts = [row[place] for row in rows]
        own = frame.filter(text=side)
        assert own["pairs"].sum() == len(rows)
        assert own["texts"].sum() == len(set(texts))
        assert own["share"].sum() == pytest.approx(1)
        alone = own.filter(pl.col("shared by") == "1 pair")
        assert alone["texts"].to_list() == [sum(texts.count(text) == 1 for text in set(texts))]


@pytest.mark.parametrize(
    ("times", "name"),
    [
        (1, "1 pair"),
        (3, "3 pairs"),
        (4, "4 to 9 pairs"),
        (9, "4 to 9 pairs"),
        (10, "10 to 99 pairs"),
        (100, "100 and more"),
    ],
)
def test_bins_of_sharing_begin_where_they_say(times: int, name: str) -> None:
    rows: list[Row] = [("p", f"h{place}", E) for place in range(times)]
    frame = make_sharing_exhibit(RepeatedPairs.from_pairs(make_corpus(rows).pairs)).frame
    found = frame.filter(pl.col("text") == "premise", pl.col("pairs") > 0)
    assert found.select("shared by", "texts", "pairs").rows() == [(name, 1, times)]


@given(row_lists, st.integers(0, 4))
def test_the_most_frequent_hypotheses_come_first(rows: list[Row], count: int) -> None:
    corpus = make_corpus(rows)
    frame = make_hypothesis_exhibit(corpus, RepeatedPairs.from_pairs(corpus.pairs), count).frame
    texts = [text for _, text, _ in rows]
    repeated = sorted(
        (text for text in set(texts) if texts.count(text) > 1), key=lambda text: (-texts.count(text), text)
    )
    assert frame["hypothesis"].to_list() == repeated[:count]
    for row in frame.iter_rows(named=True):
        labels = [label for _, text, label in rows if text == row["hypothesis"]]
        assert row["pairs"] == len(labels)
        for label in corpus.labels:
            assert row[label] == labels.count(label)


@given(row_lists, st.data())
def test_pairs_that_splits_share_are_those_of_a_loop(rows: list[Row], data: st.DataObject) -> None:
    names = st.sampled_from(["train", "dev", None])
    splits = data.draw(st.lists(names, min_size=len(rows), max_size=len(rows)))
    corpus = make_corpus(rows, split=splits)
    exhibit, share = make_split_exhibit(corpus, RepeatedPairs.from_pairs(corpus.pairs))
    known = [(row, split) for row, split in zip(rows, splits, strict=True) if split]

    def count(width: int, inside: str | None) -> tuple[int, int]:
        own = [(row[:width], split) for row, split in known if inside in (None, split)]
        crossing = [
            key for key, split in own if any(row[:width] == key and other != split for row, other in known)
        ]
        return len(crossing), len(own)

    assert (share.hits, share.n) == count(1, None)
    for row in exhibit.frame.iter_rows(named=True):
        inside = None if row["split"] == "all" else row["split"]
        for width, column in ((1, "premise in another split"), (2, "pair in another split")):
            hits, n = count(width, inside)
            assert row["pairs"] == n
            assert row[column] == (pytest.approx(hits / n) if n else None)
    assert exhibit.frame["split"].to_list() == [*sorted({split for split in splits if split}), "all"]


def test_shares_are_of_the_chosen_rows() -> None:
    corpus = make_corpus([(f"p{place}", "h", E) for place in range(6)])
    hits, among = pl.Series([True, True, False, False, True, True]), pl.Series([True] * 4 + [False] * 2)
    share = compute_row_share(corpus, hits, among)
    low, high = wilson_interval(2, 4)
    assert (share.hits, share.n, share.low, share.high) == (2, 4, pytest.approx(low), pytest.approx(high))


def test_kinds_without_a_surplus_have_none() -> None:
    shares = {"exact pair": compute_proportion(2, 8), "swapped pair": compute_proportion(0, 8)}
    frame = make_kind_exhibit(shares, {"exact pair": 1}).frame
    assert frame.select("duplicate", "pairs", "repeated", "share", "surplus").rows() == [
        ("exact pair", 8, 2, 0.25, 1),
        ("swapped pair", 8, 0, 0.0, None),
    ]


def test_the_least_similar_near_duplicates_come_first() -> None:
    corpus = make_corpus([("a", "b", E), ("c", "d", None), ("e", "f", C)])
    found = [NearPair(0, 2, 0.9), NearPair(1, 0, 0.8), NearPair(2, 1, 0.95)]
    frame = make_near_example_exhibit(corpus, found, 2).frame
    assert frame.select("similarity", "label", "premise", "near label", "near hypothesis").rows() == [
        (0.8, "", "c", E, "b"),
        (0.9, E, "a", C, "f"),
    ]
    assert make_near_example_exhibit(corpus, [], 2).frame.is_empty()
