"""Letters that make an English word are told from those that don't."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.language.english_words import are_english_words, are_words_or_names, is_word


@pytest.mark.parametrize(
    "word",
    [
        "house",
        "houses",
        "churches",
        "stories",
        "knives",
        "women",
        "walked",
        "loved",
        "tried",
        "walking",
        "loving",
        "bigger",
        "taller",
        "happier",
        "nicest",
        "slowly",
        "went",
        "took",
        "mice",
        "geese",
        "the",
        "from",
        "form",
        "foe",
        "id",
        "London",
        "THE",
        "House",
    ],
)
def test_words_and_their_forms(word: str) -> None:
    assert is_word(word)


@pytest.mark.parametrize("word", ["hosue", "teh", "jouse", "wroking", "", "zzxs", "hte's", "рука", "ly"])
def test_other_letters(word: str) -> None:
    assert not is_word(word)


@given(st.lists(st.text(max_size=6)))
def test_many_are_told_as_one_by_one(words: list[str]) -> None:
    assert are_english_words(words) == [is_word(word) for word in words]


@pytest.mark.parametrize(
    "word",
    ["Jim", "amy", "Kong", "Tim", "dan", "St", "yo", "eh", "unto", "thar", "bo", "dont", "houses", "from"],
)
def test_what_a_reader_takes_for_a_word(word: str) -> None:
    assert are_words_or_names([word]) == [True]


def test_misspellings_pass_for_no_words() -> None:
    assert are_words_or_names(["hte", "hosue", "wroking", "og", "yoing", ""]) == [False] * 6


@pytest.mark.parametrize("word", ["jim", "thar", "dont"])
def test_names_and_slips_of_speech_are_no_english_words(word: str) -> None:
    assert not is_word(word)
