"""Which pairs a sample holds: how many of each sub-variant, from which part of its space, in which order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rightreasons.errors import InputError, TooFewPairsError
from rightreasons.sampling import Lot, Permutation, in_due_order, permuted, quotas

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl
    from numpy.typing import NDArray

    from rightreasons.pairs import Card
    from rightreasons.templates.filling import Filler
    from rightreasons.templates.grammar import Grammar, Variant

SPLITS = ("eval", "train")
DEFAULT_SIZE = 1000


@dataclass(frozen=True)
class Reserved:
    """Premises of a frame, by rank and sorted, that belong to one split because a released file has them there."""

    eval: NDArray[np.int64]
    train: NDArray[np.int64]

    @cached_property
    def gaps(self) -> NDArray[np.int64]:
        """Return, for each reserved rank in order, how many others lie below it."""
        both = np.union1d(self.eval, self.train)
        return both - np.arange(len(both))


NOTHING_RESERVED = Reserved(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))


@dataclass(frozen=True)
class Division:
    """The fixed division of a frame's premises into an evaluation and a training part, whatever the seed.

    Those reserved for evaluation come first, those reserved for training last, and all others between them in a fixed
    order that looks random; evaluation takes the first half.
    """

    premises: int
    reserved: Reserved
    key: tuple[str | int, ...]

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        """Count the premises of each part."""
        half = (self.premises + 1) // 2
        first = max(len(self.reserved.eval), min(half, self.premises - len(self.reserved.train)))
        return {"eval": first, "train": self.premises - first}

    @cached_property
    def others(self) -> Permutation:
        """Return the order of the premises that are not reserved."""
        free = self.premises - len(self.reserved.gaps)
        return Permutation(max(free, 1), *self.key, "division")


class _Divided:
    """The premises of many divisions, looked up together."""

    def __init__(self, divisions: Sequence[Division], split: str) -> None:
        self.others = [division.others for division in divisions]
        self.reserved = [division.reserved for division in divisions]
        starts = [division.sizes["eval"] if split == "train" else 0 for division in divisions]
        self.shifts = np.array(starts) - np.array([len(reserved.eval) for reserved in self.reserved])
        self.last = np.array([permutation.size - 1 for permutation in self.others])

    def ranks(self, which: NDArray[np.int16], places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the ranks of the premises at the given places of the divisions' parts."""
        places = places + self.shifts[which]
        if not any(len(reserved.gaps) for reserved in self.reserved):
            return permuted(self.others, which, places)
        found = permuted(self.others, which, np.clip(places, 0, self.last[which]))
        order = np.argsort(which, kind="stable")
        bounds = np.searchsorted(which[order], np.arange(len(self.others) + 1))
        for number in np.flatnonzero(np.diff(bounds)):
            rows = order[bounds[number] : bounds[number + 1]]
            last = int(self.last[number])
            found[rows] = _around(self.reserved[number], found[rows], places[rows], last)
        return found


def _around(
    reserved: Reserved, others: NDArray[np.int64], places: NDArray[np.int64], last: int
) -> NDArray[np.int64]:
    """Return ranks: the reserved ones at places below 0 or past the last, elsewhere the others, counted without them."""
    ranks = others + np.searchsorted(reserved.gaps, others, side="right")
    before = np.flatnonzero(places < 0)
    ranks[before] = reserved.eval[places[before] + len(reserved.eval)]
    behind = np.flatnonzero(places > last)
    ranks[behind] = reserved.train[places[behind] - last - 1]
    return ranks


@dataclass(frozen=True)
class Lane:
    """A sub-variant's own order of the premises that it shares with others.

    Sub-variants of one frame and one label take turns at the premises, so that each premise meets one of them and one
    of the other label: its twin. A sub-variant that has used up its turn goes on with the others'.
    """

    number: int
    lanes: int

    def places(self, seats: NDArray[np.int64], size: int) -> NDArray[np.int64]:
        """Return the place of each seat among the `size` places of the part."""
        length = size // self.lanes
        if self.lanes == 1 or not length:
            return seats
        turn, within = seats // length, seats % length
        places: NDArray[np.int64] = within * self.lanes + (self.number + turn) % self.lanes
        return np.where(turn < self.lanes, places, seats)


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
        self.parts = _Parts(filler.grammar, split, reserved)
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
                variants = self.parts.grammar.of_subcase(subcase)
                lots = [self.parts.lot(variant) for variant in variants]
                which, seat = in_due_order(lots, int(low), int(high))
                numbers.append(np.array([variant.number for variant in variants], dtype=np.int16)[which])
                seats.append(self._in_lanes(variants, which, seat))
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
        places = permuted(layout.orders, layout.order[numbers], places)
        if (layout.hypotheses == 1).all():
            return layout.divided.ranks(layout.frame[numbers], places)
        more = layout.hypotheses[numbers]
        places, hypothesis = np.divmod(places, more)
        ranks: NDArray[np.int64] = layout.divided.ranks(layout.frame[numbers], places) * more + hypothesis
        return ranks

    @cached_property
    def _layout(self) -> _Layout:
        return _Layout(self.parts, self.seed)


class _Layout:
    """What it takes to find the rank at a place, as arrays over the sub-variants."""

    def __init__(self, parts: _Parts, seed: int) -> None:
        document, variants = parts.grammar.document, parts.grammar.variants
        frames = {frame: number for number, frame in enumerate(parts.grammar.frames)}
        self.divided = _Divided([parts.division(frame) for frame in frames], parts.split)
        self.frame = np.array([frames[variant.frame] for variant in variants], dtype=np.int16)
        self.hypotheses = np.array([variant.space.hypotheses for variant in variants])
        orders: dict[str, Permutation] = {}
        for variant in variants:
            name = parts.order(variant)
            if name not in orders:
                key = (document.name, document.version, name, parts.split, seed)
                orders[name] = Permutation(parts.lot(variant).room, *key)
        self.orders = list(orders.values())
        places = {name: number for number, name in enumerate(orders)}
        self.order = np.array([places[parts.order(variant)] for variant in variants], dtype=np.int16)


class _Parts:
    """How the spaces of a grammar are shared out to a split."""

    def __init__(self, grammar: Grammar, split: str, reserved: Mapping[str, Reserved]) -> None:
        self.grammar = grammar
        self.split = split
        self.reserved = reserved
        self.divisions: dict[str, Division] = {}
        self.lots: dict[str, Lot] = {}

    def division(self, frame: str) -> Division:
        if frame not in self.divisions:
            document = self.grammar.document
            premises = self.grammar.frames[frame][0].space.premises
            reserved = self.reserved.get(frame, NOTHING_RESERVED)
            self.divisions[frame] = Division(premises, reserved, (document.name, document.version, frame))
        return self.divisions[frame]

    def lane(self, variant: Variant) -> Lane:
        if variant.source.weight == 0 or variant.space.hypotheses > 1:
            return Lane(0, 1)
        frame = self.grammar.frames[variant.frame]
        same = [other.number for other in frame if other.label == variant.label and other.source.weight > 0]
        return Lane(same.index(variant.number), len(same))

    def order(self, variant: Variant) -> str:
        """Name the order in which a sub-variant meets its premises: twins share that of their frame."""
        shared = self.grammar.document.twins and variant.space.hypotheses == 1
        return variant.frame if shared else variant.name

    def lot(self, variant: Variant) -> Lot:
        if variant.name not in self.lots:
            room = self.division(variant.frame).sizes[self.split] * variant.space.hypotheses
            pool = variant.space.count if self.grammar.document.draw == "with-rejection" else None
            self.lots[variant.name] = Lot(variant.weight, room, pool, self.fresh(variant, room, pool))
        return self.lots[variant.name]

    def fresh(self, variant: Variant, room: int, pool: int | None) -> int | None:
        """Count what a draw with rejection can still meet: training is drawn after an evaluation set of usual size."""
        if pool is None or self.split == "eval" or variant.source.weight == 0:
            return pool
        variants = self.grammar.of_subcase(variant.subcase)
        lots = [Lot(other.weight, other.space.count, other.space.count) for other in variants]
        taken = quotas(lots, DEFAULT_SIZE)[variants.index(variant)]
        return max(room, pool - taken)

    def room(self, subcase: str) -> int:
        return sum(self.lot(variant).room for variant in self.grammar.of_subcase(subcase))


def sizes_of(
    grammar: Grammar,
    reserved: Mapping[str, Reserved],
    *,
    size: int | None,
    limit: int | None,
    split: str,
    short: str,
) -> tuple[dict[str, int], list[str]]:
    """Decide how many pairs each subcase gets, and say where that is fewer than asked for."""
    for name, value in (("size", size), ("limit", limit)):
        if value is not None and value < 1:
            raise InputError(f"--{name} is {value}. Ask for at least 1.")
    parts = _Parts(grammar, split, reserved)
    rooms = {subcase: parts.room(subcase) for subcase in grammar.subcases}
    asked = size if size is not None else (None if limit is not None else DEFAULT_SIZE)
    # Nobody asked for the default, so a small set gives what it has.
    short = "allow" if size is None and limit is None else short
    remarks = [] if asked is None else _shortages(parts, rooms, asked, short)
    sizes = {subcase: room if asked is None else min(room, asked) for subcase, room in rooms.items()}
    if limit is None or limit >= sum(sizes.values()):
        if limit is not None and size is None and limit > sum(sizes.values()):
            remarks += _too_few(f"The whole {split} split", sum(sizes.values()), None, limit, short)
        return sizes, remarks
    return _stratified(grammar, sizes, limit), remarks


def _shortages(parts: _Parts, rooms: Mapping[str, int], asked: int, short: str) -> list[str]:
    remarks: list[str] = []
    for subcase, room in rooms.items():
        if room < asked:
            whole = sum(variant.space.count for variant in parts.grammar.of_subcase(subcase))
            remarks += _too_few(f"{subcase}, {parts.split} split,", room, whole, asked, short)
    return remarks


def _too_few(what: str, room: int, whole: int | None, asked: int, short: str) -> list[str]:
    in_all = "" if whole is None else f" ({whole:,} in all, over both splits)"
    said = f"{what} has {room:,} pairs{in_all}, and {asked:,} were asked for."
    if short != "allow":
        raise TooFewPairsError(f"{said} Ask for fewer, or take what there is with -o short=allow.")
    return [said]


def _stratified(grammar: Grammar, sizes: Mapping[str, int], limit: int) -> dict[str, int]:
    """Share a total out evenly, labels in turn, so that no subcase and no label is more than one pair ahead."""
    labels = {variant.subcase: variant.label for variant in grammar.variants}
    by_label: dict[str, list[str]] = {}
    for subcase in sizes:
        by_label.setdefault(labels[subcase], []).append(subcase)
    turns = _in_turn(list(by_label.values()))
    given = quotas([Lot(1, sizes[subcase]) for subcase in turns], limit)
    shares = dict(zip(turns, given, strict=True))
    return {subcase: shares[subcase] for subcase in sizes}


def _in_turn(rows: Sequence[Sequence[str]]) -> list[str]:
    longest = max(len(row) for row in rows)
    return [row[n] for n in range(longest) for row in rows if n < len(row)]


def check_split(split: str) -> str:
    """Refuse what is no split."""
    if split not in SPLITS:
        raise InputError(f"There is no split {split!r}. Use eval or train.")
    return split
