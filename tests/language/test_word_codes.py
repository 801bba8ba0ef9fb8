"""Words of two columns as numbers: which are words, and what both texts of a pair share."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.language import word_codes
from rightreasons.language.word_codes import number_pair_words, split_into_words

TEXTS = st.lists(st.text("ab' .-B", max_size=12), max_size=8)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The judge didn't go.", ["the", "judge", "didn't", "go"]),
        ("The judge didn\u2019t go", ["the", "judge", "didn't", "go"]),
        ("does n't , 'quoted' words !", ["does", "n't", "quoted", "words"]),
        ("well-known 3,000 caf\u00e9s", ["well", "known", "3", "000", "caf\u00e9s"]),
        ("... ?!", []),
        ("", []),
    ],
)
def test_words_have_no_case_and_no_punctuation(text: str, words: list[str]) -> None:
    assert split_into_words(pl.Series([text])).to_list() == [words]


def test_numbers_follow_the_alphabet() -> None:
    words = number_pair_words(pl.Series(["b a b", ""]), pl.Series(["c a", "b"]))
    assert words.vocabulary.to_list() == ["a", "b", "c"]
    assert words.premise.codes.tolist() == [1, 0, 1]
    assert words.premise.offsets.tolist() == [0, 3, 3]
    assert words.hypothesis.lengths.tolist() == [2, 1]
    assert words.premise.row_words.tolist() == [0, 1]
    assert words.overlap.tolist() == [0.5, 0.0]


def test_a_hypothesis_without_words_has_no_overlap() -> None:
    words = number_pair_words(pl.Series(["a", ""]), pl.Series(["...", "?"]))
    assert np.isnan(words.overlap).all()
    assert (
        number_pair_words(pl.Series([], dtype=pl.String), pl.Series([], dtype=pl.String)).vocabulary.len()
        == 0
    )


@given(TEXTS)
def test_overlap_is_that_of_a_loop(texts: list[str]) -> None:
    premises, hypotheses = pl.Series(texts, dtype=pl.String), pl.Series(texts[::-1], dtype=pl.String)
    split = [[set(row) for row in split_into_words(side)] for side in (premises, hypotheses)]
    wanted = [len(own & other) / len(own) if own else None for other, own in zip(*split, strict=True)]
    found = number_pair_words(premises, hypotheses).overlap.tolist()
    assert [None if np.isnan(share) else share for share in found] == wanted


@given(TEXTS)
def test_batches_make_no_difference(texts: list[str]) -> None:
    side = pl.Series(texts, dtype=pl.String)
    whole = number_pair_words(side, side)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(word_codes, "ROWS_AT_A_TIME", 2)
        parts = number_pair_words(side, side)
    assert parts.vocabulary.equals(whole.vocabulary)
    assert parts.premise.codes.tolist() == whole.premise.codes.tolist()
    assert parts.hypothesis.offsets.tolist() == whole.hypothesis.offsets.tolist()
