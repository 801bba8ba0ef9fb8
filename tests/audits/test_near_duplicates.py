"""Near duplicates: all are found, as holding every text against every other finds them."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.audits.near_duplicates import THRESHOLD, NearDuplicateIndex, compute_similarity
from rightreasons.language.shingles import (
    ShingledColumn,
    build_shingles,
    compute_jaccard,
    list_shingles,
    normalise_letters,
    normalise_spaces,
)

if TYPE_CHECKING:
    import pytest

TEXTS = st.lists(
    st.text(alphabet="abc 𝒳ß", max_size=24).map(lambda text: f" {text} "), min_size=1, max_size=12
)


def matched(ours: tuple[list[str], ...], theirs: tuple[list[str], ...]) -> dict[int, tuple[int, Fraction]]:
    index = NearDuplicateIndex(ours)
    wanted = np.ones(len(theirs[0]), dtype=bool)
    found = list(index.match([ShingledColumn(side) for side in theirs], wanted))
    assert len({match.ours for match in found}) == len(found)
    return {match.ours: (match.theirs, match.similarity) for match in found}


def by_brute_force(
    ours: tuple[list[str], ...], theirs: tuple[list[str], ...]
) -> dict[int, tuple[int, Fraction]]:
    found = {}
    for own in range(len(ours[0])):
        for other in range(len(theirs[0])):
            share = compute_similarity([side[own] for side in ours], [side[other] for side in theirs])
            if share >= THRESHOLD:
                found[own] = (other, share)
                break
    return found


@given(TEXTS, TEXTS)
def test_single_texts_are_found_as_by_brute_force(ours: list[str], theirs: list[str]) -> None:
    assert matched((ours,), (theirs,)) == by_brute_force((ours,), (theirs,))


@given(TEXTS, TEXTS, st.data())
def test_pairs_are_found_as_by_brute_force(ours: list[str], theirs: list[str], data: st.DataObject) -> None:
    mine, others = (ours, data.draw(st.permutations(ours))), (theirs, data.draw(st.permutations(theirs)))
    assert matched(mine, others) == by_brute_force(mine, others)


@given(
    st.lists(
        st.sampled_from(["dog", "cat", "sees", "the", "an", "old", "man", "runs"]), min_size=4, max_size=12
    ),
    st.data(),
)
def test_slips_in_long_texts_are_found_as_by_brute_force(words: list[str], data: st.DataObject) -> None:
    text = f" {' '.join(words * 2)} "
    slips = data.draw(st.lists(st.integers(1, len(text) - 2), max_size=4))
    changed = "".join("x" if place in slips else letter for place, letter in enumerate(text))
    assert matched(([text],), ([changed],)) == by_brute_force(([text],), ([changed],))


def test_many_texts_are_found_as_by_brute_force() -> None:
    rng = np.random.default_rng(0)
    words = np.array(["the", "judge", "saw", "lawyers", "who", "near", "of", "banker", "actor", "believed"])
    texts = [f" {' '.join(words[rng.integers(0, len(words), rng.integers(3, 6))])} " for _ in range(240)]
    found = matched((texts[:120],), (texts[120:],))
    assert found == by_brute_force((texts[:120],), (texts[120:],))
    assert len(found) > 2


def test_the_numbers_of_blocks_and_batches_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    words = np.array(["the", "judge", "saw", "lawyers", "who"])
    texts = [f" {' '.join(words[rng.integers(0, 5, 6)])} " for _ in range(200)]
    whole = matched((texts[:100],), (texts[100:],))
    monkeypatch.setattr("rightreasons.audits.near_duplicates._MAX_CANDIDATES", 7)
    assert matched((texts[:100],), (texts[100:],)) == whole


def test_rows_that_are_not_wanted_are_left_out() -> None:
    index = NearDuplicateIndex(([" a good long text "],))
    column = ShingledColumn([" a good long text "] * 2)
    assert [match.theirs for match in index.match([column], np.array([False, True]))] == [1]
    assert list(index.match([column], np.array([True, True]))) == []  # found once is enough


@given(st.lists(st.text(max_size=30), max_size=8))
def test_shingles_are_counted_once(texts: list[str]) -> None:
    found = build_shingles(texts)
    plain = ["".join(chr(ord(letter) & 0xFFFF) for letter in text) for text in texts]
    assert found.n.tolist() == [len(list_shingles(text)) for text in plain]
    assert len(found.row) == len(found.code) == found.n.sum()


def test_similarity() -> None:
    assert compute_jaccard(list_shingles("abcd"), list_shingles("bcde")) == Fraction(1, 3)
    assert compute_jaccard(set(), set()) == 0
    same, other = " the old man sat down by the river in the evening ", " a cat "
    assert compute_similarity([same, " he sat "], [same, " he sat "]) == 1
    assert compute_similarity([same, other], [same, " he sat "]) == 0  # another hypothesis is another pair


def test_texts_are_made_plain() -> None:
    table = pl.DataFrame({"t": ["It's  ﬁne, isn't IT?", "ÀÉ\u00a0１２", "?!", ""]})  # noqa: RUF001 - what is to be made plain
    assert table.select(normalise_spaces(pl.col("t"))).to_series().to_list() == [
        " it s fine isn t it ",
        " àé 12 ",
        "  ",
        "  ",
    ]
    assert table.select(normalise_letters(pl.col("t"))).to_series().to_list() == [
        "itsfineisntit",
        "àé12",
        "?!",
        "",
    ]
