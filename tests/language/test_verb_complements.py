"""What follows a verb: objects, clauses, prepositional phrases, and what only looks like them."""

from __future__ import annotations

import pytest
from parses_by_hand import clause, find_node

from rightreasons.language.verb_complements import Complements
from rightreasons.language.verb_forms import find_verb_lemma

RAINED = "(S (NP (PRP it)) (VP (VBD rained)))"


def complements_of(rest: str, verb: str) -> Complements:
    lemma = find_verb_lemma(verb)
    assert lemma is not None
    return Complements.from_verb(find_node(clause(rest), verb), lemma)


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("rest", "verb", "objects"),
    [
        ("(VP (VBD won) (NP (DT a) (NN prize)))", "won", 1),
        ("(VP (VBD paid) (NP (PRP us)) (NP (DT a) (NN fee)))", "paid", 2),
        # Times, degrees and places, but not of verbs that take them.
        ("(VP (VBD won) (NP (RB yesterday)))", "won", 0),
        ("(VP (VBD danced) (NP (DT all) (NN night)))", "danced", 0),
        ("(VP (VBD spent) (NP (DT all) (NN night)))", "spent", 1),
        ("(VP (VBD won) (NP (CD 1990)))", "won", 0),
        # Behind a prepositional phrase: an afterthought, but they said to us a few words.
        ("(VP (VBD ran) (PP (IN in) (NP (NN snow))) (NP (DT the) (NNS dogs)))", "ran", 0),
        ("(VP (VBD said) (PP (TO to) (NP (PRP us))) (NP (JJ few) (NNS words)))", "said", 1),
        # Particles before a noun phrase are prepositions of place, or not.
        ("(VP (VBD ran) (PRT (RP down)) (NP (DT the) (NN hill)))", "ran", 0),
        ("(VP (VBD ran) (PRT (RP down)) (NP (NNP Ann)))", "ran", 1),
        ("(VP (VBD paid) (ADVP (RB hardly) (NP (DT any) (NN attention))))", "paid", 1),
        (
            "(VP (VBD liked) (PP (ADVP (NP (DT the) (NN deal)) (RBR more)) (IN than) (NP (PRP us))))",
            "liked",
            1,
        ),
        ("(VP (VBZ reads) (NP (NP (NN while)) (PP (IN on) (NP (NNS trains)))))", "reads", 0),
        ("(VP (VBD came) (NP (NN ski)))", "came", 0),
        ("(VP (VBD cooked) (CC and) (VBD ate) (NP (DT the) (NN fish)))", "cooked", 1),
    ],
)
def test_objects_are_counted(rest: str, verb: str, objects: int) -> None:
    assert complements_of(rest, verb).objects == objects


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("rest", "verb", "frame"),
    [
        (f"(VP (VBD said) (SBAR (IN that) {RAINED}))", "said", "that-clause"),
        (f"(VP (VBD said) (SBAR {RAINED}))", "said", "bare-clause"),
        # The subject that, a determiner that, and that as the subject of a relative clause.
        ("(VP (VBP think) (SBAR (IN that) (S (VP (VBZ is) (NP (PRP it))))))", "think", "bare-clause"),
        (
            "(VP (VBP think) (SBAR (IN that) (S (NP (NN movie)) (VP (VBZ is) (ADJP (JJ good))))))",
            "think",
            "bare-clause",
        ),
        ("(VP (VBD asked) (SBAR (IN if) (S (NP (PRP it)) (VP (VBD rained)))))", "asked", "wh-clause"),
        ("(VP (VBD ran) (SBAR (IN if) (S (NP (PRP it)) (VP (VBD rained)))))", "ran", None),
        ("(VP (VBD ran) (SBAR (WHADVP (WRB when)) (S (NP (PRP it)) (VP (VBD rained)))))", "ran", None),
        ("(VP (VBD waited) (SBAR (IN because) (S (NP (PRP it)) (VP (VBD rained)))))", "waited", None),
        ("(VP (VBD saw) (S (NP (PRP him)) (VP (VB go))))", "saw", "infinitive"),
        ("(VP (VBD saw) (S (NP (PRP him)) (VP (NN claim) (NP (PRP it)))))", "saw", "object-complement"),
        ("(VP (VBD came) (, ,) (S (VP (VBG running))))", "came", None),
        ("(VP (VBD came) (PP (IN by) (NP (NN bus))) (S (VP (TO to) (VP (VB rest)))))", "came", None),
        (
            "(VP (VBD knew) (SBAR (S (SBAR (WHADVP (WRB how)) (S (NP (PRP it)) (VP (VBD ended)))) (VP (VBD was)))))",
            "knew",
            "wh-clause",
        ),
        ("(VP (VBD said) (`` ``) (NP (NN Help)))", "said", "parenthetical"),
    ],
)
def test_clauses_by_the_word_that_introduces_them(rest: str, verb: str, frame: str | None) -> None:
    assert complements_of(rest, verb).clause == frame


def test_an_object_that_was_parsed_as_a_subject_is_an_object() -> None:
    found = complements_of("(VP (VBD won) (SBAR (S (NP (DT the) (NN race)) (VP (VBD ended)))))", "won")
    assert (found.objects, found.clause, found.swallowed) == (1, None, True)


def test_last_week_is_no_object_of_a_verb_with_a_clause() -> None:
    found = complements_of(f"(VP (VBD said) (NP (JJ last) (NN week)) (SBAR (IN that) {RAINED}))", "said")
    assert (found.objects, found.clause) == (0, "that-clause")


@pytest.mark.parametrize(
    ("rest", "verb", "pp", "adjective"),
    [
        ("(VP (VBD ran) (PP (IN in) (NP (NN snow))))", "ran", True, False),
        ("(VP (VBD moved) (ADVP (RB east) (PP (TO to) (NP (NNP Rome)))))", "moved", True, False),
        ("(VP (VBD thought) (WHPP (IN of) (WHNP (WDT that))))", "thought", True, False),
        ("(VP (VBD moved) (PRT (RP on)))", "moved", False, False),
        ("(VP (VBD left) (PP (IN while) (S (VP (VBG singing)))))", "left", False, False),
        ("(VP (VBD felt) (ADVP (RBR worse) (IN than) (RB ever)))", "felt", False, True),
        ("(VP (VBD came) (ADVP (RB loose)))", "came", False, True),
        ("(VP (VBD ran) (ADJP (JJ fast)))", "ran", False, False),
    ],
)
def test_prepositional_phrases_and_adjectives(rest: str, verb: str, pp: bool, adjective: bool) -> None:
    found = complements_of(rest, verb)
    assert (found.pp, found.adjective) == (pp, adjective)
