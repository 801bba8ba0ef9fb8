"""Misspellings of a word: what they are, and that each has the same chance."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.core.keyed_random import draw_numbers
from rightreasons.sets.stress.misspellings import (
    KEYBOARD,
    OPERATIONS,
    Operation,
    draw_misspellings,
    list_misspellings,
)


def test_the_keyboard_is_that_of_the_released_script() -> None:
    released = (
        "a:s b:vn c:xv d:sf e:rw f:gd g:fh h:gj i:uo j:hk k:jl l:k m:n n:mb o:ip p:o q:w r:te s:da t:ry u:yi v:cb w:eq "
        "x:zc y:tu z:x"
    )
    expected = {entry[0]: set(entry[2:]) for entry in released.split()}
    assert {letter: set(keys) for letter, keys in KEYBOARD.items()} == expected


@pytest.mark.parametrize(
    ("word", "operation", "expected"),
    [
        ("The", "swap", [(0, "Hte"), (1, "Teh")]),
        ("all", "swap", [(0, "lal")]),
        ("Aa", "swap", []),
        ("McD", "swap", [(0, "CmD"), (1, "MdC")]),
        ("Öl", "swap", [(0, "Lö")]),
        ("İa", "swap", []),
        ("no", "keyboard", [(0, "bo"), (0, "mo"), (1, "ni"), (1, "np")]),
        ("Ok", "keyboard", [(0, "Ik"), (0, "Pk"), (1, "Oj"), (1, "Ol")]),
        ("как", "keyboard", []),
        ("как", "swap", [(0, "акк"), (1, "кка")]),
    ],
)
def test_all_misspellings_of_a_word(word: str, operation: Operation, expected: list[tuple[int, str]]) -> None:
    assert sorted(list_misspellings(word, operation)) == expected


@given(st.text(min_size=2, max_size=9), st.sampled_from(OPERATIONS))
def test_a_misspelling_is_another_word_of_the_same_length(word: str, operation: Operation) -> None:
    found = list_misspellings(word, operation)
    assert len(set(found)) == len(found)
    for at, new in found:
        assert new != word
        assert len(new) == len(word)
        assert new[:at].lower() == word[:at].lower()


WORDS = st.text("abzAZlmoO", min_size=2, max_size=7)


@given(st.lists(st.tuples(WORDS, st.booleans(), st.integers(0, 2**64 - 1)), min_size=1, max_size=8))
def test_what_is_drawn_is_in_the_list(cases: list[tuple[str, bool, int]]) -> None:
    words, by_keyboard, drawn = zip(*cases, strict=True)
    at, new = draw_misspellings(list(words), np.array(by_keyboard), np.array(drawn, dtype=np.uint64))
    for word, keyboard, place, made in zip(words, by_keyboard, at, new, strict=True):
        listed = list_misspellings(word, "keyboard" if keyboard else "swap")
        assert made == "" or (place, made) in listed


@pytest.mark.parametrize("word", ["plan", "Letter", "aqua", "NASA"])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_each_misspelling_has_the_same_chance(word: str, operation: Operation) -> None:
    drawn = draw_numbers(map(str, range(6_000)), word, operation)
    at, new = draw_misspellings([word] * 6_000, np.full(6_000, operation == "keyboard"), drawn)
    counts = Counter(pair for pair in zip(at.tolist(), new, strict=True) if pair[1])
    assert set(counts) == set(list_misspellings(word, operation))
    mean = counts.total() / len(counts)
    assert all(abs(count - mean) < 5 * mean**0.5 for count in counts.values())


def test_words_beyond_ascii_are_left_to_the_list() -> None:
    _, new = draw_misspellings(["naïve", "plan"], np.array([False, False]), np.array([0, 0], dtype=np.uint64))
    assert new == ["", "lpan"]
