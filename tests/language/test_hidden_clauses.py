"""Clauses that were parsed as noun phrases."""

from __future__ import annotations

import pytest
from parses_by_hand import clause, find_node

from rightreasons.language.hidden_clauses import holds_hidden_clause, holds_hidden_verb
from rightreasons.language.verb_forms import find_verb_lemma

LIKE_IT = "(PP (IN like) (NP (PRP it)))"


@pytest.mark.parametrize(
    ("hidden", "verb", "rest"),
    [
        (True, "said", f"(NP (NNS employees)) {LIKE_IT}"),
        (True, "said", f"(NP (PRP you)) {LIKE_IT}"),
        (False, "said", f"(NP (PRP it)) {LIKE_IT}"),
        (False, "said", f"(NP (NNS things)) {LIKE_IT}"),
        (False, "said", f"(NP (DT a) (NN word)) {LIKE_IT}"),
        (False, "knew", f"(NP (NNS people)) {LIKE_IT}"),
        (True, "claimed", "(NP (PRP$ his) (NN wife) (NN low-balled))"),
        (False, "claimed", "(NP (DT the) (NN bed))"),
        (False, "hid", "(NP (PRP$ his) (NN wife) (NN low-balled))"),
    ],
)
def test_clauses(hidden: bool, verb: str, rest: str) -> None:
    node = find_node(clause(f"(VP (VBD {verb}) {rest})"), verb)
    assert holds_hidden_clause(node, find_verb_lemma(verb) or "") is hidden


@pytest.mark.parametrize(
    ("hidden", "verb", "rest"),
    [
        (True, "saw", "(NP (DT the) (NN water) (NN rise))"),
        (True, "saw", "(NP (DT a) (NN show) (NN playing))"),
        (False, "saw", "(NP (DT a) (NN church) (NN building))"),
        (False, "saw", "(NP (DT the) (NN rise))"),
        (False, "saw", "(NP (DT the) (NN water) (NN bottle))"),
        (False, "won", "(NP (DT the) (NN water) (NN rise))"),
        (True, "saw", "(NP (NP (NNS rivers)) (VP (VBN run)))"),
        (False, "saw", "(NP (NP (NNS rivers)) (VP (VBN polluted)))"),
    ],
)
def test_verbs(hidden: bool, verb: str, rest: str) -> None:
    node = find_node(clause(f"(VP (VBD {verb}) {rest})"), verb)
    assert holds_hidden_verb(node, find_verb_lemma(verb) or "") is hidden
