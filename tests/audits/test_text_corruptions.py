"""Corruptions of pairs: what each keeps, whatever the texts are."""

from __future__ import annotations

import re
from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.audits.text_corruptions import (
    CORRUPTIONS,
    WORD_CLASSES,
    delete_tagged_words,
    shuffle_text,
)

SENTENCES = (
    "The big dog quickly ate the bone.",
    'He said: "don\'t run", twice!',
    "A dog.",
    "no no, no",
    "...",
    "  Two  spaces ",
    "Yes \n",
)
words = st.text(alphabet="abAB'", min_size=1, max_size=4)
pieces = st.builds(
    "{}{}{}".format, st.sampled_from(["", '"', "("]), words, st.sampled_from(["", ".", "!,", "'"])
)
spaces = st.sampled_from([" ", "  ", "\n"])
texts = st.one_of(
    st.sampled_from(SENTENCES),
    st.lists(st.tuples(pieces, spaces), min_size=1, max_size=8).map(
        lambda parts: "".join(piece + space for piece, space in parts)
    ),
)


@st.composite
def tables(draw: st.DrawFn) -> pl.DataFrame:
    rows = draw(st.lists(st.tuples(texts, texts), min_size=1, max_size=6))
    table = pl.DataFrame(rows, schema=["premise", "hypothesis"], orient="row")
    return table.select(
        pl.concat_str(pl.lit("ex"), pl.int_range(pl.len())).alias("id"), pl.all(), label=pl.lit("neutral")
    )


def count_words(text: str) -> Counter[str]:
    """Count the words without the punctuation at their ends."""
    return Counter(filter(None, (re.sub(r"^\W+|\W+$", "", piece) for piece in text.split())))


def mask_words(text: str) -> list[str]:
    """Put x for each word, so that spaces and punctuation are left."""
    return [re.sub(r"^(\W*)\w(.*\w)?(\W*)$", r"\1x\3", piece) for piece in text.split()]


@given(texts, st.integers(0, 5))
def test_shuffling_keeps_the_words_and_the_places_of_punctuation(text: str, seed: int) -> None:
    shuffled = shuffle_text(text, seed)
    assert count_words(shuffled) == count_words(text)
    assert mask_words(shuffled) == mask_words(text)
    # Another order wherever there is one; otherwise the text is left as it is, spaces too.
    assert (shuffled == text) == (len(count_words(text)) < 2)


@given(texts, st.sampled_from(sorted(WORD_CLASSES)))
def test_deletion_keeps_the_order_of_the_other_words(text: str, kind: str) -> None:
    (left,) = delete_tagged_words(pl.Series("premise", [text]), WORD_CLASSES[kind])
    letters = iter(re.sub(r"\W", "", text))
    assert all(letter in letters for letter in re.sub(r"\W", "", left))
    assert left == text or len(re.sub(r"\W", "", left)) < len(re.sub(r"\W", "", text))
    assert left.strip() or not text.strip()


def test_word_classes_share_no_tag() -> None:
    tags = [tag for several in WORD_CLASSES.values() for tag in several]
    assert len(tags) == len(set(tags))


@pytest.mark.every_case
@pytest.mark.parametrize("name", CORRUPTIONS)
@given(table=tables(), seed=st.integers(0, 3))
def test_a_corruption_changes_texts_alone_whatever_the_order(
    name: str, table: pl.DataFrame, seed: int
) -> None:
    corrupted = CORRUPTIONS[name](table, seed)
    assert corrupted.schema == table.schema
    assert corrupted.select("id", "label").equals(table.select("id", "label"))
    assert corrupted.null_count().sum_horizontal().item() == 0
    assert CORRUPTIONS[name](table.reverse(), seed).reverse().equals(corrupted)
    for side in ("premise", "hypothesis"):
        if name.startswith(("premise", "hypothesis")) and not name.startswith(side):
            assert corrupted[side].equals(table[side])


@given(tables(), st.integers(0, 3))
def test_exchanged_texts_are_those_of_other_pairs(table: pl.DataFrame, seed: int) -> None:
    for side in ("premise", "hypothesis"):
        exchanged = CORRUPTIONS[f"{side}-exchanged"](table, seed)[side]
        assert set(exchanged) == set(table[side])
        if table[side].n_unique() > 1:
            assert (exchanged != table[side]).all()
        # Pairs of one text get the same text of another, and pairs of two texts two.
        assert pl.DataFrame([table[side], exchanged.alias("new")]).n_unique() == table[side].n_unique()


def test_the_seed_changes_random_choices() -> None:
    texts = [f"a{place} b{place} c{place} d{place}" for place in range(20)]
    table = pl.DataFrame({"id": texts, "premise": texts, "hypothesis": texts[::-1], "label": "neutral"})
    for name in ("words-shuffled", "premise-exchanged", "hypothesis-exchanged"):
        assert not CORRUPTIONS[name](table, 0).equals(CORRUPTIONS[name](table, 1)), name
