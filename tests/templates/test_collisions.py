"""Templates that can yield the same pair twice: planted ones are found, and random sets agree with enumeration."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations_with_replacement

import pytest
from hypothesis import HealthCheck, event, given, settings
from random_sets import LOWER, grammars
from small_sets import PLACE, every_pair, grammar_of, read_grammar, template

from rightreasons.core.errors import InputError
from rightreasons.templates import constraint_solver
from rightreasons.templates.collisions import check_collisions, find_collisions
from rightreasons.templates.grammar import Grammar

WORDS = {
    "N": "dog cat bird",
    "M": "dog fish",
    "V": "saw heard",
    "ICE": ["ice cream", "ice"],
    "CAKE": ["cake", "cream cake"],
}
NAMES = {"N": ["John", "Mary", "Ann"], "V": "saw heard"}
GENEROUS = settings(deadline=None, max_examples=250, suppress_health_check=[HealthCheck.filter_too_much])


def find_repeated_pairs(grammar: Grammar) -> set[tuple[str, str]]:
    """Fill all ranks, and list the sub-variants of each repeated pair, as often as each generates the pair."""
    variants: dict[tuple[str, str], list[int]] = {}
    numbers = {variant.name: variant.number for variant in grammar.variants}
    for premise, hypothesis, name in every_pair(grammar).select("premise", "hypothesis", "subvariant").rows():
        variants.setdefault((premise, hypothesis), []).append(numbers[name])
    found = set()
    for who in variants.values():
        for one, other in combinations_with_replacement(sorted(set(who)), 2):
            if one != other or who.count(one) > 1:
                found.add((grammar.variants[one].name, grammar.variants[other].name))
    return found


def list_reported_collisions(grammar: Grammar) -> set[tuple[str, str]]:
    """Name what is reported, each as it comes in the set, and check that the pair shown is really one of both."""
    texts: dict[str, set[tuple[str, str]]] = {}
    for premise, hypothesis, name in every_pair(grammar).select("premise", "hypothesis", "subvariant").rows():
        texts.setdefault(name, set()).add((premise, hypothesis))
    found = set()
    for collision in find_collisions(grammar):
        assert (collision.premise, collision.hypothesis) in texts[collision.first.name]
        assert (collision.premise, collision.hypothesis) in texts[collision.second.name]
        first, second = sorted([collision.first, collision.second], key=lambda variant: variant.number)
        assert (first.name, second.name) not in found
        found.add((first.name, second.name))
    return found


def agree(text: str) -> None:
    grammar = read_grammar(text)
    expected = find_repeated_pairs(grammar)
    event("collides" if expected else "does not")
    assert list_reported_collisions(grammar) == expected


@GENEROUS
@given(grammars())
def test_reported_collisions_are_those_of_enumeration(text: str) -> None:
    agree(text)


@GENEROUS
@given(grammars(pool=("a", "A", "b", "Ann", "a B", "Ann a")))
def test_reported_collisions_are_those_of_enumeration_with_capitals(text: str) -> None:
    agree(text)


@GENEROUS
@given(grammars(pool=("a", "b", "aa", "a-a", "'s"), glue=True))
def test_reported_collisions_are_those_of_enumeration_with_glue(text: str) -> None:
    agree(text)


@GENEROUS
@given(grammars(pool=(*LOWER, "a.", "b-c", "b - c"), templates=2))
def test_reported_collisions_are_those_of_enumeration_with_signs(text: str) -> None:
    agree(text)


PLANTED = {
    "the same template, same label": [("The {N1} slept.", "It did."), ("The {N1} slept.", "It did.")],
    "overlapping lists": [("The {N1} slept.", "It did."), ("The {M1} slept.", "It did.")],
    "a fixed word": [("The {N1} {V1} it.", "It did."), ("The cat {V1} it.", "It did.")],
    "a tree and plain text": [
        ("The {N1} slept.", "It did."),
        ("(S (DT the) (NN {N1}) (VBD slept) (. .))", "It did."),
    ],
    "repeated slots": [
        ("The {N1} {V1} the {N2}.", "The {N1} did."),
        ("The {N1} {V1} the {M1}.", "The {N1} did."),
    ],
    "multi-word entries across": [
        ("The {ICE1} tea.", "It did."),
        ("The ice {V1} tea.", "It did."),
        ("The ice cream tea.", "It did."),
    ],
    "a hypothesis-only slot": [("The {N1} slept.", "The {N2} did."), ("The {N1} slept.", "The dog did.")],
}


@pytest.mark.parametrize("labels", [("entailment", "entailment"), ("entailment", "neutral")])
@pytest.mark.parametrize("kind", PLANTED)
def test_planted_collisions_are_found_with_their_labels(kind: str, labels: tuple[str, str]) -> None:
    entries = [
        template(premise, hypothesis, f"t{n}", label=labels[min(n, 1)])
        for n, (premise, hypothesis) in enumerate(PLANTED[kind])
    ]
    grammar = grammar_of(WORDS, *entries)
    assert find_repeated_pairs(grammar)
    assert list_reported_collisions(grammar) == find_repeated_pairs(grammar)
    with pytest.raises(InputError) as caught:
        check_collisions(grammar)
    message = str(caught.value)
    assert message.startswith(f"{PLACE}, line {grammar.variants[0].source.template.line}: ")
    assert "t0" in message
    assert all(label in message for label in labels) == (labels[0] != labels[1])


def test_one_template_that_cuts_its_words_in_two_ways_is_found() -> None:
    grammar = grammar_of(WORDS, template("The {ICE1} {CAKE1} x.", "It did."))
    assert list_reported_collisions(grammar) == find_repeated_pairs(grammar) == {("t", "t")}


def test_one_template_with_words_that_differ_only_in_case_is_found() -> None:
    grammar = grammar_of({"N": ["polish", "Polish"]}, template("{N1} it.", "It did."))
    assert list_reported_collisions(grammar) == find_repeated_pairs(grammar) == {("t", "t")}


def test_sub_variants_of_one_template_that_collide_are_found() -> None:
    phrases = {"VP": {"a": "(VP (VBD {V}))", "b": "(VP (VBD saw))", "c": "(VP (VBD ran))"}}
    entry = template("(S (NN it) <VP1>)", "(S (NN it) (VBD did))")
    grammar = grammar_of(WORDS, entry, phrases=phrases)
    assert list_reported_collisions(grammar) == {("t.a", "t.b")}


NAMES_PLANTED = {
    "two templates alike": [("{N1} {V1} {N2}.", "{N2} {V1} {N1}."), ("{N1} {V1} {N2}.", "{N2} {V1} {N1}.")],
    "a fixed name": [("{N1} saw {N2}.", "{N2} saw {N1}."), ("John saw {N2}.", "{N2} saw John.")],
    "a name at the head alone": [("{N1} slept.", "It did."), ("John slept.", "It did.")],
}


@pytest.mark.parametrize("kind", NAMES_PLANTED)
def test_planted_collisions_of_names_with_capitals_are_found(kind: str) -> None:
    entries = [template(*sentences, f"t{n}") for n, sentences in enumerate(NAMES_PLANTED[kind])]
    assert list_reported_collisions(grammar_of(NAMES, *entries)) == {("t0", "t1")}


@pytest.mark.parametrize("sentence", ["The {N1}s slept.", "An un{N1} slept.", "The {N1}{V1} slept."])
def test_planted_collisions_of_glued_words_are_found(sentence: str) -> None:
    fixed = sentence.replace("{N1}", "dog").replace("{V1}", "saw")
    entries = [template(sentence, "It did.", "t0"), template(fixed, "It did.", "t1")]
    assert list_reported_collisions(grammar_of(WORDS, *entries)) == {("t0", "t1")}


def test_a_clitic_that_natural_text_attaches_collides_with_the_word_as_written() -> None:
    entries = [
        template("(S (NN it) (VBD did) (RB n't) (VB {V1}) (. .))", "It did.", "t0"),
        template("It didn't {V1}.", "It did.", "t1"),
    ]
    assert list_reported_collisions(grammar_of(WORDS, *entries)) == {("t0", "t1")}


APART = {
    "words that differ": [("The {N1} saw the {N2}.", "It did."), ("The {N1} saw the {N1}.", "It did.")],
    "the other order": [
        ("The {N1} saw the {N2}.", "The {N1} did."),
        ("The {N1} saw the {N2}.", "The {N2} did."),
    ],
    "no word in common": [("The {N1} slept.", "It did."), ("The {V1} slept.", "It did.")],
    "another hypothesis": [("The {N1} slept.", "It did."), ("The {N1} slept.", "It did not.")],
    "spaces alone": [("The dog slept .", "It did."), ("The dog slept.", "It did.")],
}


@pytest.mark.parametrize("kind", APART)
def test_templates_that_cannot_collide_are_accepted(kind: str) -> None:
    entries = [template(*sentences, f"t{n}") for n, sentences in enumerate(APART[kind])]
    grammar = grammar_of(WORDS, *entries, text="tokenised")
    assert not find_repeated_pairs(grammar)
    assert not list(find_collisions(grammar))
    check_collisions(grammar)


def test_lemmas_keep_templates_apart() -> None:
    words = {"SG": "dog cat", "PL": {"lemma": "SG", "words": "dogs cats"}, "X": ["dog"], "Y": ["dogs"]}
    entries = [template("{SG1} {PL1}.", "It did.", "t0"), template("{X1} {Y1}.", "It did.", "t1")]
    assert not list(find_collisions(grammar_of(words, *entries)))
    assert list_reported_collisions(grammar_of(words, *entries, distinct=False)) == {("t0", "t1")}


def test_templates_of_weight_zero_do_not_collide() -> None:
    entries = [
        template("The {N1} slept.", "It did.", "t0"),
        template("The {N1} slept.", "It did.", "t1", weight=0),
    ]
    assert not list(find_collisions(grammar_of(WORDS, *entries)))


def test_hans_has_no_collisions(hans_grammar: Grammar) -> None:
    assert not list(find_collisions(hans_grammar))


def test_no_two_frames_of_hans_generate_the_same_premise(hans_grammar: Grammar) -> None:
    """Splits are made frame by frame: a premise that two frames could say might come in both splits."""
    document = hans_grammar.document
    templates = [replace(one, hypothesis="It did.", tags={}) for one in document.templates]
    frames = Grammar(replace(document, templates=tuple(templates)))
    leaks = [
        collision for collision in find_collisions(frames) if collision.first.frame != collision.second.frame
    ]
    assert not leaks


def test_words_that_differ_only_in_case_do_not_collide_inside_a_sentence() -> None:
    words = {"N": [f"w{n}" for n in range(20)] + ["May", "may"], "V": "saw heard met"}
    grammar = grammar_of(words, template("The {N1} {V1} the {N2}.", "The {N1} slept."))
    assert not list(find_collisions(grammar))


def test_a_collision_among_many_words_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search is bounded; collisions beyond the bound must be found in another way, or raise an error."""
    monkeypatch.setattr(constraint_solver, "_MOST_STEPS", 300)
    words = {"N": [*(f"w{n:02}" for n in range(20)), "Zoe", "zoe"], "V": "saw heard met"}
    grammar = grammar_of(words, template("{N1} {V1} the {N2} and the {N3}.", "It {V1}."))
    with pytest.raises(InputError, match=f"{PLACE}, line .*t"):
        check_collisions(grammar)


def test_a_message_names_at_most_a_few_collisions() -> None:
    entries = [template("The {N1} slept.", "It did.", f"t{n}") for n in range(8)]
    with pytest.raises(InputError) as caught:
        check_collisions(grammar_of(WORDS, *entries))
    message = str(caught.value)
    assert message.count("'It did.'") == 5
    assert message.count("; ") == 4
