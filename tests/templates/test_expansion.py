"""Templates with every structural choice fixed: names, weights, scopes of slots."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_sets import every_pair, grammar_of, read_grammar, set_text, subcase, template

from rightreasons.core.errors import InputError
from rightreasons.templates.expansion import expand_templates
from rightreasons.templates.notation import Branch, FixedWord, Slot

WORDS = {"N": "dog cat bird", "V": "saw heard", "I": "slept ran"}
PHRASES = {
    "the n": "(NP (DT the) {n})",
    "VP": {
        "plain": {"weight": 1, "tree": "(VP (VBD {I}))"},
        "object": {"weight": 2, "tree": "(VP (VBD {V}) <the N>)"},
    },
    "sv x p": "(S <the x> <p> (. .))",
}


def test_choices_make_sub_variants_with_their_share_of_the_weight() -> None:
    both = template("(S (S <the N1> <VP1>) (CC or) (S <the N2> <VP2>) (. .))", "<sv N1 VP1>", weight="1/2")
    grammar = grammar_of(WORDS, both, phrases=PHRASES, distinct=False)
    found = {variant.name: variant.source.weight for variant in grammar.variants}
    assert found == {
        "t.plain.plain": Fraction(1, 18),
        "t.plain.object": Fraction(1, 9),
        "t.object.plain": Fraction(1, 9),
        "t.object.object": Fraction(2, 9),
    }
    assert list(found) == ["t.plain.plain", "t.plain.object", "t.object.plain", "t.object.object"]


def test_an_instance_is_the_same_in_both_sentences_and_its_slots_are_its_own() -> None:
    grammar = grammar_of(WORDS, template("<sv N1 VP1>", "(S <the N1> <VP1> (. .))"), phrases=PHRASES)
    plain, with_object = grammar.variants
    assert plain.slots == ("N1", "VP1.I")
    assert with_object.slots == ("N1", "VP1.V", "VP1.N")
    assert with_object.source.premise == with_object.source.hypothesis
    pairs = every_pair(grammar)
    assert pairs["premise"].equals(pairs["hypothesis"], check_names=False)


def test_two_instances_draw_apart() -> None:
    grammar = grammar_of(WORDS, template("(S <VP1> <VP2>)", "(S <VP2> <VP1>)"), phrases=PHRASES)
    assert grammar.variants[0].slots == ("VP1.I", "VP2.I")


def test_a_label_over_a_single_slot_is_its_tag_where_the_list_has_none() -> None:
    words = {"V": "saw heard", "N": {"tag": "NN", "words": "dog cat"}}
    (variant,) = grammar_of(words, template("(S (VBD {V1}) (NP {N1}))", "(S (X (VBN {V1})))")).variants
    assert variant.source.premise == (Branch("S", (Slot("V1", "VBD"), Branch("NP", (Slot("N1"),)))),)
    assert variant.source.hypothesis == (Branch("S", (Branch("X", (Slot("V1", "VBN"),)),)),)


def test_a_tag_may_name_slots_and_phrases() -> None:
    entry = template("The {N1} <VP1>.", "The {N1} did.", trigger="<VP1>", colour="{N1}-{N1}")
    grammar = grammar_of(WORDS, entry, phrases={**PHRASES, "VP": "{I}"})
    assert set(every_pair(grammar)["trigger"]) == {"slept", "ran"}
    assert set(every_pair(grammar)["colour"]) == {"dog-dog", "cat-cat", "bird-bird"}


def test_a_phrase_in_plain_text_is_spaced_as_it_is_written() -> None:
    entry = template('They said "<VP1>": (<VP1>).', "They said.")
    grammar = grammar_of(WORDS, entry, phrases={"VP": "{I}"})
    assert every_pair(grammar)["premise"].to_list()[0] == 'They said "slept": (slept).'


def test_a_tree_in_plain_text_is_glued_by_its_first_leaf() -> None:
    entry = template('They said "<the N1>".', "They said.")
    (variant,) = grammar_of(WORDS, entry, phrases=PHRASES).variants
    tree = variant.source.premise[3]
    assert tree == Branch("NP", (FixedWord("the", "DT", glued=True), Slot("N1")))
    assert every_pair(grammar_of(WORDS, entry, phrases=PHRASES))["premise"][0] == 'They said "the dog".'


def test_an_alternative_can_be_empty_but_not_the_sentence() -> None:
    choice = {"OPT": {"none": "", "very": "(RB very)"}}
    entry = template("The {N1} was <OPT1> old.", "(S {N1} <OPT1> (JJ old))")
    pairs = every_pair(grammar_of(WORDS, entry, phrases=choice))
    assert set(pairs["premise"].str.replace("The (dog|cat|bird) ", "")) == {"was old.", "was very old."}
    for sentence in ("<OPT1>", "(S (ADVP <OPT1>) {N1})"):
        with pytest.raises(InputError, match=r"line \d+: .*\bempty"):
            grammar_of(WORDS, template(sentence, "It did."), phrases=choice)


def test_a_template_of_weight_zero_is_left_out_of_the_subcase() -> None:
    entries = [
        template("The {N1} slept.", "It did.", "in"),
        template("The {N1} ran.", "It did.", "out", weight=0),
    ]
    grammar = grammar_of(WORDS, *entries)
    assert [variant.name for variant in grammar.get_variants("one")] == ["in"]
    assert [variant.name for variant in grammar.variants] == ["in", "out"]


@settings(deadline=None, max_examples=30)
@given(
    st.lists(st.fractions(min_value=0, max_value=9), min_size=2, max_size=4).filter(lambda row: sum(row) > 0)
)
def test_weights_of_the_sub_variants_add_up_to_that_of_the_template(weights: list[Fraction]) -> None:
    tree = {f"a{n}": {"weight": str(share), "tree": f"(VB go{n})"} for n, share in enumerate(weights)}
    entry = template("(S <VP1> <VP2>)", "(S (VB go))", weight=3)
    text = set_text(WORDS, subcase("one", entry), phrases={"VP": tree})
    assert sum(one.weight for one in expand_templates(read_grammar(text).document)) == 3


def test_faithful_hans_has_the_specified_number_of_pairs() -> None:
    from rightreasons.sets.hans import hans

    used = [variant for variant in hans.load_hans_grammar("faithful").variants if variant.source.weight > 0]
    assert len({variant.name for variant in used}) == len(used)
    assert sum(variant.space.count for variant in used) == 4_862_261_248
    assert len({variant.source.template.tags["template"] for variant in used}) == 60


def test_a_bare_word_stands_in_the_sentence_and_not_in_the_parse() -> None:
    (variant,) = grammar_of(WORDS, template("(NP the (DT the) (NN dog))", "(NN dog)")).variants
    assert FixedWord("the", None) in variant.source.premise[0].children


@pytest.mark.parametrize("sentence", ["(S (NN dog) *)", "The <VP9>", "The {PREP}"])
def test_invalid_slots_and_phrases_are_refused(sentence: str) -> None:
    with pytest.raises(InputError, match="line"):
        grammar_of(WORDS, template(sentence, "It did."))
