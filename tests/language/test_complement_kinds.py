"""Measures, prepositions, predicates and questions behind a verb."""

from __future__ import annotations

import pytest
from parses_by_hand import clause, find_node

from rightreasons.language.complement_kinds import describes_object, is_measure, is_prepositional, is_question


@pytest.mark.parametrize(
    ("measure", "lemma", "phrase"),
    [
        (True, "run", "(NP (NNS downstairs))"),
        (True, "wait", "(NP (NNS ages))"),
        (False, "remember", "(NP (DT the) (NN day))"),
        (False, "read", "(NP (CD 1984))"),
    ],
)
def test_measures(measure: bool, lemma: str, phrase: str) -> None:
    assert (
        is_measure(lemma, find_node(clause(f"(VP (VBD did) {phrase})"), "did").list_after()[0], second=False)
        is measure
    )


def test_particles_are_prepositions_before_places() -> None:
    assert is_prepositional(
        "run", find_node(clause("(VP (VBD ran) (PP (IN in) (NP (NNP Rome))))"), "ran").list_after()[0]
    )
    particle = find_node(clause("(VP (VBD ran) (PRT (RP down)) (NP (NNP Ann)))"), "ran").list_after()[0]
    assert not is_prepositional("run", particle)


@pytest.mark.parametrize(
    ("described", "lemma", "rest"),
    [
        (True, "leave", "(ADJP (JJ happy))"),
        (False, "eat", "(PP (IN out) (PP (IN of) (NP (DT the) (NN box))))"),
        (False, "discover", "(ADJP (JJ available))"),
        (True, "call", "(NP (DT a) (NN mistake))"),
        (False, "read", "(NP (DT a) (NN book))"),
    ],
)
def test_predicates(described: bool, lemma: str, rest: str) -> None:
    nodes = find_node(clause(f"(VP (VBD did) {rest})"), "did").list_after()
    assert describes_object(lemma, ["them"], nodes) is described


def test_questions() -> None:
    opener = find_node("(SBAR (WHADVP (WRB when)) (S (VP (VBD rained))))", "when").parent
    assert opener is not None
    assert is_question("know", opener, "when")
    assert not is_question("run", opener, "when")
