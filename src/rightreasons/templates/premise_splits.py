"""Which premises are for evaluation and which for training, and who takes turns at them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rightreasons.templates.permutation import Permutation, apply_permutations

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

_BITS = 20
_RANK_BITS = 40
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class ReservedPremises:
    """Premises of a frame, by rank and sorted, that belong to one split because a released file has them there."""

    eval: NDArray[np.int64]
    train: NDArray[np.int64]

    @cached_property
    def all_ranks(self) -> NDArray[np.int64]:
        """Return all reserved ranks, sorted."""
        return np.sort(np.concatenate([self.eval, self.train]))


NOTHING_RESERVED = ReservedPremises(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))


@dataclass(frozen=True)
class PremiseDivision:
    """The fixed division of a frame's premises into an evaluation and a training part, whatever the seed.

    Those reserved for evaluation come first, those reserved for training last, and all others between them in a fixed
    order that looks random; evaluation takes the first half.
    """

    premises: int
    reserved: ReservedPremises
    key: tuple[str | int, ...]

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        """Count the premises of each part."""
        half = (self.premises + 1) // 2
        first = max(len(self.reserved.eval), min(half, self.premises - len(self.reserved.train)))
        return {"eval": first, "train": self.premises - first}

    @property
    def free_count(self) -> int:
        """Count the premises that are not reserved."""
        return self.premises - len(self.reserved.all_ranks)

    @cached_property
    def free_order(self) -> Permutation:
        """Return a permutation of the premises that are not reserved."""
        return Permutation(self.free_count, *self.key, "division")

    @cached_property
    def replacements(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the reserved ranks among those numbers, and for each a rank past them that is not reserved."""
        both = self.reserved.all_ranks
        low = both[both < self.free_count]
        past = np.ones(self.premises - self.free_count, dtype=bool)
        past[both[len(low) :] - self.free_count] = False
        return low, np.flatnonzero(past) + self.free_count


class DividedPremises:
    """The premises of many divisions, looked up together."""

    def __init__(self, divisions: Sequence[PremiseDivision], split: str) -> None:
        """Set the divisions and the split."""
        self.free_orders = [division.free_order for division in divisions]
        self.reserved = [division.reserved for division in divisions]
        starts = [division.sizes["eval"] if split == "train" else 0 for division in divisions]
        self.shifts = np.array(starts) - np.array([len(reserved.eval) for reserved in self.reserved])
        self.last = np.array([division.free_count - 1 for division in divisions])
        self.some = any(len(reserved.all_ranks) for reserved in self.reserved)
        pairs = [division.replacements for division in divisions] if self.some else []
        self.held = _RankExchange([low for low, _ in pairs], [past for _, past in pairs])

    def find_premise_ranks(self, which: NDArray[np.int16], places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the ranks of the premises at the given places of the divisions' parts."""
        places = places + self.shifts[which]
        if not self.some:
            return apply_permutations(self.free_orders, which, places)
        last = self.last[which]
        ranks = apply_permutations(self.free_orders, which, np.maximum(np.minimum(places, last), 0))
        self.held.replace_ranks(which, ranks)
        for rows in (np.flatnonzero(places < 0), np.flatnonzero(places > last)):
            self._fill_reserved(rows, which, places, ranks)
        return ranks

    def _fill_reserved(
        self,
        rows: NDArray[np.int64],
        which: NDArray[np.int16],
        places: NDArray[np.int64],
        ranks: NDArray[np.int64],
    ) -> None:
        """Fill in the reserved ranks, whose places lie before or after all others."""
        for number in np.unique(which[rows]):
            mine = rows[which[rows] == number]
            at, last = places[mine], int(self.last[number])
            reserved = self.reserved[number]
            ranks[mine] = (
                reserved.eval[at + len(reserved.eval)] if at[0] < 0 else reserved.train[at - last - 1]
            )


class _RankExchange:
    """Numbers of many frames that stand for others; a table of bits tells most rows at once that they do not."""

    def __init__(self, old: Sequence[NDArray[np.int64]], new: Sequence[NDArray[np.int64]]) -> None:
        frames = np.repeat(np.arange(len(old)), [len(numbers) for numbers in old])
        self.old = self._combine_frame_and_rank(frames, np.concatenate([*old, np.empty(0, np.int64)]))
        self.new = np.concatenate([*new, np.empty(0, np.int64)])
        self.bits = np.zeros(1 << _BITS, dtype=bool)
        self.bits[self._hash_keys(self.old)] = True

    def replace_ranks(self, which: NDArray[np.int16], numbers: NDArray[np.int64]) -> None:
        """Replace the old numbers by the new ones."""
        keys = self._combine_frame_and_rank(which, numbers)
        rows = np.flatnonzero(self.bits[self._hash_keys(keys)])
        at = np.minimum(np.searchsorted(self.old, keys[rows]), len(self.old) - 1)
        same = self.old[at] == keys[rows]
        numbers[rows[same]] = self.new[at[same]]

    @staticmethod
    def _combine_frame_and_rank(which: NDArray[np.integer], numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        # Released premises have ranks far below 2^40, so frame and rank fit in one number.
        return (which.astype(np.int64) << _RANK_BITS) + numbers

    @staticmethod
    def _hash_keys(keys: NDArray[np.int64]) -> NDArray[np.uint64]:
        return (keys.astype(np.uint64) * _SPREAD) >> np.uint64(64 - _BITS)


@dataclass(frozen=True)
class Lane:
    """A sub-variant's own order of the premises that it shares with others.

    Sub-variants of one frame and one label take turns at the premises, so that each premise meets one of them and one
    of the other label: its twin. A sub-variant that has used up its turn goes on with the others'.
    """

    number: int
    lanes: int

    def compute_places(self, seats: NDArray[np.int64], size: int) -> NDArray[np.int64]:
        """Return the place of each seat among the `size` places of the part."""
        length = size // self.lanes
        if self.lanes == 1 or not length:
            return seats
        turn, within = seats // length, seats % length
        places: NDArray[np.int64] = within * self.lanes + (self.number + turn) % self.lanes
        return np.where(turn < self.lanes, places, seats)
