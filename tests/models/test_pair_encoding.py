"""Pairs become tokens as the tokenizer itself joins them; the hypothesis is never cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import tiny_networks
from rightreasons.models.pair_encoding import tokenize_pairs

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PREMISE = " ".join(tiny_networks.TEXTS)
HYPOTHESIS = "The doctor danced."


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return tiny_networks.word_pieces()


def rows(encoded: object) -> list[list[int]]:
    return [encoded.ids[a:b].tolist() for a, b in zip(encoded.starts, encoded.starts[1:], strict=False)]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "make", [tiny_networks.word_pieces, tiny_networks.byte_pairs, tiny_networks.unigrams]
)
def test_what_fits_is_as_the_tokenizer_gives_it(make: object) -> None:
    tokenizer = make()  # type: ignore[operator]
    whole = tokenizer.encode(PREMISE, HYPOTHESIS)
    encoded = tokenize_pairs(tokenizer, [PREMISE], [HYPOTHESIS], 500)
    assert rows(encoded) == [whole.ids]
    assert encoded.types.tolist() == whole.type_ids
    assert not encoded.is_long.any()


def test_a_long_premise_is_cut_at_its_end_and_nothing_else(tokenizer: Tokenizer) -> None:
    whole = tokenizer.encode(PREMISE, HYPOTHESIS)
    tokenizer.enable_truncation(30, strategy="only_first")
    expected = tokenizer.encode(PREMISE, HYPOTHESIS)
    encoded = tokenize_pairs(tokenizer, [PREMISE], [HYPOTHESIS], 30)
    assert rows(encoded) == [expected.ids]
    assert encoded.types.tolist() == expected.type_ids
    assert len(whole.ids) > 30
    assert encoded.is_long.tolist() == [True]


def test_windows_cover_the_premise_and_each_has_the_whole_hypothesis(tokenizer: Tokenizer) -> None:
    premise, hypothesis = (
        tokenizer.encode(text, add_special_tokens=False).ids for text in (PREMISE, HYPOTHESIS)
    )
    encoded = tokenize_pairs(tokenizer, ["A", PREMISE], [HYPOTHESIS] * 2, 40, "window-max")
    windows = rows(encoded)[1:]
    room = 40 - 3 - len(hypothesis)
    starts = [*range(0, len(premise) - room, room // 2), len(premise) - room]
    assert [window[1 : 1 + room] for window in windows] == [premise[at : at + room] for at in starts]
    assert all(window[2 + room : -1] == hypothesis for window in windows)
    assert encoded.pair_indices.tolist() == [0] + [1] * len(windows)


def test_a_hypothesis_that_leaves_no_room_is_refused(tokenizer: Tokenizer) -> None:
    size = len(tokenizer.encode(HYPOTHESIS, add_special_tokens=False).ids)
    for length, refused in ((size + 3, [0]), (size + 4, [])):
        encoded = tokenize_pairs(tokenizer, [PREMISE, "A"], [HYPOTHESIS, "A"], length)
        assert encoded.refused.tolist() == refused
        assert len(encoded) == 2 - len(refused)


def test_rows_are_padded_to_the_longest_and_masked(tokenizer: Tokenizer) -> None:
    encoded = tokenize_pairs(tokenizer, [PREMISE, "The doctor"], [HYPOTHESIS] * 2, 500)
    ids, types, mask = encoded.pad_rows(np.array([1, 0]), 7)
    lengths = encoded.lengths[[1, 0]]
    assert ids.shape == types.shape == mask.shape == (2, lengths.max())
    assert mask.sum(axis=1).tolist() == lengths.tolist()
    assert set(ids[0, lengths[0] :]) == {7}
    assert ids.dtype == types.dtype == mask.dtype == np.int64


def test_no_pairs_are_no_rows(tokenizer: Tokenizer) -> None:
    assert len(tokenize_pairs(tokenizer, [], [], 10)) == 0
