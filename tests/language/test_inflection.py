"""Number, degree, article and case, and what counts as a word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.language.english_words import is_word
from rightreasons.language.inflection import (
    choose_article,
    copy_case,
    inflect_degree,
    is_plural,
    pluralise,
    singularise,
)
from rightreasons.language.wordnet import wordnet

NOUNS = """
    man men, woman women, human humans, policeman policemen, child children, wife wives, life lives, box boxes,
    church churches, boy boys, city cities, hero heroes, photo photos, crisis crises, criterion criteria, loss losses,
    bus buses, enemy enemies, employee employees, foot feet, roof roofs
"""
PLURALS = [tuple(noun.split()) for noun in NOUNS.split(",")]
AN = "hour honest heir umbrella 8 18 11 80 1800 MBA FBI SUV unimportant uninteresting uncle onerous X-ray herb apple"
A = "university one unique European user 110 180 UFO hotel Herbert union once euro ewe U.S. one-way NASA Utah heroic"


@pytest.mark.parametrize(("noun", "plural"), PLURALS)
def test_plurals_and_back(noun: str, plural: str) -> None:
    assert pluralise(noun, wordnet()) == plural
    assert singularise(plural, wordnet()) == noun


def test_people_and_nouns_without_singular() -> None:
    assert (pluralise("person", wordnet()), singularise("people", wordnet())) == ("people", "person")
    assert singularise("xyzzies", wordnet()) == "xyzzies"


def test_number_is_told_by_the_tag() -> None:
    assert is_plural("NNS")
    assert not is_plural("NN")


@pytest.mark.parametrize("word", AN.split())
def test_an_before_the_sound_of_a_vowel(word: str) -> None:
    assert choose_article(word) == "an"


@pytest.mark.parametrize("word", A.split())
def test_a_before_the_sound_of_a_consonant(word: str) -> None:
    assert choose_article(word) == "a"


@given(st.text())
def test_every_text_has_an_article(word: str) -> None:
    assert choose_article(word) in ("a", "an")


@pytest.mark.parametrize(
    ("adjective", "more", "most"),
    [
        ("large", "larger", "largest"),
        ("big", "bigger", "biggest"),
        ("dirty", "dirtier", "dirtiest"),
        ("dry", "drier", "driest"),
        ("narrow", "narrower", "narrowest"),
        ("poor", "poorer", "poorest"),
        ("good", "better", "best"),
        ("bad", "worse", "worst"),
        ("expensive", "more expensive", "most expensive"),
        ("unhappy", "more unhappy", "most unhappy"),
    ],
)
def test_degrees(adjective: str, more: str, most: str) -> None:
    assert [inflect_degree(adjective, tag) for tag in ("JJ", "JJR", "JJS")] == [adjective, more, most]


def test_case_is_copied() -> None:
    assert copy_case("old", "young") == "young"
    assert copy_case("Old", "young") == "Young"
    assert copy_case("OLD", "young") == "YOUNG"
    assert copy_case("A", "an") == "An"
    assert copy_case("", "young") == "young"


@pytest.mark.parametrize("word", ["foe", "stopped", "Bigger", "women", "the", "isn't", "running"])
def test_words_and_their_forms_are_words(word: str) -> None:
    assert is_word(word)


@pytest.mark.parametrize("word", ["teh", "hte", "", "zzzz", "wrods"])
def test_other_letters_are_none(word: str) -> None:
    assert not is_word(word)
