"""Binary parses become words and trees, whole columns at once; what is no binary tree is refused by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rightreasons as rr
from rightreasons.core.errors import InputError
from rightreasons.core.trees import binarise_tree, parse_tree
from rightreasons.nets.text import binary_parses
from rightreasons.nets.text.binary_parses import (
    collect_binary_parses,
    mark_well_formed_parses,
    tokenize_parses,
)

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.nets.text.tokenization import TokenizedTexts

WORDS = st.sampled_from(["a", "b", "(c", "d)", "-LRB-", "\u00e9t\u00e9", "e\u00a0f", "."])
PARSES = st.recursive(WORDS, lambda part: st.builds("( {} {} )".format, part, part), max_leaves=12)
WRONG = [
    "",
    "a b",
    "( a )",
    "( a b",
    "a b )",
    "( a b c )",
    "( ( a b c ) )",
    ") a b (",
    "( a b ) (",
    "( ( a b ) )",
]


def shown(read_parses: TokenizedTexts, row: int) -> str:
    """Write a sentence as a parse again."""
    trees = read_parses.trees
    assert trees is not None
    sentence = read_parses.rows[row]
    start, count = read_parses.starts[sentence], read_parses.counts[sentence]
    parts = [read_parses.words[form] for form in read_parses.forms[start : start + count]]
    nodes = slice(trees.starts[sentence], trees.starts[sentence] + count - 1)
    for left, right in zip(trees.left[nodes], trees.right[nodes], strict=True):
        parts.append(f"( {parts[left]} {parts[right]} )")
    return parts[-1]


def table(**columns: Any) -> pl.DataFrame:
    texts = {"id": ["p1", "p2"], "premise": ["A dog.", "It ran."], "hypothesis": ["A cat.", "It sat."]}
    return pl.DataFrame({**texts, **columns})


@given(st.lists(PARSES, min_size=1, max_size=9), st.sampled_from([1, 2, 100]))
def test_a_parse_is_what_its_words_and_tree_are(parses: list[str], size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(binary_parses, "SLICE_SIZE", size)
        found = tokenize_parses(pl.Series(parses, dtype=pl.String))
        assert mark_well_formed_parses(pl.Series(parses)).all()
    for row, parse in enumerate(parses):
        assert shown(found, row) == parse.replace("-LRB-", "(")
    assert len(found.counts) == len(set(parses))


def test_brackets_are_told_from_words_by_equality_and_spelled_as_texts_do() -> None:
    found = tokenize_parses(pl.Series(["( (a ( -LRB- ( ) -RRB- ) ) )".replace("( )", "( b) ")]))
    assert found.words == ["(a", "(", "b)", ")"]


@pytest.mark.parametrize("parse", WRONG)
def test_what_is_no_binary_tree_is_told_apart_among_others(parse: str) -> None:
    given_parses = pl.Series(["( a b )", parse, "( a ( b c ) )", None])
    assert mark_well_formed_parses(given_parses).tolist() == [True, False, True, False]


@pytest.mark.parametrize("parse", WRONG[1:])
def test_a_malformed_parse_is_refused_with_its_pair(parse: str) -> None:
    pairs = table(
        premise_binary_parse=["( A dog )", "( It ran )"], hypothesis_binary_parse=["( A cat )", parse]
    )
    with pytest.raises(InputError, match=r"hypothesis .*'p2'"):
        collect_binary_parses(pairs)
    with pytest.raises(InputError, match=r"'given' .*row 2"):
        tokenize_parses(pl.Series("given", ["a", parse]))


def test_a_malformed_parse_says_how_many_nodes_it_lacks() -> None:
    with pytest.raises(InputError, match=r"3 words .*0 closing .*2\."):
        tokenize_parses(pl.Series("given", ["the plain text"]))


def test_parses_come_from_the_labelled_ones_where_there_are_no_binary_ones() -> None:
    labelled = "(ROOT (NP (DT A) (NN dog) (. .)))"
    pairs = table(
        premise_parse=[labelled, labelled],
        premise_binary_parse=[None, "( It ( ran . ) )"],
        hypothesis_parse=[labelled, labelled],
        hypothesis_binary_parse=["  ", "( a 555 1234 )"],  # blank, and with a word that has a space in it
    )
    derived = "( A ( dog . ) )"
    premises, hypotheses = collect_binary_parses(pairs)
    assert premises.to_list() == [derived, "( It ( ran . ) )"]
    assert hypotheses.to_list() == [derived, derived]


def test_a_set_that_is_generated_has_the_binary_collect_parses_its_trees() -> None:
    pairs = rr.generate("hans", limit=20).pairs
    premises, _ = collect_binary_parses(pairs)
    assert premises.to_list() == [binarise_tree(parse_tree(tree)) for tree in pairs["premise_parse"]]


def test_pairs_without_parses_ask_for_a_parser() -> None:
    with pytest.raises(InputError, match=r"'p1'.*--parser right-branching\|balanced\|link-grammar\|spacy"):
        collect_binary_parses(table())


def test_the_parser_is_asked_only_where_there_is_no_parse() -> None:
    pairs = table(
        premise_binary_parse=["( ( A dog ) . )", None], hypothesis_binary_parse=["( ( A cat ) . )", "sat"]
    )
    premises, hypotheses = collect_binary_parses(pairs, "right-branching")
    assert premises.to_list() == ["( ( A dog ) . )", "( It ( ran . ) )"]
    assert hypotheses.to_list() == ["( ( A cat ) . )", "sat"]


def test_a_text_without_words_is_refused_with_its_pair() -> None:
    with pytest.raises(InputError, match="'p2'"):
        collect_binary_parses(table(premise=["A dog.", " "]), "balanced")


@pytest.mark.parametrize(
    ("name", "repaired"),
    [
        ("parsed/mnli_train_parsed.tsv", 6),  # numbers of telephones with a space
        ("parsed/snli_train_parsed.tsv", 0),
        ("hans/heuristics_evaluation_set.txt", 0),
        ("stress/multinli_0.9_antonym_matched.txt", 0),
    ],
)
def test_real_parses_are_read(shared_data: Path, name: str, repaired: int) -> None:
    pairs = rr.read_corpus(str(shared_data / name)).pairs
    premises, hypotheses = collect_binary_parses(pairs)
    assert int((~mark_well_formed_parses(pairs["premise_binary_parse"])).sum()) == repaired
    for parses in (premises, hypotheses):
        found = tokenize_parses(parses)
        assert found.trees is not None
        assert len(found.rows) == pairs.height
        assert np.array_equal(found.trees.lengths, found.counts)
        for row in range(0, pairs.height, pairs.height // 50):
            spelled = parses[row].replace("-LRB-", "(").replace("-RRB-", ")")
            assert shown(found, row).replace("[", "-LSB-").replace("]", "-RSB-") == spelled


def test_the_numerical_stress_test_has_no_trees(shared_data: Path) -> None:
    pairs = rr.read_corpus(str(shared_data / "stress/multinli_0.9_quant_hard.jsonl")).pairs.head(50)
    with pytest.raises(InputError, match="--parser"):
        collect_binary_parses(pairs)
    premises, _ = collect_binary_parses(pairs, "balanced")
    assert mark_well_formed_parses(premises).all()
