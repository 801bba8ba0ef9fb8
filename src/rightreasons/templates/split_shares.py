"""How the spaces of a grammar are shared out to the splits: rooms, weights, and the division of premises."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rightreasons.templates.apportionment import Stratum, apportion_seats
from rightreasons.templates.premise_splits import NOTHING_RESERVED, DividedPremises, Lane, PremiseDivision
from rightreasons.templates.word_restriction import COUNTED, estimate_restricted_room

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from rightreasons.templates.grammar import Grammar, Variant
    from rightreasons.templates.premise_splits import ReservedPremises
    from rightreasons.templates.word_restriction import WordRestriction

DEFAULT_SIZE = 1000


class SplitShares:
    """How the spaces of a grammar are shared out to a split."""

    def __init__(
        self,
        grammar: Grammar,
        split: str,
        reserved: Mapping[str, ReservedPremises],
        restriction: WordRestriction | None = None,
    ) -> None:
        """Set the grammar, the split, the premises reserved for one split, by frame, and the allowed words."""
        self.grammar = grammar
        self.split = split
        self.reserved = reserved
        self.restriction = restriction
        self.divisions: dict[str, PremiseDivision] = {}
        self.strata: dict[str, Stratum] = {}

    def get_division(self, frame: str) -> PremiseDivision:
        """Return the division of a frame's premises."""
        if frame not in self.divisions:
            document = self.grammar.document
            premises = self.grammar.frames[frame][0].space.premises
            reserved = self.reserved.get(frame, NOTHING_RESERVED)
            self.divisions[frame] = PremiseDivision(
                premises, reserved, (document.name, document.version, frame)
            )
        return self.divisions[frame]

    def get_lane(self, variant: Variant) -> Lane:
        """Return a sub-variant's turn among those of its frame and label."""
        if variant.source.weight == 0 or variant.space.hypotheses > 1 or variant.bundle:
            return Lane(0, 1)
        frame = [other for other in self.grammar.frames[variant.frame] if not other.bundle]
        same = [other.number for other in frame if other.label == variant.label and other.source.weight > 0]
        return Lane(same.index(variant.number), len(same))

    def name_premise_order(self, variant: Variant) -> str:
        """Name the order in which a sub-variant meets its premises: twins share that of their frame."""
        if variant.bundle:
            return variant.bundle.name
        shared = self.grammar.document.twins and variant.space.hypotheses == 1
        return variant.frame if shared else variant.name

    def count_order_positions(self, variant: Variant) -> int:
        """Count the places of a sub-variant's order: its pairs, or the premises of its bundle."""
        each = 1 if variant.bundle else variant.space.hypotheses
        return self.get_division(variant.frame).sizes[self.split] * each

    def count_seats(self, variant: Variant) -> int:
        """Count the pairs of a sub-variant, or of its bundle, in this split, whatever their words."""
        return self.count_order_positions(variant) * (variant.bundle.size if variant.bundle else 1)

    def list_groups(self, subcase: str) -> list[tuple[Variant, ...]]:
        """List the sub-variants of a subcase, those of one bundle together, that have pairs with allowed words."""
        groups = self.grammar.get_variants_by_bundle(subcase)
        if self.restriction is None:
            return groups
        return [group for group in groups if self.restriction.get_share(group[0]) > 0]

    def get_stratum(self, variant: Variant) -> Stratum:
        """Return what a sub-variant, or the bundle that it is of, has to give."""
        name = variant.bundle.name if variant.bundle else variant.name
        if name not in self.strata:
            room = self._count_room(variant)
            pool = self.count_pairs(variant) if self.grammar.document.draw == "with-rejection" else None
            self.strata[name] = Stratum(
                self._weigh_variant(variant),
                room,
                pool,
                self.count_undrawn_pairs(variant, room, pool),
                variant.bundle.size if variant.bundle else 1,
            )
        return self.strata[name]

    def _count_room(self, variant: Variant) -> int:
        """Count the pairs with allowed words in this split; of large sub-variants, a number that they surely have."""
        room = self.count_seats(variant)
        if self.restriction is None:
            return room
        share = self.restriction.get_share(variant)
        if share in (0.0, 1.0):
            return room if share else 0
        if room > COUNTED:
            return estimate_restricted_room(variant, room, share)
        premises = DividedPremises([self.get_division(variant.frame)], self.split)
        places, hypothesis = np.divmod(np.arange(room), variant.space.hypotheses)
        ranks = premises.find_premise_ranks(np.zeros(room, np.int16), places)
        marks = self.restriction.mark_allowed(variant, ranks * variant.space.hypotheses + hypothesis)
        return int(marks.sum())

    def _weigh_variant(self, variant: Variant) -> Fraction | float:
        """Weigh a sub-variant by how often a free draw meets it with allowed words."""
        return (
            variant.weight
            if self.restriction is None
            else float(variant.weight) * self.restriction.get_share(variant)
        )

    def count_pairs(self, variant: Variant) -> int:
        """Count the pairs of a sub-variant, or of its bundle, with allowed words over both splits."""
        pairs = variant.space.premises * variant.bundle.size if variant.bundle else variant.space.count
        return pairs if self.restriction is None else round(pairs * self.restriction.get_share(variant))

    def count_undrawn_pairs(self, variant: Variant, room: int, pool: int | None) -> int | None:
        """Count what a draw with rejection can still meet: training is drawn after an evaluation set of usual size."""
        if pool is None or self.split == "eval" or variant.source.weight == 0:
            return pool
        first = [group[0] for group in self.list_groups(variant.subcase)]
        strata = [
            Stratum(self._weigh_variant(other), self.count_pairs(other), self.count_pairs(other))
            for other in first
        ]
        drawn = apportion_seats(strata, DEFAULT_SIZE)[first.index(variant)]
        return max(room, pool - drawn)

    def count_subcase_pairs(self, subcase: str) -> int:
        """Count the pairs of a subcase in this split."""
        return sum(self.get_stratum(group[0]).room for group in self.list_groups(subcase))
