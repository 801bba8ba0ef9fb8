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
_SHIFT = 40


@dataclass(frozen=True)
class Division:
    """The fixed division of a frame's premises into an evaluation and a training part, whatever the seed.

    Premises that are reserved (those of a released evaluation set) come first, the others follow in a fixed order
    that looks random; evaluation takes the first half, training the rest.
    """

    premises: int
    reserved: NDArray[np.int64]
    key: tuple[str | int, ...]

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        """Count the premises of each part."""
        first = max((self.premises + 1) // 2, len(self.reserved))
        return {"eval": first, "train": self.premises - first}

    @cached_property
    def others(self) -> Permutation:
        """Return the order of the premises that are not reserved."""
        return Permutation(self.premises - len(self.reserved), *self.key, "division")


class _Divided:
    """The premises of many divisions, looked up together."""

    def __init__(self, divisions: Sequence[Division], split: str) -> None:
        self.others = [division.others for division in divisions]
        reserved = [division.reserved for division in divisions]
        counts = np.array([len(ranks) for ranks in reserved])
        self.ends = np.cumsum(counts)
        self.reserved = np.concatenate(reserved)
        # Shifting each frame by more than any rank lets one search look in all of them.
        gaps = [ranks - np.arange(len(ranks)) + (n << _SHIFT) for n, ranks in enumerate(reserved)]
        self.gaps = np.concatenate(gaps)
        shift = [division.sizes["eval"] if split == "train" else 0 for division in divisions]
        self.shifts = np.array(shift) - counts
        self.starts = self.ends - counts

    def ranks(self, which: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the ranks of the premises at the given places of the divisions' parts."""
        places = places + self.shifts[which]
        if not len(self.reserved):
            return permuted(self.others, which, places)
        found = permuted(self.others, which, np.maximum(places, 0))
        found += np.searchsorted(self.gaps, found + (which << _SHIFT), side="right") - self.starts[which]
        held = np.flatnonzero(places < 0)
        found[held] = self.reserved[places[held] + self.ends[which[held]]]
        return found


@dataclass(frozen=True)
class Lane:
    """A sub-variant's own order of the premises that it shares with others.

    Sub-variants of one frame and one label take turns at the premises, so that each premise meets one of them and one
    of the other label: its twin. A sub-variant that has used up its turn goes on with the others'.
    """

    number: int
    lanes: int


def in_lanes(
    number: NDArray[np.int64], lanes: NDArray[np.int64], sizes: NDArray[np.int64], seats: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the place of each seat among the `sizes` places of its part; `number` and `lanes` are its lane's."""
    length = np.maximum(sizes // lanes, 1)
    turn, within = np.divmod(seats, length)
    places: NDArray[np.int64] = within * lanes + (number + turn) % lanes
    return np.where(turn < lanes, places, seats)


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
        reserved: Mapping[str, NDArray[np.int64]],
    ) -> None:
        """Take the number of pairs per subcase; `reserved` are premises, by frame, that training never gets."""
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
                seats.append(seat)
        chosen = np.concatenate(numbers)
        return chosen, self._at(chosen.astype(np.int64), np.concatenate(seats))

    def _at(self, numbers: NDArray[np.int64], seats: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the ranks of the seats of the sub-variants."""
        layout = self._layout
        if layout.twins:
            places = in_lanes(layout.lane[numbers], layout.lanes[numbers], layout.sizes[numbers], seats)
        else:
            places = seats
        places = permuted(layout.orders, layout.order[numbers], places)
        more = layout.hypotheses[numbers]
        if (layout.hypotheses > 1).any():
            places, hypothesis = np.divmod(places, more)
            return layout.divided.ranks(layout.frame[numbers], places) * more + hypothesis
        return layout.divided.ranks(layout.frame[numbers], places)

    @cached_property
    def _layout(self) -> _Layout:
        return _Layout(self.parts, self.seed)


class _Layout:
    """What it takes to find the rank of a seat, as arrays over the sub-variants."""

    def __init__(self, parts: _Parts, seed: int) -> None:
        document, variants = parts.grammar.document, parts.grammar.variants
        self.twins = document.twins
        frames = list(parts.grammar.frames)
        divisions = [parts.division(frame) for frame in frames]
        self.divided = _Divided(divisions, parts.split)
        self.frame = np.array([frames.index(variant.frame) for variant in variants])
        self.hypotheses = np.array([variant.space.hypotheses for variant in variants])
        premises = np.array([division.sizes[parts.split] for division in divisions])[self.frame]
        self.sizes = premises * self.hypotheses
        lanes = [parts.lane(variant) for variant in variants]
        self.lane = np.array([lane.number for lane in lanes])
        self.lanes = np.array([lane.lanes for lane in lanes])
        key = (document.name, document.version)
        orders: dict[str, Permutation] = {}
        for variant, size in zip(variants, self.sizes, strict=True):
            name = parts.order(variant)
            if name not in orders:
                orders[name] = Permutation(int(size), *key, name, parts.split, seed)
        self.orders = list(orders.values())
        places = {name: number for number, name in enumerate(orders)}
        self.order = np.array([places[parts.order(variant)] for variant in variants])


class _Parts:
    """How the spaces of a grammar are shared out to a split."""

    def __init__(self, grammar: Grammar, split: str, reserved: Mapping[str, NDArray[np.int64]]) -> None:
        self.grammar = grammar
        self.split = split
        self.reserved = reserved
        self.divisions: dict[str, Division] = {}
        self.lots: dict[str, Lot] = {}

    def division(self, frame: str) -> Division:
        if frame not in self.divisions:
            document = self.grammar.document
            premises = self.grammar.frames[frame][0].space.premises
            reserved = self.reserved.get(frame, np.empty(0, dtype=np.int64))
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
            # The released training set was drawn after the evaluation set, from what that had left.
            fresh = room if self.split == "train" else pool
            self.lots[variant.name] = Lot(variant.weight, room, pool, fresh)
        return self.lots[variant.name]

    def room(self, subcase: str) -> int:
        return sum(self.lot(variant).room for variant in self.grammar.of_subcase(subcase))


def sizes_of(
    grammar: Grammar,
    reserved: Mapping[str, NDArray[np.int64]],
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
