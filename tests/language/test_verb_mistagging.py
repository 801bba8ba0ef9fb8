"""Nouns, adjectives and participles that are tagged or parsed as something else."""

from __future__ import annotations

import pytest
from parses_by_hand import clause, find_node

from rightreasons.language.verb_forms import find_verb_lemma
from rightreasons.language.verb_mistagging import is_mistagged_noun, lacks_object, modifies_noun


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("noun", "word", "parse"),
    [
        (True, "thought", "(ADJP (JJ deep) (PP (IN in) (VP (VBD thought))))"),
        (True, "thought", "(NP (JJ lewd) (VBD thought))"),
        (True, "writing", "(PP (IN with) (S (VP (VBG writing) (PP (IN on) (NP (PRP it))))))"),
        (False, "writing", "(PP (IN with) (S (VP (VBG writing) (NP (NNS books)))))"),
        (False, "writing", "(PP (IN by) (S (VP (VBG writing))))"),
        (True, "feel", "(NP (DT a) (VB feel))"),
        (False, "running", "(NP (DT the) (VBG running))"),
        (True, "claim", clause("(VP (VBD laid) (S (VP (VBP claim))))")),
        (False, "fear", clause("(VP (VBD did) (SBAR (S (VP (VBP fear)))))")),
        (False, "build", clause("(VP (VBG helping) (VP (VB build)))")),
        (True, "left", clause("(VP (VBD turned) (S (VP (VBN left))))")),
        (True, "left", "(S (NP (DT a) (NN chair) (PP (IN on))) (VP (VBD left)))"),
        (False, "left", clause("(VP (VBD was) (VP (VBN left)))")),
        (False, "left", clause("(VP (VBD left))")),
        (True, "left", "(ADJP (RB far) (VBN left))"),
        # The neighbours make a noun of it.
        (True, "heard", "(NP (NP (DT a) (VBN heard)) (PP (IN of) (NP (NN sheep))))"),
        (True, "feel", clause("(VP (VP (VBP has) (NP (DT a) (NN look))) (CC and) (VP (VBP feel)))")),
        (False, "feel", clause("(VP (VP (VBP see)) (CC and) (VP (VBP feel)))")),
        (True, "leaves", "(S (NP (DT A) (NN boy) (NN picking)) (VP (VBZ leaves) (PRT (RP up))))"),
        (False, "leaves", "(S (NP (DT A) (NN building)) (VP (VBZ leaves)))"),
        (True, "saw", "(S (NP (DT an) (JJ industrial)) (VP (VBD saw)))"),
        (False, "eats", "(S (NP (DT a) (JJ third)) (VP (VBZ eats) (NP (NN food))))"),
        (True, "stop", "(S (NP (DT a) (NN bus)) (VP (VBP stop) (PP (IN in) (NP (NN town)))))"),
        (False, "stop", "(S (NP (DT a) (NN man)) (VP (VBP stop) (PP (IN in) (NP (NN town)))))"),
        (True, "writing", "(VP (VBZ has) (S (VP (VBG writing) (PP (IN on) (NP (PRP it))))))"),
        (False, "thought", "(S (ADVP (DT all)) (VP (VBD thought) (SBAR (IN that) (S (VP (VBD rained))))))"),
        (True, "sleep", clause("(VP (VB go) (PP (TO to) (VP (VB sleep))))")),
    ],
)
def test_nouns(noun: bool, word: str, parse: str) -> None:
    lemma = find_verb_lemma(word)
    assert lemma is not None
    assert is_mistagged_noun(find_node(parse, word), lemma) is noun


@pytest.mark.parametrize(
    ("modifies", "word", "parse"),
    [
        (True, "running", clause("(VP (VBD wore) (S (VP (VBG running) (NP (NNS shoes)))))")),
        (False, "running", clause("(VP (VBD kept) (S (VP (VBG running) (NP (NNS races)))))")),
        (True, "running", clause("(VP (VBD saw) (S (VP (VBG running) (PP (IN of) (NP (NNS bulls))))))")),
        (False, "hearing", clause("(VP (VBD liked) (S (VP (VBG hearing) (PP (IN of) (NP (NNS bulls))))))")),
        (True, "paid", "(NP (DT the) (JJS lowest) (VBN paid))"),
        (True, "accepted", "(VP (ADVP (RB generally)) (VBD accepted) (NP (JJ national) (NNS rules)))"),
        (False, "accepted", "(VP (ADVP (RB generally)) (VBD accepted) (NP (DT the) (NNS rules)))"),
        (False, "accepted", "(VP (ADVP (RB quickly)) (VBD accepted) (NP (NN money)))"),
    ],
)
def test_participles_before_their_noun(modifies: bool, word: str, parse: str) -> None:
    lemma = find_verb_lemma(word)
    assert lemma is not None
    assert modifies_noun(find_node(parse, word), lemma) is modifies


AT_A_MEETING = "(PP (IN at) (NP (DT a) (NN meeting)))"


@pytest.mark.parametrize(
    ("lacks", "word", "subject", "around"),
    [
        (True, "presented", "(NP (NN Paper))", "(ROOT {})"),
        (True, "performed", "(NP (DT A) (NN stunt))", "(ROOT {})"),
        # People and groups present and perform something; machines perform well.
        (False, "presented", "(NP (DT A) (NN judge))", "(ROOT {})"),
        (False, "performed", "(NP (DT A) (NN band))", "(ROOT {})"),
        (False, "performed", "(NP (DT A) (NN car))", "(ROOT {})"),
        (False, "presented", "(NP (PRP It))", "(ROOT {})"),
        # Other verbs need no object, and clauses inside others are no titles.
        (False, "ran", "(NP (NN Paper))", "(ROOT {})"),
        (False, "presented", "(NP (NN Paper))", "(ROOT (S (VP (VBD said) (SBAR {}))))"),
    ],
)
def test_titles(lacks: bool, word: str, subject: str, around: str) -> None:
    lemma = find_verb_lemma(word)
    assert lemma is not None
    parse = around.format(f"(S {subject} (VP (VBD {word}) {AT_A_MEETING}))")
    assert lacks_object(find_node(parse, word), lemma) is lacks
