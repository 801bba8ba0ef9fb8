"""Published rows beside ours: one table, a row per model, a column per subset, ours first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.reports.exhibits.exhibit import Exhibit
from rightreasons.reports.exhibits.intervals import intervals_of, remark_on
from rightreasons.reports.published import subset_of
from rightreasons.scoring.proportion import Proportion, of_pairs

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from rightreasons.reports.exhibits.exhibit import Format
    from rightreasons.reports.published import Published
    from rightreasons.runs.results import SetResults

OURS = "this run"
_OTHERS = re.compile(r"[^a-z0-9]+")
INTERVALS = "Figures of others are as published; those of this run have {}."


@dataclass(frozen=True)
class ComparisonLayout:
    """The columns of a table by name, with their headings, and how figures are shown."""

    columns: Mapping[str, str]
    shown: Format = "percent"


@dataclass(frozen=True)
class OurRow:
    """A model of this run: its shares by column."""

    model: str
    shares: Mapping[str, Proportion]
    pairs: str = ""  # which, where a table has several kinds of them


def table(
    layout: ComparisonLayout, published: Sequence[Published], ours: Sequence[OurRow]
) -> tuple[pl.DataFrame, dict[str, Format], dict[str, str]]:
    """Make the frame, its formats and its headings: our rows first, then published ones."""
    names = {column: f"c{place}" for place, column in enumerate(layout.columns)}
    made = [_ours(row, names) for row in ours]
    made += [_published(row, names) for row in published if set(row.values) & set(names)]
    texts = ["model", "trained_on", "pairs", "source"]
    ends = [f"{name}{end}" for name in names.values() for end in ("", "_low", "_high")]
    schema = dict.fromkeys(texts, pl.String) | dict.fromkeys(ends, pl.Float64)
    frame = pl.DataFrame(made, schema=schema)
    used = [name for name in texts if frame[name].str.len_chars().sum()]
    words: dict[str, Format] = dict.fromkeys(used, "text")
    source = words.pop("source")
    formats = words | dict.fromkeys(names.values(), layout.shown) | {"source": source}
    headings = {"trained_on": "trained on"} | {names[key]: head for key, head in layout.columns.items()}
    return frame, formats, headings


def notes_on(published: Sequence[Published], columns: Collection[str]) -> tuple[str, ...]:
    """Collect what is wrong or special in the published figures that are shown; what many have is said once."""
    where: dict[tuple[str, str], list[str]] = {}
    for row in published:
        for column, note in row.notes.items():
            if column in columns:
                where.setdefault((row.cited, note), []).append(f"{row.model}, {subset_of(column)}")
    return tuple(
        f"{cited}: {f'{places[0]}: ' if len(places) == 1 else ''}{note}."
        for (cited, note), places in where.items()
    )


def sizes(layout: ComparisonLayout, ours: Sequence[OurRow], what: str = "pairs") -> str:
    """Say on how many pairs of this run each column rests."""
    counts: dict[str, set[int]] = {
        head: {row.shares[key].n if key in row.shares else 0 for row in ours}
        for key, head in layout.columns.items()
    }
    told = {head: _range(found) for head, found in counts.items() if any(found)}
    if len(set(told.values())) == 1:
        return (
            f"n: {next(iter(told.values()))} {what} of this run{' in each column' if len(told) > 1 else ''}."
        )
    return f"n ({what} of this run): {'; '.join(f'{head} {n}' for head, n in told.items())}." if told else ""


@dataclass(frozen=True)
class ComparisonHeading:
    """What a table is: its address, its title, what its figures are, and the set that it is about."""

    key: str
    title: str
    caption: str
    set: str = ""
    counted: str = "pairs"  # what n counts


def exhibit(
    heading: ComparisonHeading,
    layout: ComparisonLayout,
    published: Sequence[Published],
    ours: Sequence[OurRow],
    more: Sequence[str] = (),
) -> Exhibit:
    """Make the exhibit, with notes on the sizes and on what is wrong in print."""
    frame, formats, headings = table(layout, published, ours)
    figures = [figure for row in ours for figure in row.shares.values()]
    more = (*more, *remark_on(figures), *notes_on(published, layout.columns))
    notes = (sizes(layout, ours, heading.counted), *more)
    said = f"{heading.caption} {INTERVALS.format(intervals_of(figures))}"
    shown = tuple(note for note in notes if note)
    return Exhibit(heading.key, heading.title, said, frame, formats, heading.set, None, shown, headings)


def shares_by(results: SetResults, model: str, tag: str) -> dict[tuple[str, str], Proportion]:
    """Take the share of a model's right answers by the value of a tag and by true label."""
    whole = results.answers[model].select("gold", "right").with_columns(results.pairs[tag].alias("_tag"))
    whole = whole.with_row_index("_row")
    cells = whole.group_by("_tag", "gold", maintain_order=True)
    return {(str(value), str(gold)): share_of(results, part) for (value, gold), part in cells}


def share_of(results: SetResults, rows: pl.DataFrame, hits: str = "right") -> Proportion:
    """Take the share of hits in some rows (`_row`) of a set, with the interval that their clusters call for."""
    clusters = results.clusters
    return of_pairs(rows[hits], None if clusters is None else clusters[rows["_row"]])


def slug(name: str) -> str:
    """Make an address of a set's name: plain letters, digits and hyphens."""
    return _OTHERS.sub("-", name.lower()).strip("-") or "set"


def _published(row: Published, names: Mapping[str, str]) -> dict[str, str | float | None]:
    cells = {names[column]: value for column, value in row.values.items() if column in names}
    whose = {"model": row.model, "trained_on": row.trained_on, "pairs": row.split, "source": row.cited}
    return {**whose, **cells}


def _ours(row: OurRow, names: Mapping[str, str]) -> dict[str, str | float | None]:
    cells: dict[str, str | float | None] = {}
    for column, figure in row.shares.items():
        cells |= figure.columns(names[column])
    return {"model": row.model, "trained_on": "", "pairs": row.pairs, "source": OURS, **cells}


def _range(counts: set[int]) -> str:
    least, most = min(counts), max(counts)
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"
