"""Tokens are cut as the Penn Treebank does, and no character is lost."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.language.tokenizer import tokenize


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in tokenize(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We don't know, he's late.", "We do n't know , he 's late ."),
        ("They\u2019ll say we can\u2019t", "They \u2019ll say we ca n\u2019t"),
        ("I CAN'T; it's the dogs' turn", "I CA N'T ; it 's the dogs ' turn"),
        ("I cannot and I'm gonna go", "I can not and I 'm gon na go"),
        ("Mr. Lee met Dr. Wu at St. Paul vs. Rome.", "Mr. Lee met Dr. Wu at St. Paul vs. Rome ."),
        ("In the U.S. we say e.g. this.", "In the U.S. we say e.g. this ."),
        ("He lives in the U.S.", "He lives in the U.S."),
        ("J. P. Roe and K.L. Doe, Ph.D.", "J. P. Roe and K.L. Doe , Ph.D."),
        ("It was plan B.", "It was plan B ."),
        ("He said no. She left.", "He said no . She left ."),
        ("See No. 5 and Rep. Roe.", "See No. 5 and Rep. Roe ."),
        ("It cost $4,000.75 (50%)!", "It cost $ 4,000.75 ( 50 % ) !"),
        ("from -3.5 to .5 at 10:30", "from -3.5 to .5 at 10:30"),
        ("at 4:45pm on the 18th-century road", "at 4:45 pm on the 18th-century road"),
        ("the 1990's and the '90s", "the 1990 's and the '90s"),
        ('"Go," she said -- slowly...', '" Go , " she said -- slowly ...'),
        ("a well-known and/or R&D follow-up", "a well-known and/or R&D follow-up"),
        ("What?! No way!!", "What ?! No way !!"),
        ("at five o'clock, tell 'em", "at five o'clock , tell 'em"),
        ("both parties'consumers win", "both parties ' consumers win"),
        ("see www.site.org, or http://a.b/c?d.", "see www.site.org , or http://a.b/c?d ."),
        ("fun\U0001f600\U0001f44d\U0001f3fd now", "fun \U0001f600 \U0001f44d\U0001f3fd now"),
        (
            "\u05e9\u05dc\u05d5\u05dd, \u05e2\u05d5\u05dc\u05dd",
            "\u05e9\u05dc\u05d5\u05dd , \u05e2\u05d5\u05dc\u05dd",
        ),
        ("a\tb\nc\u00a0d", "a b c d"),
        ("", ""),
        (" \t\n", ""),
    ],
)
def test_tokens_are_cut_as_the_treebank_does(text: str, expected: str) -> None:
    assert cut(text) == expected.split()


TEXTISH = st.text(
    alphabet=st.sampled_from(list("aAnN'\u2019.,-$%5 \t?!\"`()&;:/@_t\U0001f600\u200d\ufe0f\u05d0"))
)


@given(st.one_of(st.text(), TEXTISH))
def test_every_character_but_space_is_in_one_token(text: str) -> None:
    places = tokenize(text)
    assert "".join(text[start:end] for start, end in places) == "".join(text.split())
    assert all(start < end for start, end in places)
    assert all(left[1] <= right[0] for left, right in pairwise(places))


@given(TEXTISH)
def test_tokens_hold_no_space(text: str) -> None:
    assert not any(sign.isspace() for token in cut(text) for sign in token)


@pytest.mark.parametrize(
    "piece", ["a", "'", ".", "-", "a.", "1,", "'s", "a'", "@a", "\u200d", "\U0001f600", "&", "&amp;"]
)
def test_long_texts_are_no_trouble(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    assert "".join(cut(text)) == text
