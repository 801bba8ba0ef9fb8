"""The annotators' labels as counts, against a loop over the pairs."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.audits.annotator_labels import (
    MOST_LISTED,
    NO_MAJORITY,
    AnnotatorLabels,
    name_divisions,
    rank_division,
)

E, N, C, NON = "entailment", "neutral", "contradiction", "non-entailment"
MEANINGS = {
    "e": E,
    "entailment": E,
    "Neutral": N,
    "contradiction": C,
    "unsure": "unsure",
    "-": None,
    "": None,
}
votes = st.lists(st.lists(st.sampled_from(sorted(MEANINGS)), max_size=7), min_size=1, max_size=8)


def count_votes(words: list[str]) -> Counter[str]:
    return Counter(meaning for word in words if (meaning := MEANINGS[word]))


@given(votes)
def test_counts_and_majorities_are_those_of_a_loop(several: list[list[str]]) -> None:
    gold = pl.Series([E] * len(several))
    labels = AnnotatorLabels.from_columns(pl.Series([", ".join(words) for words in several]), gold)
    counted = [count_votes(words) for words in several]
    used = {name for counts in counted for name in counts}
    assert labels.categories == tuple(name for name in (E, N, C, "unsure") if name in used)
    assert labels.counts.tolist() == [[counts[name] for name in labels.categories] for counts in counted]
    assert labels.annotators.tolist() == [counts.total() for counts in counted]
    for counts, majority, unanimous in zip(counted, labels.majority, labels.unanimous, strict=True):
        (first, most), (_, second) = [*counts.most_common(2), ("", 0), ("", 0)][:2]
        assert majority == (first if most > second and counts.total() > 1 else NO_MAJORITY)
        assert unanimous == (len(counts) <= 1)


@given(votes)
def test_lists_and_texts_are_the_same(several: list[list[str]]) -> None:
    gold = pl.Series([N] * len(several))
    one = AnnotatorLabels.from_columns(pl.Series([",".join(words) for words in several]), gold)
    other = AnnotatorLabels.from_columns(pl.Series(several, dtype=pl.List(pl.String)), gold)
    assert one.categories == other.categories
    assert one.counts.tolist() == other.counts.tolist()


@given(votes)
def test_merged_labels_count_the_same_annotators(several: list[list[str]]) -> None:
    labels = AnnotatorLabels.from_columns(
        pl.Series([",".join(words) for words in several]), pl.Series([NON] * len(several))
    )
    merged = labels.comparable
    assert not {N, C} & set(merged.categories)
    assert merged.annotators.tolist() == labels.annotators.tolist()
    if NON in merged.categories:
        column = merged.counts[:, merged.categories.index(NON)]
        assert column.tolist() == [count_votes(words)[N] + count_votes(words)[C] for words in several]


def test_three_labels_stay_where_nobody_has_two() -> None:
    labels = AnnotatorLabels.from_columns(pl.Series([f"{E},{N}"]), pl.Series([N]))
    assert labels.comparable is labels


def test_names_say_whether_categories_are_labels() -> None:
    gold = pl.Series([E])
    assert AnnotatorLabels.from_columns(pl.Series(["e,1"]), gold).are_named
    assert not AnnotatorLabels.from_columns(pl.Series(["0,1"]), gold).are_named


def test_divisions_are_sorted_from_large_to_small() -> None:
    words = [
        ",".join([E] * e + [N] * n + [C] * c)
        for e, n, c in [(1, 4, 0), (5, 0, 0), (1, 3, 1), (2, 0, 0), (0, 0, 0)]
    ]
    counts = AnnotatorLabels.from_columns(pl.Series(words), pl.Series([E] * 5)).counts
    names = name_divisions(counts).to_list()
    assert names == ["4/1", "5", "3/1/1", "2", ""]
    assert sorted(names[:4], key=rank_division) == ["5", "4/1", "3/1/1", "2"]


@pytest.mark.parametrize(
    ("first", "second", "name"),
    [(100, 0, "90 to 100%"), (90, 10, "90 to 100%"), (89, 11, "80 to 90%"), (50, 50, "50 to 60%")],
)
def test_many_annotators_divide_by_share(first: int, second: int, name: str) -> None:
    words = pl.Series([",".join([E] * first + [N] * second)])
    assert name_divisions(AnnotatorLabels.from_columns(words, pl.Series([E])).counts).to_list() == [name]
    few = pl.Series([",".join([E] * MOST_LISTED)])
    assert name_divisions(AnnotatorLabels.from_columns(few, pl.Series([E])).counts).to_list() == [
        str(MOST_LISTED)
    ]
    assert min([name, "9", "90 to 100%"], key=rank_division) == "9"
