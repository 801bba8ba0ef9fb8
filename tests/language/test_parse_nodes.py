"""Parses as linked nodes."""

from __future__ import annotations

import pytest
from parses_by_hand import find_node

from rightreasons.core.trees import parse_tree
from rightreasons.language.parse_nodes import ParseNode, find_first_conjunct, link_word_nodes

PARSE = "(ROOT (S (NP (DT The) (NN judge)) (VP (MD will) (RB not) (VP (VB run))) (. .)))"


def node_above(word: str, label: str, parse: str = PARSE) -> ParseNode:
    """Return the nearest node with a label above a word."""
    node: ParseNode | None = find_node(parse, word)
    while node is not None and node.label != label:
        node = node.parent
    assert node is not None
    return node


def test_words_are_linked_with_their_neighbours() -> None:
    words = link_word_nodes(parse_tree(PARSE))
    assert [node.word for node in words] == ["The", "judge", "will", "not", "run", "."]
    assert [node.number for node in words] == list(range(6))
    judge = words[1]
    assert (judge.previous_word, judge.previous_label, judge.next_word) == ("The", "DT", "will")
    assert (words[0].previous_word, words[-1].next_word) == ("", "")


def test_sisters_and_parents() -> None:
    phrase = node_above("will", "VP")
    assert [one.label for one in phrase.list_before()] == ["NP"]
    assert [one.label for one in phrase.list_after()] == ["."]
    assert phrase.parent_label == "S"
    root = node_above("will", "ROOT")
    assert (root.list_before(), root.list_after(), root.parent_label) == ([], [], "")


def test_clauses_have_a_subject_and_a_verb_phrase() -> None:
    sentence = node_above("will", "S")
    subject, phrase = sentence.find_subject(), sentence.find_verb_phrase()
    assert subject is not None
    assert subject.list_words() == ["the", "judge"]
    assert phrase is not None
    assert phrase.list_words() == ["will", "not", "run"]
    assert phrase.is_finite()
    assert not node_above("run", "VP").is_finite()
    assert node_above("run", "VP").find_subject() is None


def test_a_clause_can_be_the_subject() -> None:
    parse = (
        "(ROOT (S (SBAR (WHNP (WP What)) (S (NP (PRP they)) (VP (VBD saw)))) (VP (VBD was) (ADJP (JJ red)))))"
    )
    subject = node_above("was", "S", parse).find_subject()
    assert subject is not None
    assert subject.label == "SBAR"


@pytest.mark.parametrize(
    ("phrase", "head"),
    [
        ("(NP (DT the) (JJ old) (NN judge))", "judge"),
        ("(NP (NP (DT the) (NN judge)) (PP (IN of) (NP (DT the) (NN court))))", "judge"),
        ("(NP (NP (NNP Ann) (POS 's)) (NN court))", "court"),
        ("(NP (QP (RB about) (CD ten)))", "ten"),
        ("(NP (DT the) (JJ poor))", "poor"),
    ],
)
def test_heads_of_noun_phrases(phrase: str, head: str) -> None:
    (last,) = [node for node in link_word_nodes(parse_tree(f"(X {phrase})")) if node.word == head]
    top: ParseNode = last
    while top.parent is not None and top.parent_label != "X":
        top = top.parent
    found = top.get_head_noun()
    assert found is not None
    assert found.word == head


def test_the_first_of_coordinated_clauses() -> None:
    parse = "(ROOT (S (S (NP (PRP We)) (VP (VBD ran))) (CC and) (S (NP (PRP they)) (VP (VBD sang)))))"
    outer = node_above("We", "S", parse).parent
    assert outer is not None
    assert find_first_conjunct(outer, ("S",)).list_words() == ["we", "ran"]
    single = node_above("will", "S")
    assert find_first_conjunct(single, ("S",)) is single


def test_words_beside_nodes_get_nodes_of_their_own() -> None:
    words = link_word_nodes(parse_tree("(NP the (NN judge))"))
    assert [(node.word, node.label) for node in words] == [("the", "NP"), ("judge", "NN")]
    assert [node.word for node in link_word_nodes(parse_tree("(NP (NN judge) here)"))] == ["judge", "here"]


def test_deep_trees_are_read() -> None:
    depth = 5_000
    parse = "(S " * depth + "(VBD ran)" + ")" * depth
    assert [node.word for node in link_word_nodes(parse_tree(parse))] == ["ran"]
