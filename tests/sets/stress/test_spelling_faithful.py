"""The faithful mode does what the released scripts did, seeded, and never goes on for ever."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.core.edits import has_consistent_edit, undo_edits
from rightreasons.core.keyed_random import draw_numbers
from rightreasons.corpora import read_corpus
from rightreasons.language.tokens import tokens
from rightreasons.sets.stress.misspellings import VARIANTS
from rightreasons.sets.stress.spelling import (
    find_word_replacement,
    list_released_misspellings,
    list_swapped_texts,
    misspell_pairs,
)

if TYPE_CHECKING:
    from pathlib import Path


def pairs_of(*texts: str) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "id": [f"{number}c" for number in range(len(texts))],
            "premise": texts,
            "hypothesis": texts,
            "label": ["contradiction"] * len(texts),
            "genre": pl.Series([None] * len(texts), dtype=pl.String),
        }
    )


def made(*texts: str, tag: str = "NNS", variant: str = "swap", seed: int = 0) -> pl.DataFrame:
    pairs = pairs_of(*texts)
    found = tokens(pairs["hypothesis"], tagged=False).with_columns(pl.lit(tag).alias("tag"))
    return misspell_pairs(pairs, found, variant=variant, mode="faithful", seed=seed)  # type: ignore[arg-type]


@given(st.lists(st.text(), min_size=1, max_size=6), st.sampled_from(VARIANTS), st.integers(0, 9))
def test_edits_can_be_undone_whatever_the_text(texts: list[str], variant: str, seed: int) -> None:
    rows = made(*texts, variant=variant, seed=seed)
    assert (
        undo_edits(rows).to_list()
        == pairs_of(*texts).join(rows, left_on="id", right_on="source_id")["hypothesis"].to_list()
    )
    assert has_consistent_edit(rows).all()
    assert (rows["edited"] == (rows["edit_from"] != rows["edit_to"])).all()


def test_letters_inside_another_word_are_hit() -> None:
    assert find_word_replacement("playing in", "in", "ni", capital_first=True) == (4, "in", "ni")


def test_which_form_comes_first() -> None:
    assert find_word_replacement("The end of the road", "the", "hte", capital_first=True) == (0, "The", "Hte")
    assert find_word_replacement("The end of the road", "the", "hte", capital_first=False) == (
        11,
        "the",
        "hte",
    )
    assert find_word_replacement("The end", "the", "hte", capital_first=False) == (0, "The", "Hte")
    assert find_word_replacement("NASA", "nasa", "ansa", capital_first=True) is None
    assert find_word_replacement("all", "all", "all", capital_first=True) is None


@pytest.mark.parametrize(
    ("text", "variant", "rows"),
    [
        ("it is on", "swap", 0),
        ("well-known", "swap", 0),
        ("42 ?", "keyboard", 0),
        ("I ?", "content", 0),
        ("mm", "content", 1),
    ],
)
def test_pairs_without_a_candidate_are_left_out(text: str, variant: str, rows: int) -> None:
    assert made(text, variant=variant).height == rows


@pytest.mark.parametrize(
    ("tag", "variant", "rows"),
    [("NN", "content", 0), ("JJ", "content", 1), ("IN", "function", 1), ("TO", "function", 0)],
)
def test_tags_are_those_of_the_script(tag: str, variant: str, rows: int) -> None:
    assert made("some words", tag=tag, variant=variant).height == rows


def test_tagged_words_keep_their_capitals() -> None:
    rows = pl.concat([made("NASA", tag="NNP", variant="content", seed=seed) for seed in range(20)])
    assert set(rows.filter(pl.col("operation") == "swap")["hypothesis"]) == {"ANSA", "NSAA", "NAAS"}
    assert set(rows.filter(pl.col("operation") == "keyboard")["hypothesis"]) == {"NASA"}


def test_some_rows_stay_as_they_were() -> None:
    rows = pl.concat([made("mm", variant="content", seed=seed) for seed in range(20)])
    assert set(rows["edited"]) == {True, False}
    assert set(rows.filter(~pl.col("edited"))["hypothesis"]) == {"mm"}


def test_what_is_drawn_is_among_what_can_be_made() -> None:
    texts = ["The man saw the other man.", "Playing in the rain is fun"]
    found = tokens(pl.Series(texts), tagged=False)
    for seed in range(30):
        table = list_released_misspellings(pl.Series(texts), found, draw_numbers(texts, seed), "swap")
        for row, at, old, new in table.select("row", "edit_at", "edit_from", "edit_to").rows():
            text, words = texts[row], found.filter(pl.col("row") == row)["token"].str.to_lowercase()
            assert text[:at] + new + text[at + len(old) :] in list_swapped_texts(text, words)


def test_the_released_swaps_can_all_be_made(shared_data: Path) -> None:
    """The released pairs have other ids than the later corpus, so they are found by their premises."""
    key = pl.col("premise").str.replace_all(r"\s+", " ").str.strip_chars().alias("key")
    file = shared_data / "stress" / "multinli_0.9_dev_gram_swap_mismatched.txt"
    released = read_corpus(str(file)).pairs.select("id", "hypothesis", "label", key)
    source = read_corpus(str(shared_data / "mnli" / "dev_mismatched.csv")).pairs.select(
        key, "label", text="hypothesis"
    )
    both = released.join(source, on=["key", "label"])
    found = tokens(both["text"], tagged=False).select("row", pl.col("token").str.to_lowercase())
    words = found.group_by("row", maintain_order=True).all()
    hit = [
        both["hypothesis"][row] in list_swapped_texts(both["text"][row], of_row)
        for row, of_row in words.iter_rows()
    ]
    assert released.height == 1_000
    assert both[np.flatnonzero(hit)]["id"].n_unique() == 1_000
