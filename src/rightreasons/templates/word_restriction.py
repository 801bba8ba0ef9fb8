"""Sets whose slots may have some of their words only, such as verbs that a corpus attests.

Nothing is renumbered: a restricted set leaves out pairs of the full space, and the others keep their ranks, their
order and their split. So a pair has the same id with and without the restriction, and splits stay apart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from rightreasons.core.errors import InputError, TooFewPairsError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from rightreasons.templates.grammar import Grammar, Variant
    from rightreasons.templates.slot_space import Component

    Allowed = Mapping[int, NDArray[np.bool_]]
    RankFinder = Callable[[Variant, NDArray[np.int64]], NDArray[np.int64]]

COUNTED = 1 << 17  # pairs of a sub-variant in a split that are counted one by one
_SIGMAS = 6  # below the expected number that larger sub-variants certainly have
_FIRST_SEATS = 1 << 12


@dataclass(frozen=True, eq=False)
class WordRestriction:
    """For each sub-variant, by number, the entries that its slots may have; None if it has no pair at all.

    The entries of a slot, by its number in the sub-variant, are true or false for each word of its list; slots that
    are not mentioned may have all words.
    """

    allowed: Sequence[Allowed | None]
    _shares: dict[int, float] = field(default_factory=dict)

    @classmethod
    def from_grammar(cls, grammar: Grammar, allowed: Sequence[Allowed | None]) -> WordRestriction:
        """Restrict a grammar; one whose hypotheses are drawn in bundles can't be."""
        if any(variant.bundle for variant in grammar.variants):
            raise InputError(
                f"The templates of {grammar.document.name} share premises in bundles, so their words can't be "
                "restricted. Use templates without bundles."
            )
        return cls(allowed)

    def get_share(self, variant: Variant) -> float:
        """Return the share of a sub-variant's pairs, over both splits, that have allowed words only."""
        if variant.number not in self._shares:
            allowed = self.allowed[variant.number]
            parts = variant.space.components
            self._shares[variant.number] = (
                0.0
                if allowed is None
                else math.prod(_compute_component_share(part, allowed) for part in parts)
            )
        return self._shares[variant.number]

    def mark_allowed(self, variant: Variant, ranks: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which pairs of a sub-variant have allowed words only."""
        allowed = self.allowed[variant.number]
        if allowed is None:
            return np.zeros(len(ranks), dtype=bool)
        entries = variant.space.unrank(ranks)
        marks = np.ones(len(ranks), dtype=bool)
        for slot, mask in allowed.items():
            marks &= mask[entries[slot]]
        return marks


def _compute_component_share(part: Component, allowed: Allowed) -> float:
    """Compute the share of allowed combinations among those of some slots."""
    masks = [allowed.get(slot) for slot in part.slots]
    if all(mask is None or mask.all() for mask in masks):
        return 1.0
    premise, hypothesis = part.counts
    ranks = np.arange(premise * hypothesis)
    entries = part.unrank(*np.divmod(ranks, hypothesis))
    marks = np.ones(len(ranks), dtype=bool)
    for mask, entry in zip(masks, entries, strict=True):
        if mask is not None:
            marks &= mask[entry]
    return float(marks.mean()) if len(marks) else 0.0


def estimate_restricted_room(variant: Variant, room: int, share: float) -> int:
    """Estimate from below how many of the pairs that a split has of a sub-variant are allowed.

    Whether a premise is in a split has nothing to do with its words, so the number is hypergeometric; this is six
    standard deviations below its expectation.
    """
    expected = room * share
    return max(0, math.floor(expected - _SIGMAS * math.sqrt(expected * variant.space.hypotheses)))


class SeatSelection:
    """Finds the seats of the full space whose pairs have allowed words, in their order."""

    def __init__(
        self, restriction: WordRestriction, find_ranks: RankFinder, rooms: Callable[[Variant], int]
    ) -> None:
        """Set the function that finds the ranks at seats of a sub-variant, and the number of seats in the split."""
        self.restriction = restriction
        self.find_ranks = find_ranks
        self.rooms = rooms
        self._found: dict[int, NDArray[np.int64]] = {}
        self._seen: dict[int, int] = {}

    def find_allowed_seats(self, variant: Variant, seats: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return, for seats of the restricted set, the seats of the full space."""
        if not len(seats):
            return seats
        needed = int(seats.max()) + 1
        while len(self._found.get(variant.number, ())) < needed:
            self._look_further(variant, needed)
        return self._found[variant.number][seats]

    def _look_further(self, variant: Variant, needed: int) -> None:
        """Examine more seats, about as many as it takes."""
        number, room = variant.number, self.rooms(variant)
        found = self._found.get(number, np.empty(0, np.int64))
        start = self._seen.get(number, 0)
        if start >= room:
            raise TooFewPairsError(
                f"The template {variant.name} has {len(found):,} pairs with the allowed words in this split, but "
                f"{needed:,} were requested. Request fewer pairs."
            )
        missing = needed - len(found)
        step = max(_FIRST_SEATS, math.ceil(1.1 * missing / max(self.restriction.get_share(variant), 1e-6)))
        seats = np.arange(start, min(room, start + min(step, 1 << 22)))
        marks = self.restriction.mark_allowed(variant, self.find_ranks(variant, seats))
        self._found[number] = np.concatenate([found, seats[marks]])
        self._seen[number] = start + len(seats)
