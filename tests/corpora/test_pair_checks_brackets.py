"""Malformed trees are found in whole columns as reading them one by one would find them."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rightreasons.core import trees
from rightreasons.core.errors import InputError
from rightreasons.corpora.pair_checks import find_first_malformed_tree, mark_malformed_trees

GOOD = "(ROOT (S (NP (DT The) (NN judge)) (VP (VBD slept)) (. .)))"
PIECES = st.lists(st.sampled_from(["(", ")", "(NP ", "judge", " "]), max_size=8).map("".join)


def is_tree(text: str) -> bool:
    try:
        trees.parse_tree(text)
    except InputError:
        return False
    return text.strip().startswith("(")


@given(st.lists(PIECES, min_size=1, max_size=5))
@example(["(NP judge))", "(", "(NP judge)"])
def test_it_agrees_with_the_reader(texts: list[str]) -> None:
    given_trees = pl.Series([text if text.strip() else None for text in texts], dtype=pl.String)
    wrong = [row for row, text in enumerate(given_trees) if text is not None and not is_tree(text)]
    assert find_first_malformed_tree(given_trees) == min(wrong, default=None)
    assert mark_malformed_trees(given_trees).arg_true().to_list() == wrong


@pytest.mark.parametrize(
    "bad", [GOOD[:-1], GOOD + ")", GOOD + GOOD, "(NP)", "()", "word", ")(", "(NP a) b", "(A\nB c)"]
)
def test_the_row_is_found(bad: str) -> None:
    trees_given = pl.Series([GOOD, None, GOOD, bad, GOOD, bad])
    assert find_first_malformed_tree(trees_given) == 3
    assert mark_malformed_trees(trees_given).arg_true().to_list() == [3, 5]


@given(st.lists(PIECES, min_size=1, max_size=5))
@example(["judge ( judge )", "judge judge", "judge", "(NP)"])
def test_binary_trees_agree_with_the_reader(texts: list[str]) -> None:
    def can_be_read(text: str) -> bool:
        try:
            trees.parse_tree(text)
        except InputError:
            return False
        return True

    given_trees = pl.Series([text if text.strip() else None for text in texts], dtype=pl.String)
    wrong = [row for row, text in enumerate(given_trees) if text is not None and not can_be_read(text)]
    assert mark_malformed_trees(given_trees, binary=True).arg_true().to_list() == wrong


def test_binary_trees_may_be_bare_words() -> None:
    assert find_first_malformed_tree(pl.Series(["( a b )", "word", "( ( a b ) c )"]), binary=True) is None
    assert find_first_malformed_tree(pl.Series(["( a b )", "( a b"]), binary=True) == 1
