"""Which pairs a sample holds: how many of each subcase, and the rank of each row; any range can be made alone."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rightreasons.core.errors import InputError, TooFewPairsError
from rightreasons.templates.apportionment import Stratum, apportion_seats, order_seats
from rightreasons.templates.permutation import Permutation, apply_permutations
from rightreasons.templates.premise_splits import DividedPremises
from rightreasons.templates.split_shares import DEFAULT_SIZE, SplitShares
from rightreasons.templates.word_restriction import SeatSelection

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl
    from numpy.typing import NDArray

    from rightreasons.core.pairs import Card
    from rightreasons.templates.filling import Filler
    from rightreasons.templates.grammar import Grammar, Variant
    from rightreasons.templates.premise_splits import ReservedPremises
    from rightreasons.templates.word_restriction import WordRestriction

SPLITS = ("eval", "train")
_HINT = "Request fewer pairs, or allow fewer with -o short=allow."


def compute_subcase_sizes(
    grammar: Grammar,
    reserved: Mapping[str, ReservedPremises],
    *,
    size: int | None,
    limit: int | None,
    split: str,
    short: str,
    restriction: WordRestriction | None = None,
) -> tuple[dict[str, int], list[str]]:
    """Compute how many pairs each subcase gets, and report where that is fewer than requested."""
    for name, value in (("size", size), ("limit", limit)):
        if value is not None and value < 1:
            raise InputError(f"--{name} is {value}. Use at least 1.")
    parts = SplitShares(grammar, split, reserved, restriction)
    rooms = {subcase: parts.count_subcase_pairs(subcase) for subcase in grammar.subcases}
    requested = rooms if size is None and limit is not None else _get_requested_sizes(grammar, size)
    # The default size is not a request, so a small set may have fewer pairs; but no restriction makes it small.
    short = "allow" if size is None and limit is None and restriction is None else short
    remarks = _list_shortages(parts, rooms, requested, short)
    sizes = {subcase: min(room, requested[subcase]) for subcase, room in rooms.items()}
    total = sum(sizes.values())
    if not total:
        raise TooFewPairsError(
            f"The {split} split of {grammar.document.name} has no pairs. Add words or templates."
        )
    if limit is None or limit >= total:
        if limit is not None and limit > total:
            remarks += report_shortage(
                f"The whole {split} split", total, None, limit, "allow" if size else short
            )
        return sizes, remarks
    return _apportion_limit(grammar, sizes, limit), remarks


def _get_requested_sizes(grammar: Grammar, size: int | None) -> dict[str, int]:
    """Return how many pairs each subcase should have: the requested size, or its own."""
    sizes = grammar.document.sizes
    return {
        subcase: size if size is not None else sizes.get(subcase, DEFAULT_SIZE)
        for subcase in grammar.subcases
    }


def _list_shortages(
    parts: SplitShares, rooms: Mapping[str, int], requested: Mapping[str, int], short: str
) -> list[str]:
    shortages = []
    for subcase, room in rooms.items():
        if room < requested[subcase]:
            whole = sum(parts.count_pairs(group[0]) for group in parts.list_groups(subcase))
            shortages += report_shortage(
                f"{subcase}, {parts.split} split,", room, whole, requested[subcase], "allow"
            )
    if shortages and short != "allow":
        raise TooFewPairsError(f"{' '.join(shortages)} {_HINT}")
    return shortages


def report_shortage(what: str, room: int, whole: int | None, requested: int, short: str) -> list[str]:
    """Report that there are fewer pairs than requested; raise an error unless that is allowed."""
    in_all = "" if whole is None else f" ({whole:,} in both splits together)"
    shortage = f"{what} has {room:,} pairs{in_all}, but {requested:,} were requested."
    if short != "allow":
        raise TooFewPairsError(f"{shortage} {_HINT}")
    return [shortage]


def _apportion_limit(grammar: Grammar, sizes: Mapping[str, int], limit: int) -> dict[str, int]:
    """Share a total out evenly, labels in turn, so that no subcase and no label is more than one pair ahead."""
    labels = {variant.subcase: variant.label for variant in grammar.variants}
    by_label: dict[str, list[str]] = {}
    for subcase in sizes:
        by_label.setdefault(labels[subcase], []).append(subcase)
    turns = _interleave_rows(list(by_label.values()))
    seats = apportion_seats([Stratum(1, sizes[subcase]) for subcase in turns], limit)
    shares = dict(zip(turns, seats, strict=True))
    return {subcase: shares[subcase] for subcase in sizes}


def _interleave_rows(rows: Sequence[Sequence[str]]) -> list[str]:
    longest = max(len(row) for row in rows)
    return [row[n] for n in range(longest) for row in rows if n < len(row)]


def check_split(split: str) -> str:
    """Refuse an unknown split."""
    if split not in SPLITS:
        raise InputError(f"Unknown split {split!r}. Use eval or train.")
    return split


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
        reserved: Mapping[str, ReservedPremises],
        restriction: WordRestriction | None = None,
    ) -> None:
        """Set the number of pairs per subcase; `reserved` are premises, by frame, that belong to one split."""
        self.filler = filler
        self.card = card
        self.seed = seed
        self.parts = SplitShares(filler.grammar, split, reserved, restriction)
        self.selection = (
            None
            if restriction is None
            else SeatSelection(restriction, self._find_ranks_at_seats, self.parts.count_seats)
        )
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
        numbers, ranks = self.find_row_ranks(start, stop)
        return self.filler.fill_pairs(numbers, ranks)

    def find_row_ranks(self, start: int, stop: int) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
        """Return the sub-variant and the rank of each row of a range."""
        stop = min(stop, len(self))
        numbers, seats = [np.empty(0, np.int16)], [np.empty(0, np.int64)]
        for n, subcase in enumerate(self.sizes):
            low, high = max(start, self.ends[n]) - self.ends[n], min(stop, self.ends[n + 1]) - self.ends[n]
            if low < high:
                groups = self.parts.list_groups(subcase)
                first = [group[0] for group in groups]
                which, seat = order_seats(
                    [self.parts.get_stratum(variant) for variant in first], int(low), int(high)
                )
                chosen = np.array([variant.number for variant in first], dtype=np.int16)[which]
                steps = np.array([len(group) for group in groups])
                if (steps > 1).any():
                    # The seats of a bundle are those of its hypotheses in turn, whose numbers follow on each other.
                    seat, turn = np.divmod(seat, steps[which])
                    chosen += turn.astype(np.int16)
                numbers.append(chosen)
                seats.append(self._find_lane_places(first, which, self._skip_other_words(first, which, seat)))
        chosen = np.concatenate(numbers)
        return chosen, self._find_ranks_at_places(chosen, np.concatenate(seats))

    def _skip_other_words(
        self, variants: Sequence[Variant], which: NDArray[np.int64], seats: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the seats in the full space, which pairs with other words than the allowed ones have as well."""
        if self.selection is not None:
            for number, variant in enumerate(variants):
                rows = np.flatnonzero(which == number)
                seats[rows] = self.selection.find_allowed_seats(variant, seats[rows])
        return seats

    def _find_lane_places(
        self, variants: Sequence[Variant], which: NDArray[np.int64], seats: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Let the sub-variants of a subcase take turns at the premises that they share with others."""
        if not self.parts.grammar.document.twins:
            return seats
        for number, variant in enumerate(variants):
            lane = self.parts.get_lane(variant)
            if lane.lanes > 1:
                rows = np.flatnonzero(which == number)
                seats[rows] = lane.compute_places(seats[rows], self.parts.count_seats(variant))
        return seats

    def _find_ranks_at_seats(self, variant: Variant, seats: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the ranks at the seats of one sub-variant in the full space."""
        places = self._find_lane_places([variant], np.zeros(len(seats), np.int64), seats.copy())
        return self._find_ranks_at_places(np.full(len(seats), variant.number, np.int16), places)

    def _find_ranks_at_places(
        self, numbers: NDArray[np.int16], places: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the ranks at the places of the sub-variants' own orders."""
        layout = self._layout
        seats, places = places, apply_permutations(layout.orders, layout.order[numbers], places)
        if (layout.hypotheses == 1).all():
            ranks = layout.divided.find_premise_ranks(layout.frame[numbers], places)
        else:
            more = layout.hypotheses[numbers]
            places, hypothesis = np.divmod(places, more)
            ranks = layout.divided.find_premise_ranks(layout.frame[numbers], places) * more + hypothesis
        self._draw_hypothesis_words(numbers, seats, ranks)
        return ranks

    def _draw_hypothesis_words(
        self, numbers: NDArray[np.int16], seats: NDArray[np.int64], ranks: NDArray[np.int64]
    ) -> None:
        """Draw the words that only hypotheses of a bundle have, the same for all pairs of a premise."""
        for variant in self.parts.grammar.variants:
            bundle = variant.bundle
            if bundle is None or variant.space.hypotheses == 1:
                continue
            rows = np.flatnonzero(numbers == variant.number)
            order = self._layout.hypothesis_orders[bundle.name]
            drawn = order(seats[rows] % order.size)
            ranks[rows] = bundle.compute_hypothesis_ranks(variant.slots, variant.space, ranks[rows], drawn)

    @cached_property
    def _layout(self) -> _RankLayout:
        return _RankLayout(self.parts, self.seed)


class _RankLayout:
    """What it takes to find the rank at a place, as arrays over the sub-variants."""

    def __init__(self, parts: SplitShares, seed: int) -> None:
        document, variants = parts.grammar.document, parts.grammar.variants
        frames = {frame: number for number, frame in enumerate(parts.grammar.frames)}
        self.divided = DividedPremises([parts.get_division(frame) for frame in frames], parts.split)
        self.frame = np.array([frames[variant.frame] for variant in variants], dtype=np.int16)
        self.hypotheses = np.array(
            [1 if variant.bundle else variant.space.hypotheses for variant in variants]
        )
        orders: dict[str, Permutation] = {}
        self.hypothesis_orders: dict[str, Permutation] = {}
        for variant in variants:
            name = parts.name_premise_order(variant)
            if name not in orders:
                key = (document.name, document.version, name, parts.split, seed)
                orders[name] = Permutation(parts.count_order_positions(variant), *key)
                if variant.bundle:
                    self.hypothesis_orders[name] = Permutation(
                        variant.bundle.space.hypotheses, *key, "beside"
                    )
        self.orders = list(orders.values())
        places = {name: number for number, name in enumerate(orders)}
        self.order = np.array(
            [places[parts.name_premise_order(variant)] for variant in variants], dtype=np.int16
        )
