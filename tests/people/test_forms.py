from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.core.errors import InputError
from rightreasons.people.forms import AssignedItems, assign_items, count_forms, order_items

NUMBERS = st.integers(0, 5)


@st.composite
def draw_items(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Draw the numbers of groups and strata of some items."""
    count = draw(st.integers(1, 50))
    groups = draw(st.lists(st.integers(0, count - 1), min_size=count, max_size=count))
    strata = draw(st.lists(NUMBERS, min_size=count, max_size=count))
    return np.array(groups), np.array(strata)


def spread(counts: Counter[int], forms: int) -> int:
    """Return how far the counts of forms are apart; a form without a count has 0."""
    each = [counts[form] for form in range(forms)]
    return max(each) - min(each)


def check_balance(
    assigned: AssignedItems, groups: np.ndarray, strata: np.ndarray, judgements: int, most: int
) -> None:
    """Hold an assignment to all that a study relies on."""
    entries = list(zip(assigned.forms.tolist(), assigned.items.tolist(), strict=True))
    assert Counter(item for _, item in entries) == dict.fromkeys(range(len(groups)), judgements)
    assert max(Counter(entries).values()) == 1
    assert max(Counter((form, groups[item]) for form, item in entries).values()) == 1
    sizes = Counter(form for form, _ in entries)
    assert max(sizes.values()) <= most
    assert spread(sizes, assigned.count) <= 1
    for stratum in set(strata.tolist()):
        within = Counter(form for form, item in entries if strata[item] == stratum)
        assert spread(within, assigned.count) <= 1


@given(draw_items(), st.integers(1, 6), st.integers(1, 30), st.integers(-5, 5))
def test_forms_are_balanced(
    drawn: tuple[np.ndarray, np.ndarray], judgements: int, most: int, seed: int
) -> None:
    groups, strata = drawn
    assigned = assign_items(groups, strata, judgements, most, seed)
    check_balance(assigned, groups, strata, judgements, most)
    largest = int(np.bincount(groups).max())
    assert assigned.count == count_forms(len(groups), judgements, most, largest)


@given(draw_items(), st.integers(1, 4), st.integers(1, 20))
def test_a_seed_gives_the_same_forms_and_another_seed_gives_balanced_ones(
    drawn: tuple[np.ndarray, np.ndarray], judgements: int, most: int
) -> None:
    groups, strata = drawn
    first, again = (assign_items(groups, strata, judgements, most, 3) for _ in range(2))
    assert np.array_equal(first.items, again.items)
    assert np.array_equal(first.forms, again.forms)


def test_another_seed_gives_other_forms() -> None:
    numbers = np.arange(60)
    first, second = (assign_items(numbers, numbers % 3, 3, 10, seed) for seed in (0, 1))
    assert not np.array_equal(first.items, second.items)


def test_twins_of_all_strata_are_kept_apart_where_every_form_is_full() -> None:
    """Each group has an item in each of three strata: forms can't be dealt one stratum after another."""
    groups, strata = np.tile(np.arange(30), 3), np.repeat(np.arange(3), 30)
    assigned = assign_items(groups, strata, 5, 30, 0)
    assert assigned.count == 15
    check_balance(assigned, groups, strata, 5, 30)


def test_participants_share_few_items() -> None:
    """Forms are no blocks of the same items: then participants and items could not be distinguished."""
    numbers = np.arange(570)
    assigned = assign_items(numbers, numbers // 20, 5, 57, 0)
    of_form = [set(assigned.items[assigned.forms == form].tolist()) for form in range(assigned.count)]
    shared = [len(first & second) for first, second in combinations(of_form, 2)]
    assert len(of_form) == 50
    assert sum(shared) == 570 * 10
    assert max(shared) < 15


@pytest.mark.parametrize(
    ("items", "judgements", "most", "largest", "forms"),
    [
        (2280, 5, 57, 1, 200),
        (100, 3, 100, 1, 3),
        (40, 5, 40, 1, 5),
        (10, 3, 57, 1, 3),  # every participant judges all items
        (100, 3, 100, 2, 6),  # twins need participants of their own
        (2260, 5, 57, 2, 199),
    ],
)
def test_number_of_forms(items: int, judgements: int, most: int, largest: int, forms: int) -> None:
    assert count_forms(items, judgements, most, largest) == forms


def test_no_items_and_too_many_judgements_are_refused() -> None:
    with pytest.raises(InputError, match="no items"):
        count_forms(0, 3, 10, 0)
    with pytest.raises(InputError, match="at most 1,000,000"):
        count_forms(10, 10**30, 10, 1)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), min_size=1, max_size=80), st.integers(0, 3))
def test_strata_are_spread_over_a_form(entries: list[tuple[int, int]], seed: int) -> None:
    forms, strata = np.array(entries).T
    order = order_items(forms, strata, seed)
    assert sorted(order.tolist()) == list(range(len(entries)))
    assert forms[order].tolist() == sorted(forms.tolist())
    for form in set(forms.tolist()):
        placed = [strata[number] for number in order if forms[number] == form]
        whole = Counter(placed)
        for end in range(len(placed) + 1):
            begun = Counter(placed[:end])
            # Some share of every stratum lies before this place, give or take an item.
            at_least = max((begun[each] - 1) / count for each, count in whole.items())
            at_most = min((begun[each] + 1) / count for each, count in whole.items())
            assert at_least <= at_most


def test_every_form_has_an_order_of_its_own() -> None:
    forms, strata = np.repeat(np.arange(20), 10), np.tile(np.arange(10), 20)
    orders = strata[order_items(forms, strata, 0)].reshape(20, 10)
    assert len({tuple(order) for order in orders.tolist()}) == 20
