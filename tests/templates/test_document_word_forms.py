"""One draw in several forms, lists that stand for others, and the capitals of sentences behind the first."""

from __future__ import annotations

from typing import Any

import pytest
from small_sets import every_pair, grammar_of, template

from rightreasons.core.errors import InputError
from rightreasons.templates.collisions import find_collisions
from rightreasons.templates.notation import Slot, read_items
from rightreasons.templates.recognise import Recogniser, recognise_pairs

WORDS: dict[str, Any] = {
    "N": {"tag": "NN", "words": "ant bee cat"},
    "V": {"tag": "VBD", "words": ["saw", "woke up", "hid"]},
    "BASE": {"tag": "VB", "lemma": "V", "words": ["see", "wake up", "hide"]},
    "SOME": {"tag": "VBD", "words": "hid saw"},
    "PREP": ["(PP (IN near) *)", "(PP (IN by) *)"],
}
DENIED = template("The {N1} {V1} it.", "The {N1} did not {V1:BASE} it.")


def round_trip(
    *entries: dict[str, Any], words: dict[str, Any] | None = None, **more: Any
) -> list[tuple[str, str]]:
    """Fill a set in both styles, find every pair again under its rank, and return the texts."""
    grammar = grammar_of(words or WORDS, *entries, **more)
    for style in ("natural", "tokenised"):
        pairs = every_pair(grammar, style)
        found = recognise_pairs(pairs, [Recogniser(grammar)])
        assert found["rank"].equals(pairs["rank"])
        assert found["subvariant"].equals(pairs["subvariant"])
    return every_pair(grammar).select("premise", "hypothesis").rows()


def test_a_slot_in_another_form_is_the_same_draw() -> None:
    pairs = round_trip(DENIED)
    assert len(pairs) == 9
    assert ("The ant woke up it.", "The ant did not wake up it.") in pairs
    assert ("The cat hid it.", "The cat did not hide it.") in pairs


def test_forms_are_found_by_lemma() -> None:
    pairs = round_trip(template("It {SOME1}.", "It did not {SOME1:BASE}."))
    assert pairs == [("It hid.", "It did not hide."), ("It saw.", "It did not see.")]


def test_a_form_brings_the_tags_of_its_list() -> None:
    entry = template("(S (NN it) {V1})", "(S (NN it) (VP (VBD did) {V1:BASE} (XX {V1:BASE/YY})))")
    parse = every_pair(grammar_of(WORDS, entry), parses="labelled")["hypothesis_parse"]
    assert parse[0] == "(S (NN It) (VP (VBD did) (VB see) (XX (YY see))))"


def test_tags_can_show_a_form() -> None:
    pairs = every_pair(grammar_of(WORDS, {**DENIED, "trigger": "not {V1:BASE}"}))
    assert set(pairs["trigger"]) == {"not see", "not wake up", "not hide"}


def test_templates_that_collide_by_their_forms_are_found() -> None:
    entries = [template("It {V1:BASE}.", "It ran."), template("It hide.", "It ran.", "hidden")]
    (found,) = find_collisions(grammar_of(WORDS, *entries))
    assert found.premise == "It hide."
    assert not list(find_collisions(grammar_of(WORDS, entries[0], template("It hid.", "It ran.", "other"))))


@pytest.mark.parametrize(
    ("form", "words", "pattern"),
    [
        ("{V1:NONE}", {}, "word list .*'NONE'"),
        ("{V1:N}", {}, r"\bN .*'saw' of V\. .*'saw'"),
        (
            "{V1:TWO}",
            {"TWO": {"lemma": ["saw", "saw", "hid"], "words": "a b c"}},
            r"\bTWO has 2 words .*'saw'",
        ),
        (
            "{V1:LONG}",
            {"LONG": {"lemma": "V", "words": ["a b", "c d", "e"]}},
            "'a b' of LONG .*'saw'",
        ),
        ("{PREP1:V <x>}", {}, r"\{PREP:V\} .*tree"),
        ("{V1:}", {}, "'V1:'"),
        ("{:V}", {}, "':V'"),
    ],
)
def test_missing_forms_are_refused(form: str, words: dict[str, Any], pattern: str) -> None:
    entry = template(f"(S (NN it) {form})", "It ran.")
    with pytest.raises(InputError, match=pattern):
        grammar_of({**WORDS, **words}, entry, phrases={"x": "(NN it)"})


def test_forms_are_read() -> None:
    assert read_items("{V1:BASE}") == (Slot("V1", form="BASE"),)
    assert read_items("{V1:BASE/VB}") == (Slot("V1", "VB", form="BASE"),)


PHRASES = {"the n": "(NP (DT the) {n})", "bare n": "(NP {n})", "ran d n": "<d n> (VP (VBD ran))"}
TWO = {"tag": "NN", "words": "ant bee"}
LISTS = {"ANIMAL": TWO, "NAME": {"tag": "NNP", "words": "Ann Bob"}}


def test_names_of_a_template_stand_for_lists_and_phrases() -> None:
    entries = [
        template("(S <ran D X1> (. .))", "(S <ran D X2> (. .))", name, **{"with": {"D": article, "X": words}})
        for name, article, words in (("animal", "the", "ANIMAL"), ("name", "bare", "NAME"))
    ]
    pairs = round_trip(*entries, words=LISTS, phrases=PHRASES)
    assert pairs == [
        ("The ant ran.", "The bee ran."),
        ("The bee ran.", "The ant ran."),
        ("Ann ran.", "Bob ran."),
        ("Bob ran.", "Ann ran."),
    ]


def test_two_names_may_stand_for_one_list() -> None:
    entry = template("The {S1} saw the {O1}.", "The {O1} ran.", **{"with": {"S": "ANIMAL", "O": "ANIMAL"}})
    assert round_trip(entry, words=LISTS) == [
        ("The ant saw the bee.", "The bee ran."),
        ("The bee saw the ant.", "The ant ran."),
    ]


def test_tags_and_forms_follow_the_names() -> None:
    words = {**LISTS, "MANY": {"tag": "NNS", "lemma": "ANIMAL", "words": "ants bees"}}
    entry = template("{X1} ran.", "{X1:F} ran.", trigger="{X1}", **{"with": {"X": "ANIMAL", "F": "MANY"}})
    pairs = every_pair(grammar_of(words, entry))
    assert pairs.select("hypothesis", "trigger").rows() == [("Ants ran.", "ant"), ("Bees ran.", "bee")]


@pytest.mark.parametrize(
    ("using", "pattern"),
    [
        ({"X": "ANIMALS"}, r"'ANIMALS'.* ANIMAL\?"),
        ({"X": 5}, "X is 5, .*a string"),
        ("ANIMAL", "with is 'ANIMAL', .*a table"),
    ],
)
def test_aliases_of_unknown_lists_are_refused(using: object, pattern: str) -> None:
    with pytest.raises(InputError, match=rf"^my-set.toml, line \d+: .*{pattern}"):
        grammar_of(LISTS, template("The {X1} ran.", "It ran.", **{"with": using}))


def test_every_sentence_of_a_tree_begins_with_a_capital() -> None:
    entry = template(
        "(S (S (DT the) {N1} (. .)) (S {N2} (. .)) (S (DT the) (NN end) (. .)))", "(S {N1} (. .))"
    )
    pairs = round_trip(entry)
    assert ("The ant. Bee. The end.", "Ant.") in pairs
    parse = every_pair(grammar_of(WORDS, entry), parses="labelled")["premise_parse"][0]
    assert parse == "(S (S (DT The) (NN ant) (. .)) (S (NN Bee) (. .)) (S (DT The) (NN end) (. .)))"


def test_a_drawn_tree_begins_a_sentence_with_a_capital() -> None:
    entry = template("(S (NN it) (VBD ran) (. !) {PREP1 (NN home)} (. .))", "It ran.")
    assert round_trip(entry) == [("It ran! Near home.", "It ran."), ("It ran! By home.", "It ran.")]


def test_plain_text_is_unchanged() -> None:
    assert round_trip(template("a {N1} ran. it {V1}.", "so."))[0] == ("A ant ran. it saw.", "So.")


def test_two_sentences_as_tree_and_as_plain_text_are_one_frame() -> None:
    tree = template(
        "(S (S (DT the) {N1} (VBD ran) (. .)) (S (DT the) {N2} (VBD hid) (. .)))", "It ran.", "tree"
    )
    plain = template("The {N1} ran. The {N2} hid.", "It hid.", "plain")
    assert len(grammar_of(WORDS, tree, plain).frames) == 1
