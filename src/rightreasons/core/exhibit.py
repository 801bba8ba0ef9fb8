"""An exhibit: one table of a report, with its caption, notes and chart, which every renderer shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

# Keys of tables that renderers treat in their own way.
OVERVIEW = "accuracy"  # all sets; keys of the sets' main tables begin with it
PROMPTS = "prompts"

# How the values of a column are shown:
#   text      as they are, cut to a length that a page can hold
#   passage   the same, but whole: a text to read
#   count     a whole number with commas; interval as below
#   share     a fraction of 1 with two decimals; with its interval if there are columns NAME_low and NAME_high
#   figure    the same with four decimals, for figures of any kind
#   points    a difference of two shares in percentage points with one decimal and sign; interval as above
#   size      the size of a difference in percentage points, without sign, rounded up to one decimal
#   p         a p value
#   decimal   a number with two decimals
#   percent   a share in percent with one decimal
#   correlation  a number from -1 to 1 with two decimals and sign; interval as above
Format: TypeAlias = Literal[
    "text", "passage", "count", "share", "figure", "points", "size", "p", "percent", "correlation", "decimal"
]


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
