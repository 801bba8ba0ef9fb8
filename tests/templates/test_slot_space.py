"""Spaces of slots: counted, ranked and unranked, against enumeration by hand."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from rightreasons.core.errors import InputError
from rightreasons.templates.document import WordList
from rightreasons.templates.slot_space import SlotSpace

if TYPE_CHECKING:
    from collections.abc import Sequence

POOL = "abcdefg"


def words(name: str, texts: Sequence[str], keys: Sequence[str] | None = None) -> WordList:
    own = tuple(keys) if keys is not None else tuple(texts)
    return WordList(name, tuple(texts), (None,) * len(texts), own, (None,) * len(texts))


@st.composite
def lists(draw: st.DrawFn) -> list[WordList]:
    """Draw some slots over a few lists, which may overlap, share keys in any number of forms, or be the same."""
    drawn = []
    for number in range(draw(st.integers(1, 3))):
        texts = draw(st.lists(st.sampled_from(POOL), min_size=1, max_size=5, unique=True))
        kind = draw(st.sampled_from(["plain", "forms", "lemmas"]))
        if kind == "forms":
            texts, keys = [*texts, *(text.upper() for text in texts)], [*texts, *texts]
        elif kind == "lemmas":
            keys = draw(st.lists(st.sampled_from("ABC"), min_size=len(texts), max_size=len(texts)))
        else:
            keys = texts
        drawn.append(words(f"L{number}", texts, keys))
    return draw(st.lists(st.sampled_from(drawn), min_size=1, max_size=4))


def space_of(slots: Sequence[WordList], in_premise: int, *, distinct: bool) -> SlotSpace:
    """Make the space, passing over what is refused with a reason, and what can't be filled (tested below)."""
    assume(by_hand(slots[:in_premise], distinct=distinct))
    try:
        return SlotSpace(slots, in_premise, distinct=distinct)
    except InputError as error:
        event(str(error).partition(".")[2])
        assume(condition=False)
        raise


def by_hand(slots: Sequence[WordList], *, distinct: bool) -> set[tuple[int, ...]]:
    """Enumerate the combinations in which no key comes twice."""
    found = set()
    for draw in itertools.product(*(range(len(one)) for one in slots)):
        keys = [one.keys[entry] for one, entry in zip(slots, draw, strict=True)]
        if not distinct or len(set(keys)) == len(keys):
            found.add(draw)
    return found


def rows(columns: Sequence[np.ndarray]) -> list[tuple[int, ...]]:
    return [tuple(int(value) for value in row) for row in zip(*columns, strict=True)]


@settings(deadline=None, max_examples=300)
@given(lists(), st.integers(0, 4), st.booleans())
def test_ranks_are_the_legal_combinations(slots: list[WordList], in_premise: int, distinct: bool) -> None:
    in_premise = min(in_premise, len(slots))
    space = space_of(slots, in_premise, distinct=distinct)
    legal = by_hand(slots, distinct=distinct)
    assert space.count == len(legal)
    assert space.count == space.premises * space.hypotheses
    assert space.proposals == math.prod(len(one) for one in slots)
    ranks = np.arange(space.count)
    entries = space.unrank(ranks)
    assert set(rows(entries)) == legal
    assert (space.rank(entries) == ranks).all()


@settings(deadline=None, max_examples=200)
@given(lists(), st.integers(0, 4), st.booleans())
def test_illegal_combinations_are_refused(slots: list[WordList], in_premise: int, distinct: bool) -> None:
    space = space_of(slots, min(in_premise, len(slots)), distinct=distinct)
    every = list(itertools.product(*(range(len(one)) for one in slots)))
    ranks = space.rank([np.array(column) for column in zip(*every, strict=True)])
    legal = by_hand(slots, distinct=distinct)
    assert [draw in legal for draw in every] == (ranks >= 0).tolist()
    assert ((ranks >= -1) & (ranks < space.count)).all()


@settings(deadline=None, max_examples=200)
@given(lists(), st.integers(0, 4))
def test_premises_rank_as_they_do_without_slots_in_the_hypothesis(
    slots: list[WordList], in_premise: int
) -> None:
    in_premise = min(in_premise, len(slots))
    whole = space_of(slots, in_premise, distinct=True)
    alone = SlotSpace(slots[:in_premise], in_premise)
    assume(whole.count)
    assert whole.premises == alone.count
    ranks = np.arange(whole.count)
    assert rows(whole.unrank(ranks)[:in_premise]) == rows(alone.unrank(ranks // whole.hypotheses))


@settings(deadline=None, max_examples=100)
@given(lists(), st.data())
def test_any_ranks_unrank_as_they_do_together(slots: list[WordList], data: st.DataObject) -> None:
    space = space_of(slots, len(slots), distinct=True)
    assume(space.count)
    some = data.draw(st.lists(st.integers(0, space.count - 1), max_size=5))
    whole = rows(space.unrank(np.arange(space.count)))
    assert rows(space.unrank(np.array(some, dtype=np.int64))) == [whole[rank] for rank in some]


@pytest.mark.parametrize("in_premise", [0, 1, 3, 5])
def test_a_large_space_ranks_back(in_premise: int) -> None:
    lemmas = [f"w{n}" for n in range(16)]
    nouns = words("N", [*lemmas, *(f"{lemma}s" for lemma in lemmas)], [*lemmas, *lemmas])
    verbs = words("V", [f"v{n}" for n in range(16)])
    space = SlotSpace([nouns] * 5 + [verbs] * 2, in_premise)
    assert space.count == math.perm(16, 5) * 2**5 * 16 * 15
    ranks = np.linspace(0, space.count - 1, 5000).astype(np.int64)
    entries = space.unrank(ranks)
    assert (space.rank(entries) == ranks).all()
    assert all(len({entry % 16 for entry in row[:5]}) == 5 for row in rows(entries))


@pytest.mark.parametrize("in_premise", [0, 1, 2, 3])
def test_more_slots_than_words_leave_nothing(in_premise: int) -> None:
    assert SlotSpace([words("N", "ab")] * 3, in_premise).count == 0


def test_no_slots_have_one_combination() -> None:
    space = SlotSpace([], 0)
    assert space.count == 1
    assert space.unrank(np.array([0])) == []
    assert space.rank([]).tolist() == [0]


def test_a_space_too_large_to_rank_is_refused() -> None:
    slots = [words(f"L{n}", [f"{letter}{n}" for letter in POOL]) for n in range(23)]
    with pytest.raises(InputError, match=r"2\.7e\+19 "):
        SlotSpace(slots, 23)
    assert SlotSpace(slots[:22], 22).count == 7**22


def test_lists_that_overlap_in_part_are_enumerated_up_to_a_bound() -> None:
    one, two = (
        words("ONE", [f"w{n}" for n in range(200)]),
        words("TWO", [f"w{n}" for n in range(100, 300)]),
    )
    assert SlotSpace([one, two], 2).count == 200 * 200 - 100
    with pytest.raises(InputError, match=r"ONE and TWO .*8,000,000 "):
        SlotSpace([one, two, one], 3)


def test_lists_that_overlap_in_part_across_the_sentences_are_refused() -> None:
    one, two = words("ONE", "abc"), words("TWO", "cde")
    with pytest.raises(InputError, match=r"ONE and TWO .*hypothesis"):
        SlotSpace([one, two], 1)
    assert SlotSpace([one, two], 0).count == SlotSpace([one, two], 2).count == 8


def test_hans_counts_as_specified(hans_grammar: object) -> None:
    supports = {"ln_subject/object_swap": 15_360, "ln_preposition": 12_902_400, "se_understood_object": 2_688}
    for subcase, support in supports.items():
        variants = hans_grammar.get_variants(subcase)  # type: ignore[attr-defined]
        assert sum(variant.space.count for variant in variants) == support
