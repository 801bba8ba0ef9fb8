"""Sentences are found with their offsets, and no character that is no white space gets lost."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.language.sentences import split_sentences


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


@pytest.mark.parametrize(
    "parts",
    [
        ["Anna has 5 cats.", "Ben has 3."],
        ["Mr. Hill paid $4.75 at No. 5.", "Mrs. Hill paid 3."],
        ["He said no.", "Then he left."],
        ["They met at 5 p.m.", "It rained."],
        ["They met at 5 p.m. on Monday."],
        ['"Is it late?" she asked.', "It was."],
        ['He called: "Come in!"', "Nobody came."],
        ["J. R. Brown sold 4 .", "The rest stayed ."],
        ["The price was Rs. 20 in all.", "Then it rose."],
        ["They sell nails, screws, etc. in the shop."],
        ["What?!", "Yes...", "Well."],
        ["(It was late.)", "They slept."],
        ["You and I.", "Us."],
        ["They go from A to B.", "The road is long."],
        ["Half of A is B.", "A is 5."],
        ["No mark at the end"],
    ],
)
def test_sentences_end_where_they_end(parts: list[str]) -> None:
    assert split(" ".join(parts)) == parts


def test_an_empty_line_ends_a_sentence_and_a_line_break_does_not() -> None:
    assert split("A heading\n \nA text that\ngoes on.") == ["A heading", "A text that\ngoes on."]


def test_nothing_has_no_sentence() -> None:
    assert split("") == split(" \n\n ") == []


@given(st.text() | st.text(alphabet="aA.!? \n\"')5"))
def test_sentences_hold_all_but_white_space(text: str) -> None:
    spans = split_sentences(text)
    assert "".join("".join(text[start:end] for start, end in spans).split()) == "".join(text.split())
    assert all(text[start:end] == text[start:end].strip() != "" for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))


@pytest.mark.parametrize("piece", [".", "a. ", "\n ", ".'", "A.", '."'])
def test_very_long_texts_are_no_trouble(piece: str) -> None:
    # Work that grows with the square of the length would take minutes here.
    assert len(split_sentences(piece * 200_000)) <= 200_000
