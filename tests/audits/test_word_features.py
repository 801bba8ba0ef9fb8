"""The features of partial-input classifiers, against loops over the texts."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.audits.word_features import encode_overlap_and_length, encode_words
from rightreasons.language.word_codes import number_pair_words

text_lists = st.lists(
    st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=5).map(" ".join), min_size=1, max_size=8
)


def list_features(text: str, *, bigrams: bool) -> list[tuple[str, ...]]:
    """List the words of a text, and its bigrams with the edges of the text."""
    words = text.split()
    edged = ["<s>", *words, "</s>"] if words else []
    return [*((word,) for word in words), *(pairwise(edged) if bigrams else ())]


@given(text_lists, st.booleans())
def test_features_are_those_of_a_loop(texts: list[str], bigrams: bool) -> None:
    column = pl.Series(texts, dtype=pl.String)
    words = number_pair_words(column, column)
    table = encode_words(words.hypothesis, len(words.vocabulary), bigrams=bigrams).toarray()
    several = [list_features(text, bigrams=bigrams) for text in texts]
    counts = Counter(feature for features in several for feature in features)
    kept = [feature for feature, count in counts.items() if count > 1]
    expected = [tuple(int(feature in features) for features in several) for feature in kept]
    assert table.shape == (len(texts), len(kept))
    assert sorted(map(tuple, table.T.astype(int).tolist())) == sorted(expected)


@given(text_lists, st.data())
def test_measures_depend_on_lengths_and_overlap_alone(texts: list[str], data: st.DataObject) -> None:
    premises = data.draw(st.lists(st.sampled_from(texts), min_size=len(texts), max_size=len(texts)))
    renamed = str.maketrans("abcd", "wxyz")
    one = number_pair_words(pl.Series(premises), pl.Series(texts))
    other = number_pair_words(
        pl.Series([text.translate(renamed) for text in premises]),
        pl.Series([text.translate(renamed) for text in texts]),
    )
    tables = [encode_overlap_and_length(each).toarray() for each in (one, other)]
    assert (tables[0] == tables[1]).all()
    assert tables[0].shape[0] == len(texts)
    assert (tables[0].sum(axis=1) <= 7).all()  # six measures, and overlap with length


def test_overlap_is_a_feature_besides_length() -> None:
    words = number_pair_words(pl.Series(["a b c d"] * 6), pl.Series(["a b", "a x", "x y"] * 2))
    table = encode_overlap_and_length(words).toarray()
    assert (table[:3] == table[3:]).all()
    assert len({tuple(row) for row in table[:3].tolist()}) == 3


def test_empty_columns_have_no_features() -> None:
    empty = pl.Series([], dtype=pl.String)
    words = number_pair_words(empty, empty)
    assert encode_words(words.premise, 0, bigrams=True).shape == (0, 0)
    assert encode_overlap_and_length(words).shape == (0, 0)
    blank = number_pair_words(pl.Series(["", ""]), pl.Series(["", ""]))
    assert encode_words(blank.premise, 0, bigrams=True).shape == (2, 0)
