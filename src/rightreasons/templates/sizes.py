"""How many pairs of each subcase a sample holds, and how many there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.core.errors import InputError, TooFewPairsError
from rightreasons.templates.apportionment import Lot, quotas
from rightreasons.templates.splits import NOTHING_RESERVED, Division, Lane

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rightreasons.templates.grammar import Grammar, Variant
    from rightreasons.templates.splits import Reserved

SPLITS = ("eval", "train")
DEFAULT_SIZE = 1000
_HINT = "Ask for fewer, or take what there is with -o short=allow."


class SplitShares:
    """How the spaces of a grammar are shared out to a split."""

    def __init__(self, grammar: Grammar, split: str, reserved: Mapping[str, Reserved]) -> None:
        """Take the grammar, the split, and the premises that belong to one split, by frame."""
        self.grammar = grammar
        self.split = split
        self.reserved = reserved
        self.divisions: dict[str, Division] = {}
        self.lots: dict[str, Lot] = {}

    def division(self, frame: str) -> Division:
        """Return the division of a frame's premises."""
        if frame not in self.divisions:
            document = self.grammar.document
            premises = self.grammar.frames[frame][0].space.premises
            reserved = self.reserved.get(frame, NOTHING_RESERVED)
            self.divisions[frame] = Division(premises, reserved, (document.name, document.version, frame))
        return self.divisions[frame]

    def lane(self, variant: Variant) -> Lane:
        """Return a sub-variant's turn among those of its frame and label."""
        if variant.source.weight == 0 or variant.space.hypotheses > 1 or variant.bundle:
            return Lane(0, 1)
        frame = [other for other in self.grammar.frames[variant.frame] if not other.bundle]
        same = [other.number for other in frame if other.label == variant.label and other.source.weight > 0]
        return Lane(same.index(variant.number), len(same))

    def order(self, variant: Variant) -> str:
        """Name the order in which a sub-variant meets its premises: twins share that of their frame."""
        if variant.bundle:
            return variant.bundle.name
        shared = self.grammar.document.twins and variant.space.hypotheses == 1
        return variant.frame if shared else variant.name

    def places(self, variant: Variant) -> int:
        """Count the places of a sub-variant's order: its pairs, or the premises of its bundle."""
        each = 1 if variant.bundle else variant.space.hypotheses
        return self.division(variant.frame).sizes[self.split] * each

    def lot(self, variant: Variant) -> Lot:
        """Return what a sub-variant, or the bundle that it is of, has to give."""
        name = variant.bundle.name if variant.bundle else variant.name
        if name not in self.lots:
            step = variant.bundle.size if variant.bundle else 1
            room = self.places(variant) * step
            pool = _whole(variant) if self.grammar.document.draw == "with-rejection" else None
            self.lots[name] = Lot(variant.weight, room, pool, self.fresh(variant, room, pool), step)
        return self.lots[name]

    def fresh(self, variant: Variant, room: int, pool: int | None) -> int | None:
        """Count what a draw with rejection can still meet: training is drawn after an evaluation set of usual size."""
        if pool is None or self.split == "eval" or variant.source.weight == 0:
            return pool
        first = [group[0] for group in self.grammar.together(variant.subcase)]
        lots = [Lot(other.weight, _whole(other), _whole(other)) for other in first]
        taken = quotas(lots, DEFAULT_SIZE)[first.index(variant)]
        return max(room, pool - taken)

    def room(self, subcase: str) -> int:
        """Count the pairs of a subcase in this split."""
        return sum(self.lot(group[0]).room for group in self.grammar.together(subcase))


def _whole(variant: Variant) -> int:
    """Count the pairs of a sub-variant, or of its bundle, over both splits."""
    return variant.space.premises * variant.bundle.size if variant.bundle else variant.space.count


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
    parts = SplitShares(grammar, split, reserved)
    rooms = {subcase: parts.room(subcase) for subcase in grammar.subcases}
    asked = rooms if size is None and limit is not None else _asked(grammar, size)
    # Nobody asked for the default, so a small set gives what it has.
    short = "allow" if size is None and limit is None else short
    remarks = _shortages(parts, rooms, asked, short)
    sizes = {subcase: min(room, asked[subcase]) for subcase, room in rooms.items()}
    total = sum(sizes.values())
    if not total:
        raise TooFewPairsError(
            f"The {split} split of {grammar.document.name} has no pairs. Add words or templates."
        )
    if limit is None or limit >= total:
        if limit is not None and limit > total:
            remarks += too_few(f"The whole {split} split", total, None, limit, "allow" if size else short)
        return sizes, remarks
    return _stratified(grammar, sizes, limit), remarks


def _asked(grammar: Grammar, size: int | None) -> dict[str, int]:
    """Say how many pairs each subcase should have: as many as asked for, or its own size."""
    sizes = grammar.document.sizes
    return {
        subcase: size if size is not None else sizes.get(subcase, DEFAULT_SIZE)
        for subcase in grammar.subcases
    }


def _shortages(
    parts: SplitShares, rooms: Mapping[str, int], asked: Mapping[str, int], short: str
) -> list[str]:
    said = []
    for subcase, room in rooms.items():
        if room < asked[subcase]:
            whole = sum(_whole(group[0]) for group in parts.grammar.together(subcase))
            said += too_few(f"{subcase}, {parts.split} split,", room, whole, asked[subcase], "allow")
    if said and short != "allow":
        raise TooFewPairsError(f"{' '.join(said)} {_HINT}")
    return said


def too_few(what: str, room: int, whole: int | None, asked: int, short: str) -> list[str]:
    """Say that there are fewer pairs than were asked for, as an error unless that is allowed."""
    in_all = "" if whole is None else f" ({whole:,} in all, over both splits)"
    said = f"{what} has {room:,} pairs{in_all}, and {asked:,} were asked for."
    if short != "allow":
        raise TooFewPairsError(f"{said} {_HINT}")
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
