"""An exhibit: one table of a report, which every form of the report renders; and notes on its intervals."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from rightreasons.scoring.clusters import TOO_FEW
from rightreasons.scoring.proportion import CLUSTERS
from rightreasons.scoring.sharing import has_few_clusters

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import polars as pl

    from rightreasons.scoring.proportion import Proportion

# How the values of a column are shown:
#   text      as they are
#   count     a whole number with commas
#   share     a fraction of 1 with two decimals; with its interval if there are columns NAME_low and NAME_high
#   points    a difference of two shares in percentage points with one decimal and sign; interval as above
#   size      the size of a difference in percentage points, without sign, rounded up to one decimal
#   p         a p value
#   percent   a share in percent with one decimal
Format: TypeAlias = Literal["text", "count", "share", "points", "size", "p", "percent"]


@dataclass(frozen=True)
class Exhibit:
    """A table with caption and notes; `key` is its address in a page and the name of its file."""

    key: str
    title: str
    caption: str  # one or two sentences: what a figure is, and by which rule
    frame: pl.DataFrame
    formats: Mapping[str, Format]  # the columns to show, in their order; NAME_low and NAME_high go with NAME
    set: str = ""  # the set that it is about, if it is about one
    chart: Mapping[str, Any] | None = None  # a Vega-Lite specification; its data are the rows of the frame
    notes: tuple[str, ...] = field(default=())
    headings: Mapping[str, str] = field(
        default_factory=dict
    )  # what a column is called, where not by its name


USUAL = "95% confidence intervals (Wilson)."
SHARED = "95% confidence intervals; cluster-robust (CR2) where pairs share a {what}."
WILSONS = "95% confidence intervals (Wilson)"
WIDER = "95% confidence intervals (Wilson; cluster-robust where pairs share a group, a source or a premise)"
IGNORED = (
    "The intervals ignore that pairs share {what}, which has fewer than ten values: if pairs with the same value are "
    "similar, the intervals are too narrow."
)
FEW = (
    "Where pairs share fewer than ten groups, sources or premises, the interval treats them as independent, because "
    "so few clusters don't show how much they vary: it is too narrow."
)


def intervals_note(kinds: pl.Series, usual: str = USUAL) -> tuple[str, ...]:
    """Describe how the intervals of a table were computed."""
    found = kinds.unique(maintain_order=True).to_list()
    named = [kind.partition(": ")[2] for kind in found if kind.startswith("clusters: ")]
    columns = [name for kind in named for name in kind.partition(" (")[0].replace(" x ", ", ").split(", ")]
    shared = " or ".join(dict.fromkeys(columns)).replace("_id", "")
    first = SHARED.format(what=shared) if columns else usual
    return (first, *few_note(found))


def kinds_of(scores: pl.DataFrame) -> list[str]:
    """List the kinds of intervals in a table of scores; older tables don't record them."""
    return scores["interval"].unique(maintain_order=True).to_list() if "interval" in scores.columns else []


def few_note(kinds: Iterable[str]) -> tuple[str, ...]:
    """Warn of intervals that are too narrow because pairs share a column with few values."""
    few = [kind for kind in kinds if has_few_clusters(kind)]
    left_out = [kind.partition("(not ")[2].partition(":")[0] for kind in few if kind != TOO_FEW]
    warnings = (FEW,) if TOO_FEW in few else ()
    return (*warnings, *(IGNORED.format(what=what) for what in dict.fromkeys(left_out)))


def intervals_of(portions: Iterable[Proportion]) -> str:
    """Name the kind of intervals of some shares."""
    return WIDER if any(one.interval == CLUSTERS for one in portions) else WILSONS


def remark_on(portions: Iterable[Proportion]) -> tuple[str, ...]:
    """Warn of intervals that are too narrow, if there are any."""
    return (FEW,) if any(one.interval == TOO_FEW for one in portions) else ()
