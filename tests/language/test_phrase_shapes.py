"""Shapes of noun phrases and clauses."""

from __future__ import annotations

import pytest

from rightreasons.core.trees import parse_tree
from rightreasons.language.parse_nodes import ParseNode, link_word_nodes
from rightreasons.language.phrase_shapes import (
    classify_verb_phrase,
    has_singular_subject,
    is_contraction,
    is_imperative,
    is_name_with_participle,
    names_measure,
    names_person,
)


def node_of(phrase: str) -> ParseNode:
    """Return the node of a phrase."""
    root = link_word_nodes(parse_tree(f"(X {phrase})"))[0]
    while root.parent is not None:
        root = root.parent
    return root.children[0]


@pytest.mark.parametrize(
    ("phrase", "person"),
    [
        ("(NP (NNP Ann))", True),
        ("(NP (PRP her))", True),
        ("(NP (PRP it))", False),
        ("(NP (DT the) (NN road))", False),
    ],
)
def test_names_and_pronouns(phrase: str, person: bool) -> None:
    assert names_person(node_of(phrase)) is person


@pytest.mark.parametrize(
    ("phrase", "measure"),
    [
        ("(NP (CD three) (NNS days))", True),
        ("(NP (DT a) (NN lot))", True),
        ("(NP (NP (DT a) (NN lot)) (PP (IN of) (NP (NNS people))))", False),
        ("(NP (PRP$ their) (NN way))", False),
        ("(NP (DT the) (NNP Times))", False),
        ("(NP (DT a) (NN book))", False),
    ],
)
def test_times_distances_and_degrees(phrase: str, measure: bool) -> None:
    assert names_measure(node_of(phrase)) is measure


def test_participles_of_names_are_said_of_them() -> None:
    name = "(NP (NP (NNP Ann)) (VP (VBG running)))"
    noun = "(NP (NP (DT a) (NN dog)) (VP (VBG running)))"
    assert is_name_with_participle(node_of(name))
    assert not is_name_with_participle(node_of(noun))
    assert is_name_with_participle(node_of(noun), any_noun=True)
    assert not is_name_with_participle(node_of("(NP (NP (NNP Ann)) (VP (VBN seen)))"))


def test_contracted_clauses() -> None:
    assert is_contraction(node_of("(NP (NP (PRP it) (POS 's)) (NN time))"))
    assert not is_contraction(node_of("(NP (NP (NNP Ann) (POS 's)) (NN time))"))


def test_imperatives() -> None:
    assert is_imperative(node_of("(SBAR (S (VP (VB wait))))"))
    assert not is_imperative(node_of("(S (NP (PRP they)) (VP (VB wait)))"))
    assert not is_imperative(node_of("(S (VP (VBG waiting)))"))


def test_infinitives_that_are_tagged_as_plurals() -> None:
    clause = node_of("(S (NP (PRP him)) (VP (VBP go)))")
    plural = node_of("(S (NP (NNS dogs)) (VP (VBP go)))")
    for sentence, expected in ((clause, True), (plural, False)):
        subject, phrase = sentence.children
        first = phrase.get_first_verb()
        assert first is not None
        assert has_singular_subject(subject, first) is expected


@pytest.mark.parametrize(
    ("phrase", "frame"),
    [
        ("(VP (TO to) (VP (VB go)))", "infinitive"),
        ("(VP (VB go))", "infinitive"),
        ("(VP (VBG going))", "ing-clause"),
        ("(VP (VBD went))", "bare-clause"),
        ("(VP (VBN gone))", None),
        ("(VP (NN home))", None),
    ],
)
def test_clauses_without_a_subject(phrase: str, frame: str | None) -> None:
    assert classify_verb_phrase(node_of(phrase)) == frame
