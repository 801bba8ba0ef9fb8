"""Which pairs and texts a corpus repeats, against loops over the pairs."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.audits.repeated_pairs import RepeatedPairs, count_values
from rightreasons.core.pairs import TEXTS

TEXT_CHOICES = ("A dog ran.", "a DOG ran", "A dog  ran!", "A cat sat.", "...", "?", " ?", "", "Adogran")
pair_lists = st.lists(st.tuples(st.sampled_from(TEXT_CHOICES), st.sampled_from(TEXT_CHOICES)), max_size=12)


def make_pairs(rows: list[tuple[str, str]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=dict.fromkeys(TEXTS, pl.String), orient="row")


def normalise(text: str) -> str:
    """Keep letters and digits in lower case; a text without any stays as it is."""
    return "".join(sign for sign in text.lower() if sign.isalnum()) or text.strip()


@given(pair_lists)
def test_repetition_is_that_of_a_loop(rows: list[tuple[str, str]]) -> None:
    repeated = RepeatedPairs.from_pairs(make_pairs(rows))
    plain = [(normalise(premise), normalise(hypothesis)) for premise, hypothesis in rows]
    for found, keys in ((repeated.exact, rows), (repeated.normalised, plain)):
        counts = Counter(keys)
        assert found.is_repeated.tolist() == [counts[key] > 1 for key in keys]
        assert found.times[found.number].tolist() == [counts[key] for key in keys]
        assert found.surplus == len(keys) - len(counts)
    assert repeated.is_swapped.tolist() == [(h, p) in plain and p != h for p, h in plain]
    for side in range(2):
        counts = Counter(pair[side] for pair in plain)
        assert repeated.count_text(side).is_repeated.tolist() == [counts[pair[side]] > 1 for pair in plain]


@given(pair_lists)
def test_kinds_of_repetition_are_nested(rows: list[tuple[str, str]]) -> None:
    repeated = RepeatedPairs.from_pairs(make_pairs(rows))
    assert (repeated.normalised.is_repeated >= repeated.exact.is_repeated).all()
    assert (repeated.count_text(0).is_repeated >= repeated.normalised.is_repeated).all()
    assert repeated.normalised.surplus >= repeated.exact.surplus
    # A pair whose swapped pair occurs is the swapped pair of that.
    turned = RepeatedPairs.from_pairs(make_pairs([(h, p) for p, h in rows]))
    assert (turned.is_swapped == repeated.is_swapped).all()


@given(pair_lists)
def test_numbers_do_not_depend_on_the_order(rows: list[tuple[str, str]]) -> None:
    there, back = (RepeatedPairs.from_pairs(make_pairs(each)) for each in (rows, rows[::-1]))
    assert there.normalised.number.tolist() == back.normalised.number[::-1].tolist()
    assert there.exact.number.tolist() == back.exact.number[::-1].tolist()


@given(st.lists(st.integers(-3, 3), max_size=12))
def test_values_are_numbered_in_their_order(values: list[int]) -> None:
    found = count_values(np.array(values, dtype=np.int64))
    known = sorted(set(values))
    assert found.number.tolist() == [known.index(value) for value in values]
    assert found.times.tolist() == [values.count(value) for value in known]


def test_equal_pairs_are_not_searched_for_near_duplicates() -> None:
    long = "The old man by the river sold seven small boats to the children of his neighbour"
    rows = [(f"{long}.", "He sold boats."), (f"{long}!", "he sold boats"), (f"{long} now.", "He sold boats.")]
    search = RepeatedPairs.from_pairs(make_pairs(rows)).find_near_duplicates(10)
    assert search.rows.tolist() == [2]
    (found,) = search.found
    assert (found.row, found.other) == (2, 1)  # of the equal pairs, the first by the alphabet
    assert RepeatedPairs.from_pairs(make_pairs(rows[:2])).find_near_duplicates(10).found == ()


def test_a_sample_is_a_part_of_what_would_be_searched() -> None:
    repeated = RepeatedPairs.from_pairs(make_pairs([(f"premise {n}", f"hypothesis {n}") for n in range(50)]))
    some, again = (repeated.find_near_duplicates(10).rows for _ in range(2))
    assert len(some) == len(set(some.tolist())) == 10
    assert some.tolist() == again.tolist()
    assert set(some.tolist()) <= set(repeated.find_near_duplicates(50).rows.tolist()) == set(range(50))
