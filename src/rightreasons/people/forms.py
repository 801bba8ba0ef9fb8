"""Forms: which items each participant gets, and in which order.

A form is a color of the edges of a bipartite graph: an edge is one judgement of an item, between the item's group and
its stratum. A coloring that is even at every vertex always exists (de Werra 1971): no item or group is twice on a form,
and the judgements of a stratum are spread over the forms as evenly as whole numbers allow. To get one, and to make it
random, pairs of forms are put together and split again: copies of a group go to different forms, and so do pairs within
a stratum.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from rightreasons.core.errors import InputError
from rightreasons.core.keyed_random import derive_numbers, draw_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_JUDGEMENTS = 1_000_000
_ROUNDS = 8  # in each, every form is put together with a random other one
_ALONE = -1


@dataclass(frozen=True)
class AssignedItems:
    """Which item is on which form: one entry per judgement, both numbered from 0."""

    forms: NDArray[np.int64]
    items: NDArray[np.int64]
    count: int  # of forms


def count_forms(items: int, judgements: int, per_form: int, largest_group: int) -> int:
    """Count the forms that are needed: as few as the size of a form allows, and as many as the largest group needs."""
    if not items:
        raise InputError("There are no items to judge. Plan the study from a set with pairs.")
    if items * judgements > MOST_JUDGEMENTS:
        raise InputError(
            f"{items:,} items with {judgements:,} judgements of each are too many for a study, which has at most "
            f"{MOST_JUDGEMENTS:,} judgements. Draw fewer items (--each), or ask for fewer judgements."
        )
    return max(ceil(items * judgements / min(per_form, items)), judgements * largest_group)


def assign_items(
    groups: NDArray[np.int64], strata: NDArray[np.int64], judgements: int, per_form: int, seed: int
) -> AssignedItems:
    """Assign each item to as many forms as it needs judgements, with sizes of forms that differ by one at most.

    Items are given by the numbers of their groups and strata. A form has at most `per_form` items.
    """
    largest = int(np.bincount(groups).max(initial=0)) if len(groups) else 0
    forms = count_forms(len(groups), judgements, per_form, largest)
    drawn = draw_numbers([str(number) for number in range(len(groups))], "study-forms", seed)
    first_of_group = np.full(groups.max() + 1, np.iinfo(np.uint64).max, np.uint64)
    np.minimum.at(first_of_group, groups, drawn)
    # In a stratum, the items of a group stand together, so that dealing keeps them apart.
    order = np.lexsort((drawn, groups, first_of_group[groups], strata))
    items = np.repeat(order, judgements)
    edges = _Edges(
        groups[items], strata[items], [np.arange(form, len(items), forms) for form in range(forms)]
    )
    edges.separate_groups(seed)
    for turn in range(_ROUNDS if forms > judgements else 0):
        edges.shuffle(seed, turn)
    members = edges.of_form
    numbers = np.repeat(np.arange(forms), [len(each) for each in members])
    return AssignedItems(numbers, items[np.concatenate(members)], forms)


class _Edges:
    """The judgements of a study as edges between groups and strata, and the edges of each form."""

    def __init__(
        self, groups: NDArray[np.int64], strata: NDArray[np.int64], of_form: list[NDArray[np.int64]]
    ) -> None:
        """Set the edges, and deal them to the forms."""
        self.groups, self.strata, self.of_form = groups, strata, of_form
        self.form = np.empty(len(groups), np.int64)
        for number, members in enumerate(of_form):
            self.form[members] = number
        self._places = np.argsort(groups, kind="stable")
        self._ends = np.cumsum(np.bincount(groups))

    def separate_groups(self, seed: int) -> None:
        """Split forms again until no group is twice on a form; each split removes a repetition and adds none."""
        waiting = self._list_forms_with_repeated_groups()
        keys = self._draw_keys(seed, "separate", 0)
        while waiting:
            form = waiting.pop()
            repeated = self._find_repeated_group(form)
            if repeated is None:
                continue
            other = self._find_form_without(repeated)
            self.split_again(form, other, keys)
            waiting += [form, other]

    def shuffle(self, seed: int, turn: int) -> None:
        """Put every form together with a random other one, and split the two again."""
        keys = self._draw_keys(seed, "shuffle", turn)
        forms = draw_numbers([str(form) for form in range(len(self.of_form))], "study-turn", seed, turn)
        order = np.argsort(forms, kind="stable")
        for form, other in zip(order[::2], order[1::2], strict=False):
            self.split_again(int(form), int(other), keys)

    def split_again(self, form: int, other: int, keys: NDArray[np.uint64]) -> None:
        """Put two forms together, and split them at random so that strata and groups are halved."""
        both = np.concatenate([self.of_form[form], self.of_form[other]])
        both = both[np.lexsort((keys[both], self.strata[both]))]
        sides = _split_evenly(
            _pair_neighbors(self.strata[both], rest=True),
            _pair_neighbors(self.groups[both], rest=False),
            keys[both] & np.uint64(1),
        )
        for number, side in ((form, 0), (other, 1)):
            self.of_form[number] = both[sides == side]
            self.form[self.of_form[number]] = number

    def _draw_keys(self, seed: int, purpose: str, turn: int) -> NDArray[np.uint64]:
        start = draw_numbers([purpose], "study-edges", seed)
        return derive_numbers(derive_numbers(start, turn), np.arange(len(self.groups)))

    def _list_forms_with_repeated_groups(self) -> list[int]:
        places, counts = np.unique(self.form * len(self._ends) + self.groups, return_counts=True)
        return sorted({int(form) for form in places[counts > 1] // len(self._ends)})

    def _find_repeated_group(self, form: int) -> int | None:
        values, counts = np.unique(self.groups[self.of_form[form]], return_counts=True)
        repeated = values[counts > 1]
        return int(repeated[0]) if len(repeated) else None

    def _find_form_without(self, group: int) -> int:
        end = self._ends[group]
        start = self._ends[group - 1] if group else 0
        used = set(self.form[self._places[start:end]].tolist())
        return next(form for form in range(len(self.of_form)) if form not in used)


def _pair_neighbors(values: NDArray[np.int64], *, rest: bool) -> list[int]:
    """Pair places with equal values, the first with the second and so on; with `rest`, also the left-over ones."""
    partners = [_ALONE] * len(values)
    waiting: dict[int, int] = {}
    for place, value in enumerate(values.tolist()):
        mate = waiting.pop(value, _ALONE)
        if mate == _ALONE:
            waiting[value] = place
        else:
            partners[place], partners[mate] = mate, place
    if rest:
        left = list(waiting.values())
        for place, mate in zip(left[::2], left[1::2], strict=False):
            partners[place], partners[mate] = mate, place
    return partners


def _split_evenly(right: list[int], left: list[int], flips: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Give the two places of each pair different sides: pairs form paths and even cycles, each flipped at random."""
    sides = [_ALONE] * len(right)
    flip = flips.tolist()
    for start, first in enumerate(flip):
        waiting = [(start, int(first))] if sides[start] == _ALONE else []
        while waiting:
            place, side = waiting.pop()
            sides[place] = side
            waiting += [
                (mate, 1 - side)
                for mate in (right[place], left[place])
                if mate != _ALONE and sides[mate] == _ALONE
            ]
    return np.array(sides)


def order_items(forms: NDArray[np.int64], strata: NDArray[np.int64], seed: int) -> NDArray[np.int64]:
    """Order the entries of forms at random, so that each stratum is spread evenly from the start to the end of a form.

    Controls are a stratum as well. Returns the numbers of the entries, form by form.
    """
    start = draw_numbers(["order"], "study-order", seed)
    drawn = derive_numbers(start, np.arange(len(forms)))
    jitter = (derive_numbers(derive_numbers(start, 1), np.arange(len(forms))) >> np.uint64(11)) * 2.0**-53
    shuffled = np.lexsort((drawn, strata, forms))
    block = np.ravel_multi_index((forms[shuffled], strata[shuffled]), (forms.max() + 1, strata.max() + 1))
    first = np.flatnonzero(np.diff(block, prepend=-1))
    counts = np.diff(first, append=len(block))
    rank = np.arange(len(block)) - np.repeat(first, counts)
    place = np.empty(len(block))
    place[shuffled] = (rank + jitter[shuffled]) / np.repeat(counts, counts)
    return np.lexsort((drawn, place, forms))
