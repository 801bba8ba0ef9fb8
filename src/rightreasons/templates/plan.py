"""Which pairs a sample holds: any range of its rows can be made alone."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rightreasons.templates.apportionment import in_due_order
from rightreasons.templates.permutation import Permutation, permuted
from rightreasons.templates.sizes import SplitShares
from rightreasons.templates.splits import Divided

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl
    from numpy.typing import NDArray

    from rightreasons.core.pairs import Card
    from rightreasons.templates.filling import Filler
    from rightreasons.templates.grammar import Variant
    from rightreasons.templates.splits import Reserved


class TemplatePlan:
    """A sample of a template set: any range of its rows can be made alone."""

    def __init__(
        self,
        filler: Filler,
        card: Card,
        sizes: Mapping[str, int],
        *,
        seed: int,
        split: str,
        reserved: Mapping[str, Reserved],
    ) -> None:
        """Take the number of pairs per subcase; `reserved` are premises, by frame, that belong to one split."""
        self.filler = filler
        self.card = card
        self.seed = seed
        self.parts = SplitShares(filler.grammar, split, reserved)
        self.sizes = dict(sizes)
        self.ends = np.cumsum([0, *self.sizes.values()])

    def __len__(self) -> int:
        """Count the pairs."""
        return int(self.ends[-1])

    @cached_property
    def schema(self) -> dict[str, pl.DataType]:
        """Return the columns and their types."""
        return dict(self.rows(0, 0).schema)

    def rows(self, start: int, stop: int) -> pl.DataFrame:
        """Return a range of the rows; it equals the same rows of the whole."""
        numbers, ranks = self.ranks(start, stop)
        return self.filler.rows(numbers, ranks)

    def ranks(self, start: int, stop: int) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
        """Return the sub-variant and the rank of each row of a range."""
        stop = min(stop, len(self))
        numbers, seats = [np.empty(0, np.int16)], [np.empty(0, np.int64)]
        for n, subcase in enumerate(self.sizes):
            low, high = max(start, self.ends[n]) - self.ends[n], min(stop, self.ends[n + 1]) - self.ends[n]
            if low < high:
                groups = self.parts.grammar.together(subcase)
                first = [group[0] for group in groups]
                which, seat = in_due_order([self.parts.lot(one) for one in first], int(low), int(high))
                chosen = np.array([variant.number for variant in first], dtype=np.int16)[which]
                steps = np.array([len(group) for group in groups])
                if (steps > 1).any():
                    # The seats of a bundle are those of its hypotheses in turn, whose numbers follow on each other.
                    seat, turn = np.divmod(seat, steps[which])
                    chosen += turn.astype(np.int16)
                numbers.append(chosen)
                seats.append(self._in_lanes(first, which, seat))
        chosen = np.concatenate(numbers)
        return chosen, self._at(chosen, np.concatenate(seats))

    def _in_lanes(
        self, variants: Sequence[Variant], which: NDArray[np.int64], seats: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Let the sub-variants of a subcase take turns at the premises that they share with others."""
        if not self.parts.grammar.document.twins:
            return seats
        for number, variant in enumerate(variants):
            lane = self.parts.lane(variant)
            if lane.lanes > 1:
                rows = np.flatnonzero(which == number)
                seats[rows] = lane.places(seats[rows], self.parts.lot(variant).room)
        return seats

    def _at(self, numbers: NDArray[np.int16], places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the ranks at the places of the sub-variants' own orders."""
        layout = self._layout
        seats, places = places, permuted(layout.orders, layout.order[numbers], places)
        if (layout.hypotheses == 1).all():
            ranks = layout.divided.ranks(layout.frame[numbers], places)
        else:
            more = layout.hypotheses[numbers]
            places, hypothesis = np.divmod(places, more)
            ranks = layout.divided.ranks(layout.frame[numbers], places) * more + hypothesis
        self._draw_beside(numbers, seats, ranks)
        return ranks

    def _draw_beside(
        self, numbers: NDArray[np.int16], seats: NDArray[np.int64], ranks: NDArray[np.int64]
    ) -> None:
        """Give the pairs of bundles the words that their premises lack, the same for all pairs of a premise."""
        for variant in self.parts.grammar.variants:
            bundle = variant.bundle
            if bundle is None or variant.space.hypotheses == 1:
                continue
            rows = np.flatnonzero(numbers == variant.number)
            beside = self._layout.beside[bundle.name]
            drawn = beside(seats[rows] % beside.size)
            ranks[rows] = bundle.ranks(variant.slots, variant.space, ranks[rows], drawn)

    @cached_property
    def _layout(self) -> _RankLayout:
        return _RankLayout(self.parts, self.seed)


class _RankLayout:
    """What it takes to find the rank at a place, as arrays over the sub-variants."""

    def __init__(self, parts: SplitShares, seed: int) -> None:
        document, variants = parts.grammar.document, parts.grammar.variants
        frames = {frame: number for number, frame in enumerate(parts.grammar.frames)}
        self.divided = Divided([parts.division(frame) for frame in frames], parts.split)
        self.frame = np.array([frames[variant.frame] for variant in variants], dtype=np.int16)
        self.hypotheses = np.array([1 if one.bundle else one.space.hypotheses for one in variants])
        orders: dict[str, Permutation] = {}
        self.beside: dict[str, Permutation] = {}
        for variant in variants:
            name = parts.order(variant)
            if name not in orders:
                key = (document.name, document.version, name, parts.split, seed)
                orders[name] = Permutation(parts.places(variant), *key)
                if variant.bundle:
                    self.beside[name] = Permutation(variant.bundle.space.hypotheses, *key, "beside")
        self.orders = list(orders.values())
        places = {name: number for number, name in enumerate(orders)}
        self.order = np.array([places[parts.order(variant)] for variant in variants], dtype=np.int16)
