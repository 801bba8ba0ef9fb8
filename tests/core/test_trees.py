"""Bracketed trees: spelling and structure, alone and in columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rightreasons.core import trees
from rightreasons.core.errors import InputError
from rightreasons.core.heuristics import find_subtrees
from rightreasons.core.trees import Tree

if TYPE_CHECKING:
    from pathlib import Path

WORDS = st.text(alphabet="abcéß.,-", min_size=1, max_size=4)
LABELS = st.sampled_from(["", "S", "NP", "SBAR", "-NONE-"])
NODES = st.recursive(
    st.builds(
        lambda label, words: Tree(label, tuple(words)), LABELS, st.lists(WORDS, min_size=1, max_size=2)
    ),
    lambda inner: st.builds(
        lambda label, nodes: Tree(label, tuple(nodes)),
        LABELS,
        st.lists(inner | WORDS, min_size=1, max_size=4),
    ),
    max_leaves=20,
)
SENTENCE = "(ROOT (S (NP (DT The) (NN judge)) (VP (VBD ate) (NP (DT the) (NN ice cream))) (. .)))"


@settings(deadline=None)
@given(NODES)
def test_what_is_shown_reads_back(tree: Tree) -> None:
    assert trees.parse_tree(trees.format_tree(tree)) == tree


@settings(deadline=None)
@given(NODES)
def test_binary_parses_keep_the_words_and_are_binary(tree: Tree) -> None:
    binary = trees.parse_tree(trees.binarise_tree(tree))
    assert trees.list_tree_words(binary) == trees.list_tree_words(tree)
    if len(trees.list_tree_words(tree)) > 1:
        assert all(span.stop - span.start > 1 for span in trees.list_spans(binary))
        assert len(trees.list_spans(binary)) == len(trees.list_tree_words(tree)) - 1


@settings(deadline=None)
@given(NODES)
def test_a_binary_parse_is_its_own_binary_parse(tree: Tree) -> None:
    once = trees.binarise_tree(tree)
    assert trees.binarise_tree(trees.parse_tree(once)) == once


@settings(deadline=None)
@given(st.lists(NODES, max_size=6), st.sampled_from(["S", "NP", "SBAR"]))
def test_nodes_of_a_column_are_those_of_its_trees(column: list[Tree], label: str) -> None:
    found = find_subtrees(
        pl.Series("parse", [trees.format_tree(tree) for tree in column], dtype=pl.String), label
    )
    expected = [
        (row, words) for row, tree in enumerate(column) for words in trees.list_constituents(tree, label)
    ]
    assert [
        (row, tuple(trees.list_tree_words(trees.parse_tree(text)))) for row, text in found.iter_rows()
    ] == expected


def test_words_spans_and_constituents() -> None:
    tree = trees.parse_tree(SENTENCE)
    assert trees.list_tree_words(tree) == ["The", "judge", "ate", "the", "ice", "cream", "."]
    assert trees.list_spans(tree)[:3] == [("ROOT", 0, 7), ("S", 0, 7), ("NP", 0, 2)]
    assert trees.list_constituents(tree, "NP") == [("The", "judge"), ("the", "ice", "cream")]


@pytest.mark.parametrize(
    ("tree", "binary"),
    [
        (SENTENCE, "( ( The judge ) ( ( ate ( the ( ice cream ) ) ) . ) )"),
        ("(X a b c d)", "( a ( b ( c d ) ) )"),
        ("(X (Y (Z a)))", "a"),
        ("word", "word"),
        ("( a ( b c ) )", "( a ( b c ) )"),
        ("(S(NP  a)\n(VP b))", "( a b )"),
    ],
)
def test_binarise(tree: str, binary: str) -> None:
    assert trees.binarise_tree(trees.parse_tree(tree)) == binary


def test_a_space_after_the_bracket_means_no_label() -> None:
    assert trees.parse_tree("( the judge )").label == ""
    assert trees.parse_tree("(the judge)").label == "the"


@pytest.mark.parametrize(
    ("text", "what", "place"),
    [
        ("", "is empty", 1),
        ("(S (NP a)", "ends with 1 open", 10),
        ("(S a))", "continues", 6),
        (")", "never opened", 1),
        ("(S (NP ) b)", "without words", 8),
        ("(S)", "without words", 3),
        ("(S a) (S b)", "continues", 7),
        ("a b", "continues", 3),
    ],
)
def test_malformed_trees_are_refused_with_their_place(text: str, what: str, place: int) -> None:
    with pytest.raises(InputError, match=rf"{what}.* character {place}\."):
        trees.parse_tree(text)
    for column in ([text], ["(S a)", None, text, "(S a)"]):
        with pytest.raises(InputError, match=rf"'parse', row {1 if len(column) == 1 else 3}: .*{what}"):
            find_subtrees(pl.Series("parse", column), "S")
        with pytest.raises(InputError, match=f"'parse', row.*{what}"):
            trees.binarise_column(pl.Series("parse", column))


def test_brackets_that_balance_only_across_rows_are_refused() -> None:
    with pytest.raises(InputError, match="row 1"):
        find_subtrees(pl.Series("parse", ["(S a", "b)"]), "S")


def test_no_tree_is_too_deep() -> None:
    depth = 50_000
    text = "(S a " * depth + "b" + ")" * depth
    tree = trees.parse_tree(text)
    assert trees.format_tree(tree) == text
    assert tree == trees.parse_tree(text)
    assert len(trees.list_tree_words(tree)) == depth + 1
    assert trees.binarise_tree(tree) == "( a " * depth + "b" + " )" * depth
    assert trees.list_spans(tree)[-1] == ("S", depth - 1, depth + 1)


def test_columns_keep_nulls_and_names() -> None:
    column = pl.Series("parse", ["(S a b)", None, "(S a b)"])
    assert trees.binarise_column(column).to_list() == ["( a b )", None, "( a b )"]
    assert trees.binarise_column(column).name == "parse"
    assert find_subtrees(column, "S").rows() == [(0, "(S a b)"), (2, "(S a b)")]


@pytest.mark.parametrize("name", ["heuristics_evaluation_set.txt", "heuristics_train_set.txt"])
def test_all_released_binary_parses_follow_from_the_trees(shared_data: Path, name: str) -> None:
    table = pl.read_csv(shared_data / "hans" / name, separator="\t", quote_char=None, infer_schema=False)
    for text in ("sentence1", "sentence2"):
        made = trees.binarise_column(table[f"{text}_parse"])
        assert made.equals(table[f"{text}_binary_parse"], null_equal=False)
    assert table.height == 30_000
