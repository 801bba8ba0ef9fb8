"""Draws belong to their text and key alone, and are even."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.core.keyed_random import derive_numbers, draw_numbers, scale_to_range

IDS = [f"pair-{number}" for number in range(20_000)]
TEXTS = st.lists(st.text(max_size=8), max_size=12)


def test_a_seed_means_these_numbers_for_ever() -> None:
    drawn = draw_numbers(["a", "b", "", "é😀"], "set", 1, 0)
    assert drawn.tolist() == [
        2632767165870125717,
        103563395034038804,
        10724498741632614189,
        10476847019160567901,
    ]
    assert derive_numbers(drawn, np.array([0, 1, 2, 3])).tolist() == [
        558075565343533195,
        337846636864165228,
        12076310644783767755,
        15989958667190342269,
    ]
    assert scale_to_range(drawn, 1000).tolist() == [142, 5, 581, 567]


@given(TEXTS)
def test_order_and_company_change_nothing(texts: list[str]) -> None:
    alone = {text: int(draw_numbers([text], "key", 7)[0]) for text in texts}
    shuffled = sorted(texts)
    assert draw_numbers(texts, "key", 7).tolist() == [alone[text] for text in texts]
    assert draw_numbers(shuffled, "key", 7).tolist() == [alone[text] for text in shuffled]


@given(TEXTS, st.integers(0, 12))
def test_batches_change_nothing(texts: list[str], cut: int) -> None:
    parts = [draw_numbers(texts[:cut], 1), draw_numbers(texts[cut:], 1)]
    assert np.concatenate(parts).tolist() == draw_numbers(texts, 1).tolist()
    numbers = np.arange(len(texts))
    whole = derive_numbers(draw_numbers(texts, 1), numbers)
    assert np.concatenate(
        [derive_numbers(parts[0], numbers[:cut]), derive_numbers(parts[1], numbers[cut:])]
    ).tolist() == (whole.tolist())


@pytest.mark.parametrize(
    "other", [("set", 1, 1), ("set", 2, 0), ("sets", 1, 0), ("set", 10), ("set", 1, 0, "")]
)
def test_another_key_is_another_draw(other: tuple[str | int, ...]) -> None:
    assert not (draw_numbers(IDS[:100], "set", 1, 0) == draw_numbers(IDS[:100], *other)).any()


def test_a_key_and_a_text_do_not_run_together() -> None:
    assert draw_numbers(["b"], "a")[0] != draw_numbers([""], "ab")[0] != draw_numbers(["ab"])[0]


def test_lone_surrogates_have_a_draw_of_their_own() -> None:
    assert len(set(draw_numbers(["\ud800", "\ud801", "?"], 1).tolist())) == 3


def chi_square(numbers: np.ndarray, cells: int) -> float:
    counts = np.bincount(numbers, minlength=cells)
    expected = len(numbers) / cells
    return float(((counts - expected) ** 2 / expected).sum())


@pytest.mark.parametrize("cells", [2, 10, 97])
@pytest.mark.parametrize("number", [None, 0, 1, 50])
def test_numbers_are_even(cells: int, number: int | None) -> None:
    drawn = draw_numbers(IDS, "evenness", 1)
    drawn = drawn if number is None else derive_numbers(drawn, np.array([number]))
    found = scale_to_range(drawn, cells)
    assert found.min() == 0
    assert found.max() == cells - 1
    # Five standard deviations above the mean of the chi-square distribution.
    assert chi_square(found, cells) < (cells - 1) + 5 * np.sqrt(2 * (cells - 1))


@pytest.mark.parametrize(("one", "other"), [(0, 1), (1, 2), (0, 7)])
def test_further_numbers_do_not_follow_each_other(one: int, other: int) -> None:
    drawn = draw_numbers(IDS, "independence", 1)
    pairs = 8 * scale_to_range(derive_numbers(drawn, np.array([one])), 8) + scale_to_range(
        derive_numbers(drawn, np.array([other])), 8
    )
    assert chi_square(pairs, 64) < 63 + 5 * np.sqrt(2 * 63)


@given(st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(1, 2**32 - 1)), min_size=1))
def test_below_is_below_and_exact(cases: list[tuple[int, int]]) -> None:
    drawn, bounds = (np.array(part, dtype=np.uint64) for part in zip(*cases, strict=True))
    expected = [(number >> 32) * bound >> 32 for number, bound in cases]
    assert scale_to_range(drawn, bounds).tolist() == expected
    assert (np.array(expected) < bounds.astype(np.int64)).all()
