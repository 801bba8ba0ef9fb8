"""The tables of the study of random and simple pairs (1 to 3): the share of neutral where nothing else is true."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.core.labels import NEUTRAL
from rightreasons.reports import published
from rightreasons.reports.exhibits.published_comparison import (
    TableHeading,
    compare_with_published,
    shares_by,
    slug,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rightreasons.reports.exhibits.exhibit import Exhibit
    from rightreasons.reports.published import PublishedSubset
    from rightreasons.runs.results import SetResults
    from rightreasons.scoring.proportion import Proportion

_CAPTION = "Share of the pairs that are predicted neutral. The gold label of all pairs is neutral."
_TABLES: tuple[tuple[str, Mapping[str, PublishedSubset]], ...] = (
    ("1", published.RANDOM),
    ("2", published.SENTENCES),
    ("3", published.JOINED),
)
_SOURCES = "The published figures are of premises of MNLI and SNLI; those of this run are of: {}."


def exhibits(results: SetResults) -> list[Exhibit]:
    """Show the tables of the study that are about this set."""
    pairs = results.pairs
    if "set" not in pairs.columns or set(pairs["label"].unique()) != {NEUTRAL}:
        return []
    return [
        _table(results, number, places)
        for number, places in _TABLES
        if {place.set for place in places.values()} == set(pairs["set"].unique())
    ]


def _table(results: SetResults, number: str, places: Mapping[str, PublishedSubset]) -> Exhibit:
    columns = {published.column_of(name, NEUTRAL): _heading(name) for name in places}
    from_where = ", ".join(results.card["sources"])
    at = slug(results.name)
    title = f"{results.name}: Table {number} of the pair study"
    heading = TableHeading(
        f"published-table-{number}-{at}", title, _CAPTION, shown="percent", set=results.name
    )
    ours = {(model, ""): _shares(results, model, places) for model in results.requested}
    more = [_SOURCES.format(from_where)] if number == "1" and from_where else []
    return compare_with_published(heading, columns, published.rows("pairs", [number]), ours, more)


def _shares(results: SetResults, model: str, places: Mapping[str, PublishedSubset]) -> dict[str, Proportion]:
    tag = next(iter(places.values())).tag or "set"
    shares = shares_by(results, model, tag)
    found = {name: shares.get((place.value or place.set, NEUTRAL)) for name, place in places.items()}
    return {published.column_of(name, NEUTRAL): share for name, share in found.items() if share}


def _heading(name: str) -> str:
    return name.replace("_", " ").replace("NA:", "N is A:")
