"""Which pair has which word, bigram and first word: against plain loops over texts."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.audits.cue_occurrences import (
    ALONE,
    START,
    find_cue_occurrences,
    number_equal_texts,
    number_shared_values,
)
from rightreasons.language.word_codes import number_pair_words

TEXTS = st.lists(st.lists(st.sampled_from("abcd"), max_size=6).map(" ".join), max_size=12)


def list_cues(text: str) -> set[str]:
    words = text.split()
    return {*words, *(" ".join(two) for two in zip([START, *words], words, strict=False))}


@given(TEXTS, st.integers(1, 4))
def test_cues_and_their_rows_are_those_of_a_loop(texts: list[str], least: int) -> None:
    words = number_pair_words(
        pl.Series([""] * len(texts), dtype=pl.String), pl.Series(texts, dtype=pl.String)
    )
    occurrences = find_cue_occurrences(words.hypothesis, least)
    names = occurrences.name_cues(np.arange(len(occurrences.n)), words.vocabulary)
    counts = Counter(cue for text in texts for cue in list_cues(text))
    assert dict(zip(names, occurrences.n.tolist(), strict=True)) == {
        cue: count for cue, count in counts.items() if count >= least
    }
    assert [" " in name for name in names] == (~occurrences.is_word).tolist()
    for place, name in enumerate(names):
        rows = occurrences.rows[occurrences.cues == place].tolist()
        assert rows == [row for row, text in enumerate(texts) if name in list_cues(text)]
        parts = name.split() if " " in name else []
        both = [names.index(part) if part in names else -1 for part in parts]
        assert occurrences.words_of_bigrams[place].tolist() == (both or [-1, -1])


def test_rows_with_a_chosen_cue_are_flagged() -> None:
    words = number_pair_words(pl.Series(["", "", ""]), pl.Series(["a b", "b", "c"]))
    occurrences = find_cue_occurrences(words.hypothesis, 1)
    names = occurrences.name_cues(np.arange(len(occurrences.n)), words.vocabulary)
    for cues, flags in (({"b"}, [1, 1, 0]), ({"a b", "<s> c"}, [1, 0, 1]), (set(), [0, 0, 0])):
        chosen = np.array([name in cues for name in names])
        assert occurrences.flag_rows(chosen, 3).tolist() == flags


@given(TEXTS)
def test_equal_texts_have_one_number(texts: list[str]) -> None:
    words = number_pair_words(
        pl.Series([""] * len(texts), dtype=pl.String), pl.Series(texts, dtype=pl.String)
    )
    numbers = number_equal_texts(words.hypothesis).tolist()
    assert [number == ALONE for number in numbers] == [not text or texts.count(text) == 1 for text in texts]
    shared = [(number, text) for number, text in zip(numbers, texts, strict=True) if number != ALONE]
    assert len({number for number, _ in shared}) == len({text for _, text in shared}) == len(set(shared))


def test_case_and_punctuation_do_not_make_texts_different_and_order_does() -> None:
    texts = ["A man sleeps.", "a man sleeps", "man a sleeps", "A man. Sleeps!"]
    column = number_pair_words(pl.Series([""] * 4), pl.Series(texts)).hypothesis
    assert number_equal_texts(column).tolist() == [0, 0, ALONE, 0]


def test_only_known_values_are_shared() -> None:
    values, known = np.array([7, 7, 3, 3, 5]), np.array([True, True, True, False, True])
    assert number_shared_values(values, known).tolist() == [0, 0, ALONE, ALONE, ALONE]
