"""Partners are drawn without repeats, without those refused, and for each row alone."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rightreasons.core.keyed_random import draw_numbers
from rightreasons.sets.random_pair.content_words import (
    Overlap,
    encode_content_words,
    list_content_words,
    mark_generic_texts,
)
from rightreasons.sets.random_pair.pairing import draw_partners

Rows = NDArray[np.int64]
SENTENCES = st.lists(st.text(alphabet="abc ABC's.éß\t\n👍", max_size=20), min_size=1, max_size=8)


def keys(count: int) -> NDArray[np.uint64]:
    return draw_numbers((str(number) for number in range(count)), "test")


def none(left: Rows, right: Rows) -> NDArray[np.bool_]:
    return np.zeros(np.broadcast(left, right).shape, dtype=np.bool_)


def multiples(left: Rows, right: Rows) -> NDArray[np.bool_]:
    return (left + right) % 3 == 0


def of(row: int, found: tuple[Rows, Rows]) -> list[int]:
    return found[1][found[0] == row].tolist()


@given(rows=st.integers(0, 30), pool=st.integers(1, 60), wanted=st.integers(1, 40))
def test_every_row_gets_as_many_as_there_are_and_none_twice(rows: int, pool: int, wanted: int) -> None:
    found = draw_partners(keys(rows), pool, wanted, multiples)
    for row in range(rows):
        allowed = {right for right in range(pool) if (row + right) % 3}
        chosen = of(row, found)
        assert len(chosen) == len(set(chosen)) == min(wanted, len(allowed))
        assert set(chosen) <= allowed


@given(rows=st.integers(1, 20), pool=st.integers(1, 40), wanted=st.integers(1, 20))
def test_a_row_does_not_depend_on_the_others(rows: int, pool: int, wanted: int) -> None:
    numbers = keys(rows)
    whole = draw_partners(numbers, pool, wanted, none)
    for row in range(rows):
        assert of(row, whole) == of(0, draw_partners(numbers[row : row + 1], pool, wanted, none))


@given(pool=st.integers(1000, 5000), wanted=st.integers(1, 20))
def test_asking_a_large_pool_for_more_keeps_what_there_was(pool: int, wanted: int) -> None:
    few, more = (draw_partners(keys(3), pool, count, none) for count in (wanted, wanted + 5))
    for row in range(3):
        assert of(row, more)[: len(of(row, few))] == of(row, few)


def test_all_of_a_pool_are_drawn_alike() -> None:
    _, found = draw_partners(keys(20_000), 50, 10, none)
    counts = np.bincount(found, minlength=50)
    assert abs(counts - 4000).max() < 5 * np.sqrt(4000 * 0.8)


@given(left=SENTENCES, right=SENTENCES)
def test_shared_words_are_those_of_sets(left: list[str], right: list[str]) -> None:
    sides = [pl.Series("text", texts, dtype=pl.String) for texts in (left, right)]
    words = [
        [set(list_content_words(side).filter(pl.col("row") == row)["word"]) for row in range(len(side))]
        for side in sides
    ]
    rows, others = (np.array(side) for side in zip(*np.ndindex(len(left), len(right)), strict=True))
    shares = Overlap(*encode_content_words(*sides)).compute_shares(rows, others)
    for row, other, share in zip(rows, others, shares, strict=True):
        one, two = words[0][row], words[1][other]
        assert share == len(one & two) / max(1, min(len(one), len(two)))


def test_words_lose_their_endings_and_function_words_are_none() -> None:
    words = list_content_words(pl.Series(["The dogs were walking to the dog's house.", "He is it", ""]))
    assert words.select("row", "word").rows() == [(0, "dog"), (0, "walk"), (0, "house")]


def test_generic_sentences_are_detected() -> None:
    texts = ["People are outside.", "A man is standing.", "It is what it is.", "A man is juggling.", "😀"]
    assert mark_generic_texts(pl.Series(texts)).to_list() == [True, True, True, False, True]


@pytest.mark.parametrize(
    "text",
    [
        "Someone has breathed.",
        "They've got eyes.",
        "An indoor scene.",
        "Two women are talking.",
        "A man who\u2019s smiling",
        "It isn't hard, of course.",
        "Monthly.",
        "Hardly",
        "Anybody else?",
        "Metal spoons",
    ],
)
def test_what_any_scene_may_have_and_fragments_are_generic(text: str) -> None:
    assert mark_generic_texts(pl.Series([text])).to_list() == [True]


@pytest.mark.parametrize(
    "text",
    [
        "The owls hoot.",
        "A young man is talking to his friends.",  # three words that many scenes have
        "人们在外面散步",
        "Люди гуляют",
    ],
)
def test_what_only_some_scenes_have_is_not_generic(text: str) -> None:
    assert mark_generic_texts(pl.Series([text])).to_list() == [False]
