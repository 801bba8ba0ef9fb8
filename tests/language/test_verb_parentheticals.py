"""Clauses that a verb reports and that stand elsewhere than behind it."""

from __future__ import annotations

import pytest
from parses_by_hand import find_node

from rightreasons.language.verb_parentheticals import (
    is_afterthought,
    is_before_main_clause,
    is_beside_quotation,
    is_between_commas,
    is_parenthetical,
    is_set_off,
)

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


@pytest.mark.parametrize(
    ("before", "behind", "set_off"), [(",", "on", True), (",", "about", False), ("and", "on", False)]
)
def test_asides_before_a_prepositional_phrase(before: str, behind: str, set_off: bool) -> None:
    parse = f"(S (IN if) (X {before}) (S (NP (PRP I)) (VP (VBP think) (PP (IN {behind}) (NP (NN TV))))))"
    assert is_set_off(find_node(parse, "think")) is set_off
