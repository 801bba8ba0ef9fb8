"""Equal pairs with different gold labels, against a loop over the pairs."""

from __future__ import annotations

import pytest
from corpora_by_hand import make_corpus
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.audits.label_conflicts import (
    LabelConflicts,
    make_conflict_example_exhibit,
    make_conflict_exhibit,
)
from rightreasons.audits.repeated_pairs import RepeatedPairs

E, N, C = "entailment", "neutral", "contradiction"
Rows = list[tuple[str, str, str | None]]
row_lists = st.lists(
    st.tuples(
        st.sampled_from(["a b", "A b.", "c"]),
        st.sampled_from(["d", "D!", "e"]),
        st.sampled_from([E, N, C, None]),
    ),
    max_size=14,
)


def find_conflicts(rows: Rows) -> LabelConflicts:
    corpus = make_corpus(rows)
    return LabelConflicts.from_corpus(corpus, RepeatedPairs.from_pairs(corpus.pairs).normalised)


def group_labels(rows: Rows) -> dict[tuple[str, str], list[str]]:
    groups: dict[tuple[str, str], list[str]] = {}
    for premise, hypothesis, label in rows:
        key = (premise.lower().strip("."), hypothesis.lower().strip("!"))
        groups.setdefault(key, []).extend([label] if label else [])
    return groups


@given(row_lists)
def test_conflicts_are_those_of_a_loop(rows: Rows) -> None:
    conflicts, groups = find_conflicts(rows), group_labels(rows)
    of_rows = [groups[p.lower().strip("."), h.lower().strip("!")] for p, h, _ in rows]
    expected = [
        label is not None and len(set(labels)) > 1 for (*_, label), labels in zip(rows, of_rows, strict=True)
    ]
    assert conflicts.conflicting_rows.tolist() == expected
    repeated = [labels for labels in groups.values() if len(labels) > 1]
    share = conflicts.share_of_repeated
    assert (share.n, share.hits) == (len(repeated), sum(len(set(labels)) > 1 for labels in repeated))
    counts = conflicts.count_label_sets()
    assert sum(counts.values()) == len(repeated)
    for names, count in counts.items():
        assert count == sum(set(labels) == set(names) for labels in repeated)
    assert [len(names) for names in counts] == sorted(len(names) for names in counts)


@given(row_lists)
def test_a_pair_conflicts_with_those_that_conflict_with_it(rows: Rows) -> None:
    conflicts = find_conflicts(rows)
    flags, numbers = conflicts.conflicting_rows.tolist(), conflicts.number.tolist()
    for place, (*_, label) in enumerate(rows):
        others = [
            at
            for at, (*_, other) in enumerate(rows)
            if numbers[at] == numbers[place] and other is not None and other != label
        ]
        assert flags[place] == (label is not None and bool(others))
        assert not flags[place] or all(flags[at] for at in others)


@given(row_lists)
def test_the_order_of_rows_changes_no_conflict(rows: Rows) -> None:
    there, back = find_conflicts(rows), find_conflicts(rows[::-1])
    assert there.conflicting_rows.tolist() == back.conflicting_rows.tolist()[::-1]
    assert there.count_label_sets() == back.count_label_sets()


def test_tables_by_hand() -> None:
    rows: Rows = (
        [("x", "y", E)] * 3 + [("x", "y", C)] + [("a", "b", N), ("a", "b", E), ("p", "q", N), ("p", "q", N)]
    )
    corpus, conflicts = make_corpus(rows), find_conflicts(rows)
    table = make_conflict_exhibit(conflicts).frame
    assert table.select("labels", "repeated pairs").rows() == [
        (N, 1),
        (f"{E} and {N}", 1),
        (f"{E} and {C}", 1),
    ]
    assert table["share"].to_list() == pytest.approx([1 / 3] * 3)
    examples = make_conflict_example_exhibit(corpus, conflicts, 1).frame
    assert examples.rows() == [(f"3 {E}, 1 {C}", "x", "y")]
    assert make_conflict_example_exhibit(corpus, conflicts, 9).frame.height == 2


@pytest.mark.parametrize("rows", [[], [("a", "b", E)], [("a", "b", None), ("a", "b", None)]])
def test_without_repetition_there_is_no_share(rows: Rows) -> None:
    conflicts = find_conflicts(rows)
    assert (conflicts.share_of_repeated.n, conflicts.share_of_repeated.share) == (0, None)
    assert make_conflict_exhibit(conflicts).frame.columns == [
        "labels",
        "repeated pairs",
        "share",
        "share_low",
        "share_high",
    ]
    assert make_conflict_example_exhibit(make_corpus(rows), conflicts, 5).frame.is_empty()
