"""Objects and clauses that stand elsewhere than behind their verb."""

from __future__ import annotations

import pytest
from parses_by_hand import clause, find_node

from rightreasons.language.verb_forms import find_verb_lemma
from rightreasons.language.verb_gaps import (
    has_object_gap,
    has_stranded_preposition,
    is_afterthought,
    is_before_main_clause,
    is_beside_quotation,
    is_between_commas,
    is_parenthetical,
)


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


RAINED = "(S (NP (PRP it)) (VP (VBD rained)))"
BEFORE = f"(S {RAINED} (, ,) (NP (PRP they)) (VP (VBD said)))"
AROUND = "(S (NP (NN rain)) (PRN (, ,) (S (NP (PRP they)) (VP (VBD said))) (, ,)) (VP (VBD fell)))"
ADJUNCT = "(S (S (VP (VBG resting))) (, ,) (NP (PRP they)) (VP (VBD said)))"


@pytest.mark.parametrize(("parse", "reported"), [(BEFORE, True), (AROUND, True), (ADJUNCT, False)])
def test_clauses_before_and_around_a_verb(parse: str, reported: bool) -> None:
    assert is_parenthetical(find_node(parse, "said"), "say") is reported
    assert is_between_commas(find_node(parse, "said")) is (parse == AROUND)


def test_quotations_beside_a_verb() -> None:
    assert is_beside_quotation(
        find_node("(S (NP (PRP They)) (VP (VBD said) (: :) (S (VP (VB Stop)))))", "said"), "say"
    )
    assert not is_beside_quotation(
        find_node("(S (NP (PRP They)) (VP (VBD ran) (PRT (RP off))))", "ran"), "run"
    )


def test_afterthoughts() -> None:
    late = "(S (S (NP (PRP it)) (VP (VBD rained))) (NP (PRP I)) (VP (VBP think)))"
    assert is_afterthought(find_node(late, "think"), "think")
    assert not is_afterthought(find_node(late.replace("(PRP I)", "(PRP we)"), "think"), "think")


@pytest.mark.parametrize(
    ("expected", "parse"),
    [
        (True, "(S (SBAR (IN when) (S (NP (PRP he)) (VP (VBD knew)))) (NP (PRP I)) (VP (VBD left)))"),
        (False, "(S (SBAR (IN when) (S (NP (PRP he)) (VP (VBD knew)))) (, ,) (NP (PRP I)) (VP (VBD left)))"),
        (False, "(S (SBAR (IN as) (S (NP (PRP he)) (VP (VBD knew)))) (NP (PRP I)) (VP (VBD left)))"),
        (False, "(S (SBAR (WHNP (WP what)) (S (NP (PRP he)) (VP (VBD knew)))) (NP (PRP I)) (VP (VBD left)))"),
        (True, "(S (PRN (, ,) (S (NP (PRP he)) (VP (VBD knew)))) (NP (PRP I)) (VP (VBD left)))"),
        (False, "(S (NP (PRP he)) (VP (VBD knew)))"),
    ],
)
def test_clauses_that_were_parsed_as_the_main_clause(expected: bool, parse: str) -> None:
    assert is_before_main_clause(find_node(parse, "knew")) is expected
