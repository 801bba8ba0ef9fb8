"""Bundles: one premise with several hypotheses, whose words are drawn together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from rightreasons.templates.space import Space


@dataclass(frozen=True)
class Bundle:
    """What the hypotheses of one premise have in common: all slots of all of them, drawn from one space.

    A sample has at most one bundle of each premise. So its pairs all differ, even where hypotheses leave out some of
    the slots and therefore could not tell two bundles apart.
    """

    name: str
    slots: tuple[str, ...]
    space: Space
    size: int

    def ranks(
        self, slots: Sequence[str], space: Space, premises: NDArray[np.int64], drawn: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the ranks of one hypothesis' pairs in its own space, for premises and what was drawn beside them."""
        if space.hypotheses == 1:
            return premises
        entries = self.space.unrank(premises * self.space.hypotheses + drawn)
        return space.rank([entries[self.slots.index(slot)] for slot in slots])
