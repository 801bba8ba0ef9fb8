"""Notes on the intervals of a table: which kind they are, and where they are too narrow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.scoring.clustered_intervals import TOO_FEW_CLUSTERS
from rightreasons.scoring.proportion import CLUSTERS
from rightreasons.scoring.sharing import has_few_clusters

if TYPE_CHECKING:
    from collections.abc import Iterable

    import polars as pl

    from rightreasons.scoring.proportion import Proportion

WILSON_INTERVALS = "95% confidence intervals (Wilson)."
CLUSTER_INTERVALS = "95% confidence intervals; cluster-robust (CR2) where pairs share a {what}."
WILSON_PHRASE = "95% confidence intervals (Wilson)"
CLUSTER_PHRASE = (
    "95% confidence intervals (Wilson; cluster-robust where pairs share a group, a source or a premise)"
)
IGNORED_COLUMN = (
    "The intervals ignore that pairs share {what}, which has fewer than ten values: if pairs with the same value are "
    "similar, the intervals are too narrow."
)
FEW_CLUSTERS_NOTE = (
    "Where pairs share fewer than ten groups, sources or premises, the clusters are too few to estimate their "
    "variance: the interval treats the pairs as independent, and is too narrow."
)


def describe_intervals(kinds: pl.Series, usual: str = WILSON_INTERVALS) -> tuple[str, ...]:
    """Describe how the intervals of a table were computed."""
    found = kinds.unique(maintain_order=True).to_list()
    named = [kind.partition(": ")[2] for kind in found if kind.startswith("clusters: ")]
    columns = [name for kind in named for name in kind.partition(" (")[0].replace(" x ", ", ").split(", ")]
    shared = " or ".join(dict.fromkeys(columns)).replace("_id", "")
    first = CLUSTER_INTERVALS.format(what=shared) if columns else usual
    return (first, *warn_of_few_clusters(found))


def list_interval_kinds(scores: pl.DataFrame) -> list[str]:
    """List the kinds of intervals in a table of scores; older tables don't record them."""
    return scores["interval"].unique(maintain_order=True).to_list() if "interval" in scores.columns else []


def warn_of_few_clusters(kinds: Iterable[str]) -> tuple[str, ...]:
    """Warn of intervals that are too narrow because pairs share a column with few values."""
    few = [kind for kind in kinds if has_few_clusters(kind)]
    left_out = [kind.partition("(not ")[2].partition(":")[0] for kind in few if kind != TOO_FEW_CLUSTERS]
    warnings = (FEW_CLUSTERS_NOTE,) if TOO_FEW_CLUSTERS in few else ()
    return (*warnings, *(IGNORED_COLUMN.format(what=what) for what in dict.fromkeys(left_out)))


def name_proportion_intervals(portions: Iterable[Proportion]) -> str:
    """Name the kind of intervals of some shares."""
    return CLUSTER_PHRASE if any(portion.interval == CLUSTERS for portion in portions) else WILSON_PHRASE


def warn_of_narrow_intervals(portions: Iterable[Proportion]) -> tuple[str, ...]:
    """Warn of intervals that are too narrow, if there are any."""
    return (FEW_CLUSTERS_NOTE,) if any(portion.interval == TOO_FEW_CLUSTERS for portion in portions) else ()
