"""Objects and clauses that stand elsewhere than behind their verb."""

from __future__ import annotations

import pytest
from parses_by_hand import clause, find_node

from rightreasons.language.verb_forms import find_verb_lemma
from rightreasons.language.verb_gaps import has_object_gap, has_stranded_preposition, modifies_as_infinitive


def relative(
    noun: str, verb: str, *, opener: str = "(WHNP (WDT that))", subject: str = "(NP (PRP they))"
) -> str:
    return f"(NP (NP {noun}) (SBAR {opener} (S {subject} (VP {verb}))))"


BOOK, DAY = "(DT the) (NN book)", "(DT the) (NN day)"


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("gap", "verb", "parse"),
    [
        (True, "wrote", relative(BOOK, "(VBD wrote)")),
        (True, "wrote", relative(BOOK, "(VBD wrote)", opener="")),
        (True, "wrote", relative(BOOK, "(VBD said) (SBAR (S (NP (PRP we)) (VP (VBD wrote))))")),
        # The subject of the clause is the gap.
        (False, "wrote", relative("(NNS people)", "(VBD wrote)", opener="(WHNP (WP who))", subject="")),
        # Times and facts have none, and intransitive verbs neither.
        (False, "wrote", relative(DAY, "(VBD wrote)", opener="")),
        (False, "wrote", relative("(DT the) (NN fact)", "(VBD wrote)", opener="(IN that)")),
        (False, "slept", relative(BOOK, "(VBD slept)")),
        (False, "wrote", relative(BOOK, "(VBD wrote) (PP (IN about))")),
        # Questions and free relatives.
        (True, "see", "(SBARQ (WHNP (WP What)) (SQ (VBP do) (NP (PRP they)) (VP (VB see))))"),
        (False, "see", "(SBARQ (WHADVP (WRB When)) (SQ (VBP do) (NP (PRP they)) (VP (VB see))))"),
        (True, "saw", clause("(VP (VBD knew) (SBAR (WHNP (WP what)) (S (NP (PRP we)) (VP (VBD saw)))))")),
        # Infinitives of things, of tough adjectives, and of nouns with a possessor.
        (True, "read", "(NP (NP (NNS books)) (S (VP (TO to) (VP (VB read)))))"),
        (True, "say", clause("(VP (VBD had) (NP (NN nothing) (RB else)) (S (VP (TO to) (VP (VB say)))))")),
        (True, "read", clause("(VP (VBZ is) (ADJP (JJ hard) (S (VP (TO to) (VP (VB read))))))")),
        (False, "eat", "(NP (PRP$ your) (NN journey) (S (VP (TO to) (VP (VB eat)))))"),
        (False, "win", "(NP (NP (DT the) (NN chance)) (S (VP (TO to) (VP (VB win)))))"),
        # Things that are read or eaten, parsed as subjects; but people eat, and machines are asked to.
        (True, "eat", "(ROOT (S (S (NP (NN Food)) (VP (TO to) (VP (VB eat))))))"),
        (True, "eat", clause("(VP (VBP cook) (S (NP (DT a) (NN feast)) (VP (TO to) (VP (VB eat)))))")),
        (False, "eat", clause("(VP (VBP wait) (S (NP (DT a) (NN man)) (VP (TO to) (VP (VB eat)))))")),
        (False, "read", clause("(VP (VBP want) (S (NP (DT a) (NN machine)) (VP (TO to) (VP (VB read)))))")),
        (
            True,
            "say",
            clause("(VP (VBD had) (NP (NN nothing)) (ADVP (RBR further)) (S (VP (TO to) (VP (VB say)))))"),
        ),
        (True, "seeing", clause("(VP (VBZ is) (ADJP (JJ worth)) (S (VP (VBG seeing))))")),
        (False, "stopping", clause("(VP (VBZ is) (ADJP (JJ worth)) (S (VP (VBG stopping))))")),
        (True, "introduced", relative("(DT the) (NN idea)", "(VBD introduced)")),
        (False, "feel", relative(BOOK, "(VBP feel) (PP (IN like))")),
        # Take them on and win: the first verb has its object.
        (False, "win", clause("(VP (VP (VB take) (NP (PRP them)) (PRT (RP on))) (CC and) (VP (VB win)))")),
    ],
)
def test_gaps(gap: bool, verb: str, parse: str) -> None:
    lemma = find_verb_lemma(verb)
    assert lemma is not None
    assert has_object_gap(find_node(parse, verb), lemma) is gap


def test_stranded_prepositions() -> None:
    assert has_stranded_preposition(find_node("(VP (VBN heard) (PP (IN of)))", "heard"))
    assert not has_stranded_preposition(find_node("(VP (VBN heard) (PP (IN of) (NP (PRP it))))", "heard"))


@pytest.mark.parametrize(
    ("modifies", "parse"),
    [
        (True, "(NP (DT a) (NN crowd) (S (VP (TO to) (VP (VB hide)))))"),
        (False, "(NP (NP (DT a) (NN man)) (VP (VBG wanting) (S (VP (TO to) (VP (VB hide))))))"),
    ],
)
def test_infinitives_that_modify_nouns(modifies: bool, parse: str) -> None:
    assert modifies_as_infinitive(find_node(parse, "hide")) is modifies
