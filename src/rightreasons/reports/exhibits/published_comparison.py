"""Published figures next to ours in one table, with models as rows or as columns; used by reports and experiments."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from rightreasons.core.exhibit import Exhibit
from rightreasons.reports.published import parse_subset_name
from rightreasons.scoring.interval_notes import name_proportion_intervals, warn_of_narrow_intervals
from rightreasons.scoring.proportion import Proportion, compute_clustered_proportion

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from rightreasons.core.exhibit import Format
    from rightreasons.reports.published import PublishedRow
    from rightreasons.runs.set_results import SetResults

OURS = "this run"  # the source of our rows in a report
HERE = "here"  # and in an experiment
WEAK = "too weak for a claim"
INTERVALS = "Published figures are quoted; the figures of this run have {}."
_ENDS = ("", "_low", "_high")
_TEXTS = ("model", "trained_on", "pairs", "source")
_OTHERS = re.compile(r"[^a-z0-9]+")


class FigureValue(NamedTuple):
    """A figure: of one run with its interval, or the mean of several seeds with their range."""

    mean: float
    low: float | None = None
    high: float | None = None
    n: int | None = None  # pairs that each seed was run on
    seeds: int = 1


@dataclass(frozen=True)
class FigureRow:
    """The figures of one model by column, and where they come from."""

    model: str
    values: Mapping[str, FigureValue]
    source: str = HERE
    trained_on: str = ""
    weak: bool = False
    pairs: str = ""  # which pairs, where a table has several kinds

    @property
    def display_name(self) -> str:
        """The name of the model, with a warning if it is too weak for any claim."""
        return f"{self.model} ({WEAK})" if self.weak else self.model


@dataclass(frozen=True)
class TableHeading:
    """The key, title and caption of a table; `down` is the heading of its rows if models are columns."""

    key: str
    title: str
    caption: str
    down: str = "pairs"
    shown: Format = "share"
    counted: str = "pairs"  # what n counts
    set: str = ""


def lay_out_models_as_rows(
    heading: TableHeading, columns: Mapping[str, str], rows: Sequence[FigureRow], notes: Sequence[str] = ()
) -> Exhibit:
    """Build a table with a row per model; `columns` maps column names to headings."""
    names = {column: f"c{place}" for place, column in enumerate(columns)}
    texts = [
        {"model": row.display_name, "trained_on": row.trained_on, "pairs": row.pairs, "source": row.source}
        for row in rows
    ]
    cells = [
        {
            name: figure
            for column in columns
            for name, figure in _make_figure_columns(names[column], row.values.get(column))
        }
        for row in rows
    ]
    schema = dict.fromkeys(_TEXTS, pl.String) | _make_float_schema(names.values())
    frame = pl.DataFrame([text | cell for text, cell in zip(texts, cells, strict=True)], schema=schema)
    used = [name for name in ("trained_on", "pairs") if any(text[name] for text in texts)]
    formats: dict[str, Format] = {
        **dict.fromkeys(["model", *used], "text"),
        **dict.fromkeys(names.values(), heading.shown),
        "source": "text",
    }
    headings = {"trained_on": "trained on"} | {names[column]: head for column, head in columns.items()}
    notes = (*_note_column_counts(columns, rows, heading.counted), *notes)
    return Exhibit(
        heading.key, heading.title, heading.caption, frame, formats, heading.set, None, notes, headings
    )


def lay_out_models_as_columns(
    heading: TableHeading, columns: Mapping[str, str], rows: Sequence[FigureRow], notes: Sequence[str] = ()
) -> Exhibit:
    """Build the transposed table: a column per model, and a row for each of `columns`."""
    names = {f"m{place}": row for place, row in enumerate(rows)}
    sizes = [
        _find_largest_known(row.values[column].n for row in rows if column in row.values)
        for column in columns
    ]
    lines: list[dict[str, str | float | None]] = [
        {"what": head, "n": n, **_make_transposed_row(names, column)}
        for (column, head), n in zip(columns.items(), sizes, strict=True)
    ]
    frame = pl.DataFrame(lines, schema={"what": pl.String, "n": pl.Int64} | _make_float_schema(names))
    formats: dict[str, Format] = {"what": "text", "n": "count", **dict.fromkeys(names, heading.shown)}
    ours = (OURS, HERE)
    headings = {"what": heading.down} | {
        name: f"{row.display_name}, {row.source if row.source in ours else 'printed'}"
        for name, row in names.items()
    }
    return Exhibit(
        heading.key,
        heading.title,
        heading.caption,
        frame,
        formats,
        heading.set,
        notes=tuple(notes),
        headings=headings,
    )


def compare_with_published(
    heading: TableHeading,
    columns: Mapping[str, str],
    published: Sequence[PublishedRow],
    ours: Mapping[tuple[str, str], Mapping[str, Proportion]],
    more: Sequence[str] = (),
) -> Exhibit:
    """Build the table of a report: our rows first, by model and kind of pairs, then the published rows."""
    shares = [share for row in ours.values() for share in row.values()]
    rows = [
        FigureRow(model, make_figure_values(of), OURS, pairs=pairs) for (model, pairs), of in ours.items()
    ]
    rows += [make_figure_row(row) for row in published if set(row.values) & set(columns)]
    notes = (*more, *warn_of_narrow_intervals(shares), *collect_published_notes(published, columns))
    caption = f"{heading.caption} {INTERVALS.format(name_proportion_intervals(shares))}"
    return lay_out_models_as_rows(replace(heading, caption=caption), columns, rows, notes)


def make_figure_row(row: PublishedRow, source: str = "") -> FigureRow:
    """Turn a row of a published table into a row of ours."""
    values = {column: FigureValue(figure) for column, figure in row.values.items()}
    return FigureRow(row.model, values, source or row.citation, row.trained_on, pairs=row.split)


def make_figure_values(shares: Mapping[str, Proportion]) -> dict[str, FigureValue]:
    """Turn shares into figures with their intervals; a share of nothing is left out."""
    return {
        column: FigureValue(share.hits / share.n, share.low, share.high, share.n)
        for column, share in shares.items()
        if share.n
    }


def collect_published_notes(published: Sequence[PublishedRow], columns: Collection[str]) -> tuple[str, ...]:
    """Collect the notes on the published figures that are shown; a note on several figures is given once."""
    where: dict[tuple[str, str], list[str]] = {}
    for row in published:
        for column, note in row.notes.items():
            if column in columns:
                where.setdefault((row.citation, note), []).append(f"{row.model}, {parse_subset_name(column)}")
    return tuple(
        f"{cited}: {f'{places[0]}: ' if len(places) == 1 else ''}{note}."
        for (cited, note), places in where.items()
    )


def measure_accuracy_by_tag(results: SetResults, model: str, tag: str) -> dict[tuple[str, str], Proportion]:
    """Compute a model's accuracy by the value of a tag and the gold label."""
    whole = results.predictions[model].select("gold", "right").with_columns(results.pairs[tag].alias("_tag"))
    whole = whole.with_row_index("_row")
    cells = whole.group_by("_tag", "gold", maintain_order=True)
    return {(str(value), str(gold)): measure_hit_share(results, part) for (value, gold), part in cells}


def measure_hit_share(results: SetResults, rows: pl.DataFrame, hits: str = "right") -> Proportion:
    """Compute the share of hits in some rows (`_row`) of a set, with an interval that respects clusters."""
    clusters = results.clusters
    return compute_clustered_proportion(rows[hits], None if clusters is None else clusters[rows["_row"]])


def make_slug(name: str) -> str:
    """Turn the name of a set into an address: lower-case letters, digits and hyphens."""
    return _OTHERS.sub("-", name.lower()).strip("-") or "set"


def _make_figure_columns(name: str, value: FigureValue | None) -> list[tuple[str, float | None]]:
    figures = value[:3] if value else (None, None, None)
    return [(f"{name}{end}", figure) for end, figure in zip(_ENDS, figures, strict=True)]


def _make_transposed_row(names: Mapping[str, FigureRow], column: str) -> dict[str, float | None]:
    cells = [_make_figure_columns(name, row.values.get(column)) for name, row in names.items()]
    return {name: figure for cell in cells for name, figure in cell}


def _make_float_schema(names: Iterable[str]) -> dict[str, type[pl.DataType]]:
    return {f"{name}{end}": pl.Float64 for name in names for end in _ENDS}


def _note_column_counts(columns: Mapping[str, str], rows: Sequence[FigureRow], what: str) -> list[str]:
    """Note the number of pairs (or other counted items) behind each column."""
    counts = {
        head: [n for row in rows if column in row.values and (n := row.values[column].n)]
        for column, head in columns.items()
    }
    ranges = {head: _format_count_range(numbers) for head, numbers in counts.items() if numbers}
    if len(set(ranges.values())) == 1:
        where = " in each column" if len(columns) > 1 else ""
        return [f"n: {next(iter(ranges.values()))} {what}{where}."]
    return [f"n ({what}): {'; '.join(f'{head} {n}' for head, n in ranges.items())}."] if ranges else []


def _format_count_range(numbers: Sequence[int]) -> str:
    least, most = min(numbers), max(numbers)
    return f"{most:,}" if least == most else f"{least:,} to {most:,}"


def _find_largest_known(numbers: Iterable[int | None]) -> int | None:
    return max((number for number in numbers if number is not None), default=None)
