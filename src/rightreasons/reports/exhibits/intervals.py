"""How the intervals of a table were found, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.scoring.clusters import TOO_FEW
from rightreasons.scoring.portions import CLUSTERS

if TYPE_CHECKING:
    from collections.abc import Iterable

    import polars as pl

    from rightreasons.scoring.portions import Portion

USUAL = "Intervals are Wilson's, at 95%."
SHARED = "95% confidence intervals; cluster-robust (CR2) where pairs share a {what}."
WILSONS = "95% Wilson intervals"
WIDER = "95% confidence intervals: cluster-robust (CR2) where pairs share a group, a source or a premise, else Wilson's"
FEW = (
    "Where fewer than ten clusters of pairs share a group, a source or a premise, the interval takes each pair for "
    "itself and is too narrow."
)


def intervals_note(kinds: pl.Series, usual: str = USUAL) -> tuple[str, ...]:
    """Say how the intervals of a table were found."""
    found = kinds.unique(maintain_order=True).to_list()
    named = [kind.partition(": ")[2] for kind in found if kind.startswith("clusters: ")]
    columns = [name for kind in named for name in kind.partition(" (")[0].replace(" x ", ", ").split(", ")]
    shared = " or ".join(dict.fromkeys(columns)).replace("_id", "")
    first = SHARED.format(what=shared) if columns else usual
    return (first, FEW) if any("fewer than ten" in kind for kind in found) else (first,)


def intervals_of(portions: Iterable[Portion]) -> str:
    """Name the intervals that some shares have."""
    return WIDER if any(one.interval == CLUSTERS for one in portions) else WILSONS


def remark_on(portions: Iterable[Portion]) -> tuple[str, ...]:
    """Remark on intervals that are too narrow, if there are any."""
    return (FEW,) if any(one.interval == TOO_FEW for one in portions) else ()
