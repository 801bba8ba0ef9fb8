"""The finite space of the texts of a row of slots: counted, ranked and unranked, columns at a time.

No two slots may hold the same key (a noun's lemma, a verb's form), so slots that could clash are counted together, as a
component. If they all draw on the same keys, they are a partial permutation of the keys and some digits for the forms;
otherwise their legal combinations are enumerated in a table. Slots that can't clash are plain digits.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

import numpy as np

from rightreasons.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from rightreasons.templates.document import WordList

_ENUMERATED = 1 << 22
_TABLED = 1 << 16
_LARGEST = 1 << 62
_REMEDY = "Use the same list in these slots, or lists without common words."


class Component(Protocol):
    """Some slots that are counted together: how many ways in the premise, and how many in the hypothesis for each."""

    slots: tuple[int, ...]
    counts: tuple[int, int]

    def unrank(
        self, premise: NDArray[np.int64], hypothesis: NDArray[np.int64]
    ) -> Sequence[NDArray[np.int64]]:
        """Return the entry of each slot."""

    def rank(self, entries: Sequence[NDArray[np.int64]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the ranks of the entries on the two sides, -1 where they are not legal."""


class FreeSlot:
    """A slot that clashes with no other."""

    def __init__(self, slot: int, words: WordList, in_premise: int) -> None:
        """Set the slot's index and its word list."""
        self.slots: tuple[int, ...] = (slot,)
        self.first = slot < in_premise
        self.counts = (len(words), 1) if self.first else (1, len(words))

    def unrank(
        self, premise: NDArray[np.int64], hypothesis: NDArray[np.int64]
    ) -> Sequence[NDArray[np.int64]]:
        """Return the entry itself."""
        return [premise if self.first else hypothesis]

    def rank(self, entries: Sequence[NDArray[np.int64]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the entry itself."""
        nothing = np.zeros_like(entries[0])
        return (entries[0], nothing) if self.first else (nothing, entries[0])


class DistinctKeys:
    """Slots over the same keys: different keys in order, then the form of each."""

    def __init__(self, slots: tuple[int, ...], lists: Sequence[WordList], in_premise: int) -> None:
        """Set the slots' indices and word lists, all over the same keys with a fixed number of forms each."""
        self.slots = slots
        self.inside = sum(slot < in_premise for slot in slots)
        # A single slot in the premise is ranked by its entry, as it would be without the hypothesis.
        self.alone = self.inside == 1
        keys = tuple(dict.fromkeys(lists[0].keys))
        place = {key: number for number, key in enumerate(keys)}
        self.keys = len(keys)
        self.forms = [len(words) // self.keys for words in lists]
        self.later_orders = math.perm(max(self.keys - self.inside, 0), len(slots) - self.inside)
        self.counts = (
            math.perm(self.keys, self.inside) * math.prod(self.forms[: self.inside]),
            self.later_orders * math.prod(self.forms[self.inside :]),
        )
        self.entry_of = [_arrange_entries_by_key(words, place) for words in lists]
        self.key_of = [np.array([place[key] for key in words.keys], dtype=np.int64) for words in lists]

    def unrank(
        self, premise: NDArray[np.int64], hypothesis: NDArray[np.int64]
    ) -> Sequence[NDArray[np.int64]]:
        """Return the entry of each slot."""
        if self.alone:
            orders: NDArray[np.int64] = self.key_of[0][premise]
            forms: list[NDArray[np.int64] | None] = [None]
        else:
            orders, forms = _split_form_digits(premise, self.forms[: self.inside])
        if self.inside < len(self.slots):
            later, more = _split_form_digits(hypothesis, self.forms[self.inside :])
            orders, forms = orders * self.later_orders + later, [*forms, *more]
        keys = _decode_keys(orders, self.keys, len(self.slots))
        entries = [
            table[0][key] if form is None else table.ravel()[form * self.keys + key]
            for key, form, table in zip(keys, forms, self.entry_of, strict=True)
        ]
        return [premise, *entries[1:]] if self.alone else entries

    def rank(self, entries: Sequence[NDArray[np.int64]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the ranks, -1 where two slots hold the same key."""
        keys = [table[entry] for table, entry in zip(self.key_of, entries, strict=True)]
        legal = np.ones(len(keys[0]), dtype=bool)
        digits = []
        for number, key in enumerate(keys):
            digit = key.copy()
            for earlier in keys[:number]:
                digit -= earlier < key
                legal &= earlier != key
            digits.append(digit)
        sides = []
        for span in (slice(0, self.inside), slice(self.inside, None)):
            rank = np.zeros_like(keys[0])
            for number, digit in list(enumerate(digits))[span]:
                rank = rank * (self.keys - number) + digit
            for table, entry, key in list(zip(self.entry_of, entries, keys, strict=True))[span]:
                if len(table) > 1:
                    rank = rank * len(table) + np.argmax(table[:, key] == entry, axis=0)
            sides.append(np.where(legal, rank, -1))
        if self.alone:
            sides[0] = np.where(legal, entries[0], -1)
        return sides[0], sides[1]


class CombinationTable:
    """Slots whose lists overlap in part: the legal combinations, one by one."""

    def __init__(self, slots: tuple[int, ...], lists: Sequence[WordList], in_premise: int) -> None:
        """Enumerate the combinations in which no key occurs twice."""
        self.slots = slots
        self.first = slots[0] < in_premise
        names = " and ".join(dict.fromkeys(words.name for words in lists))
        if (slots[-1] < in_premise) != self.first:
            raise InputError(
                f"The word lists {names} share some words, and one of the lists is used only in the hypothesis. "
                f"{_REMEDY}"
            )
        self.sizes = [len(words) for words in lists]
        total = math.prod(self.sizes)
        if total > _ENUMERATED:
            raise InputError(
                f"The word lists {names} share some words and have {total:,} combinations, too many to enumerate. "
                f"{_REMEDY}"
            )
        grid = np.indices(self.sizes).reshape(len(lists), -1)
        legal = _mark_distinct_columns([words.keys for words in lists], grid)
        self.entries = grid[:, legal].astype(np.int64)
        count = int(legal.sum())
        self.counts = (count, 1) if self.first else (1, count)
        self.inverse = np.full(total, -1, dtype=np.int64)
        self.inverse[legal] = np.arange(count)

    def unrank(
        self, premise: NDArray[np.int64], hypothesis: NDArray[np.int64]
    ) -> Sequence[NDArray[np.int64]]:
        """Return the entry of each slot."""
        rank = premise if self.first else hypothesis
        return [row[rank] for row in self.entries]

    def rank(self, entries: Sequence[NDArray[np.int64]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the ranks, -1 where a key occurs twice."""
        flat = np.zeros_like(entries[0])
        for size, entry in zip(self.sizes, entries, strict=True):
            flat = flat * size + entry
        rank = self.inverse[flat]
        other = np.minimum(rank, 0)
        return (rank, other) if self.first else (other, rank)


def build_components(lists: Sequence[WordList], in_premise: int, *, distinct: bool) -> list[Component]:
    """Group slots whose words could clash."""
    groups: list[tuple[set[str], list[int]]] = []
    for number, words in enumerate(lists):
        keys, members = set(words.keys), [number]
        if distinct:
            for group in [group for group in groups if group[0] & keys]:
                groups.remove(group)
                keys |= group[0]
                members = group[1] + members
        groups.append((keys, sorted(members)))
    groups.sort(key=lambda group: group[1][0])
    return [
        _build_component(tuple(slots), [lists[slot] for slot in slots], in_premise) for _, slots in groups
    ]


def _build_component(slots: tuple[int, ...], lists: Sequence[WordList], in_premise: int) -> Component:
    if len(slots) == 1:
        return FreeSlot(slots[0], lists[0], in_premise)
    keys = set(lists[0].keys)
    regular = all(set(words.keys) == keys and _has_equal_forms(words) for words in lists)
    return DistinctKeys(slots, lists, in_premise) if regular else CombinationTable(slots, lists, in_premise)


def _split_form_digits(
    rank: NDArray[np.int64], forms: Sequence[int]
) -> tuple[NDArray[np.int64], list[NDArray[np.int64] | None]]:
    """Split the form digits, the last slot's fastest, from the rank of the order of keys."""
    digits: list[NDArray[np.int64] | None] = []
    for form in reversed(forms):
        if form == 1:
            digits.append(None)
        else:
            rank, digit = np.divmod(rank, form)
            digits.append(digit)
    return rank, digits[::-1]


def _mark_distinct_columns(keys: Sequence[Sequence[str]], grid: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which columns of a grid of entries hold no key twice."""
    numbers = {key: n for n, key in enumerate(dict.fromkeys(key for slot in keys for key in slot))}
    held = [np.array([numbers[key] for key in slot])[row] for slot, row in zip(keys, grid, strict=True)]
    legal = np.ones(grid.shape[1], dtype=bool)
    for number, key in enumerate(held):
        for earlier in held[:number]:
            legal &= earlier != key
    return legal


def _has_equal_forms(words: WordList) -> bool:
    """Return whether every key has the same number of forms in the list."""
    return len(set(Counter(words.keys).values())) == 1


def _arrange_entries_by_key(words: WordList, place: dict[str, int]) -> NDArray[np.int64]:
    """Return the list's entries as a matrix, a row a form and a column a key."""
    columns: list[list[int]] = [[] for _ in place]
    for entry, key in enumerate(words.keys):
        columns[place[key]].append(entry)
    return np.array(columns, dtype=np.int64).T


def _decode_keys(orders: NDArray[np.int64], keys: int, slots: int) -> Sequence[NDArray[np.int64]]:
    # A table of all orders pays where many rows look into it.
    if math.perm(keys, slots) <= min(_TABLED, 4 * len(orders)):
        return [row[orders] for row in tabulate_key_orders(keys, slots)]
    return _decode_key_orders(orders, keys, slots)


@lru_cache(maxsize=64)
def tabulate_key_orders(keys: int, slots: int) -> NDArray[np.int64]:
    """Return all partial permutations, a row a slot."""
    return np.array(_decode_key_orders(np.arange(math.perm(keys, slots)), keys, slots))


def _decode_key_orders(orders: NDArray[np.int64], keys: int, slots: int) -> Sequence[NDArray[np.int64]]:
    """Decode partial permutations from their factorial digits."""
    digits = []
    for number in reversed(range(slots)):
        orders, digit = np.divmod(orders, keys - number)
        digits.append(digit)
    chosen: list[NDArray[np.int64]] = []
    for digit in reversed(digits):
        key = digit.copy()
        # Counting up past the keys taken before, smallest first, turns a digit among the free keys into a key.
        for earlier in np.sort(np.array(chosen), axis=0) if chosen else ():
            key += earlier <= key
        chosen.append(key)
    return chosen


class SlotSpace:
    """All that some slots can say: `premises` instances of the first slots, each with `hypotheses` of the others."""

    def __init__(self, lists: Sequence[WordList], in_premise: int, *, distinct: bool = True) -> None:
        """Set the slots' word lists, the `in_premise` slots of the premise first."""
        self.size = len(lists)
        self.components = build_components(lists, in_premise, distinct=distinct)
        self.premises = math.prod(part.counts[0] for part in self.components)
        self.hypotheses = math.prod(part.counts[1] for part in self.components)
        self.count = self.premises * self.hypotheses
        self.proposals = math.prod(len(words) for words in lists)
        if self.count > _LARGEST:
            raise InputError(
                f"A template has {self.count:.1e} pairs; the maximum is {_LARGEST:.1e}. Use shorter word lists."
            )

    def unrank(self, rank: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """Return, for each slot, the column of its entries."""
        entries: list[NDArray[np.int64]] = [rank] * self.size
        premise, hypothesis = np.divmod(rank, self.hypotheses) if self.hypotheses > 1 else (rank, rank)
        left, right = (
            _split_rank_digits(side, [p.counts[n] for p in self.components])
            for n, side in enumerate((premise, hypothesis))
        )
        for part, first, second in zip(self.components, left, right, strict=True):
            for slot, column in zip(part.slots, part.unrank(first, second), strict=True):
                entries[slot] = column
        return entries

    def rank(self, entries: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
        """Return the rank of each row of entries, -1 where it is not legal."""
        premise = hypothesis = np.zeros(len(entries[0]) if entries else 1, dtype=np.int64)
        legal = np.ones(len(premise), dtype=bool)
        for part in self.components:
            first, second = part.rank([entries[slot] for slot in part.slots])
            legal &= (first >= 0) & (second >= 0)
            premise = premise * part.counts[0] + first
            hypothesis = hypothesis * part.counts[1] + second
        return np.where(legal, premise * self.hypotheses + hypothesis, -1)


def _split_rank_digits(rank: NDArray[np.int64], counts: Sequence[int]) -> list[NDArray[np.int64]]:
    """Split a rank into its digits, the last count fastest; a count of 1 takes no arithmetic."""
    digits: list[NDArray[np.int64]] = []
    nothing = np.zeros_like(rank)
    open_counts = sum(count > 1 for count in counts)
    for count in reversed(counts):
        if count == 1:
            digits.append(nothing)
            continue
        open_counts -= 1
        if open_counts:
            rank, digit = np.divmod(rank, count)
            digits.append(digit)
        else:
            digits.append(rank)
    return digits[::-1]
