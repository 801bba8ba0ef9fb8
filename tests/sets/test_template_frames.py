"""The frames that templates rely on."""

from __future__ import annotations

from small_sets import grammar_of, read_grammar, set_text, subcase, template

from rightreasons.sets.hans.hans import load_hans_grammar
from rightreasons.sets.relied_frames import collect_relied_frames
from rightreasons.sets.template_frames import VerbUse, list_relied_frames, list_verb_uses

WORDS = {
    "N": {"tag": "NN", "words": "judge actor lawyer"},
    "V": "saw helped",
    "P": {"lemma": "V", "words": "seen helped"},
    "M": "paid",
    "END": ["(VP (VBD slept))", "(VP (VBD ran) (ADVP (RB away)))"],
}
OBJECT = "(ROOT (S (NP (DT the) {N1}) (VP (VBD {V1}) (NP (DT the) {N2})) (. .)))"
PASSIVE = (
    "(ROOT (S (NP (DT the) {N2}) (VP (VBD was) (VP (VBN {V1:P}) (PP (IN by) (NP (DT the) {N1})))) (. .)))"
)
REDUCED = (
    "(ROOT (S (NP (NP (DT the) {N1}) (VP (VBN {M1}) (PP (IN in) (NP (NN town))))) (VP (VBD waited)) (. .)))"
)
MAIN = "(ROOT (S (NP (DT the) {N1}) (VP (VBD {M1}) (PP (IN in) (NP (NN town)))) (. .)))"
ENDED = "(ROOT (S (NP (DT the) {N1}) (VP (VBD knew) (SBAR (S (NP (DT the) {N2}) {END1}))) (. .)))"


def test_slots_count_once_for_each_word_and_frame() -> None:
    (uses,) = list_verb_uses(grammar_of(WORDS, template(OBJECT, PASSIVE)))
    assert set(uses) == {
        VerbUse("V1", 0, "see", "object"),
        VerbUse("V1", 1, "help", "object"),
        VerbUse("V1", 0, "see", "passive"),
        VerbUse("V1", 1, "help", "passive"),
    }


def test_fixed_verbs_have_no_slot_and_auxiliaries_are_left_out() -> None:
    (uses,) = list_verb_uses(grammar_of(WORDS, template(REDUCED, MAIN)))
    assert set(uses) == {
        VerbUse("M1", 0, "pay", "reduced-relative"),
        VerbUse(None, None, "wait", "intransitive"),
        # A verb with a prepositional phrase relies on the intransitive frame.
        VerbUse("M1", 0, "pay", "intransitive"),
    }


def test_verbs_of_phrases_that_fill_a_slot_are_no_part_of_the_template() -> None:
    (uses,) = list_verb_uses(grammar_of(WORDS, template(ENDED, "(ROOT (S (NP (DT the) {N2}) {END1} (. .)))")))
    assert set(uses) == {VerbUse(None, None, "know", "bare-clause")}


def test_combinations_name_their_subcases() -> None:
    text = set_text(
        WORDS,
        subcase("active", template(OBJECT, OBJECT.replace("V1", "V2"), "a")),
        subcase("both", template(OBJECT, PASSIVE, "b")),
    )
    grammar = read_grammar(text)
    relied = list_relied_frames(grammar)
    assert relied["see", "object"] == ["active", "both"]
    assert relied["help", "passive"] == ["both"]
    assert list(list_relied_frames(grammar, ["help"])) == [("help", "object"), ("help", "passive")]


def test_what_hans_relies_on() -> None:
    relied = list_relied_frames(load_hans_grammar("corrected"))
    assert relied["believe", "that-clause"] == ["cn_embedded_under_verb"]
    assert relied["know", "that-clause"] == ["ce_embedded_under_verb"]
    assert relied["hear", "bare-clause"] == ["sn_NP/S"]
    assert relied["pay", "reduced-relative"] == ["sn_past_participle"]
    assert relied["fight", "intransitive"] == relied["fight", "object"] == ["sn_NP/Z"]
    assert relied["admire", "passive"] == ["ln_passive", "le_passive"]
    assert ("see", "passive") not in relied
    # Six verbs of sn_NP/Z can take a clause, so the corrected mode doesn't use them there.
    faithful = list_relied_frames(load_hans_grammar("faithful"))
    assert {frame for _, frame in relied} == {frame for _, frame in faithful}


def test_the_relied_frames_of_both_sets() -> None:
    relied = collect_relied_frames()
    assert list(relied) == ["hans", "nps"]
    assert len({*relied["hans"], *relied["nps"]}) == 110
    assert relied["nps"]["warn", "bare-clause"] == ["warned"]
    assert relied["nps"]["warn", "object"] == ["warned", "warned-control"]
