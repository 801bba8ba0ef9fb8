"""What each change of the pairs costs a model, and what it does to the kinds of error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.labels import THREE
from rightreasons.reports.exhibits.exhibit import Exhibit
from rightreasons.scoring import kinds
from rightreasons.scoring.costs import Cost, cost, joined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rightreasons.gathering import Gathered, SetResults
    from rightreasons.reports.exhibits.exhibit import Format

LEAST = 10  # pairs with their source: of fewer, no row is made
_TAGS = ("source_id", "source_label")
_ASIDE = "_before"
_CAPTION = (
    "Pairs that a stress test changed, against the same pairs as they were ({sources}): the accuracy on both, and the "
    "points lost, with a 95% interval over draws of premises with all that was made of them. Only changed pairs whose "
    "source was answered too count; none has another label than its source."
)
_NAMED = {"errors": "errors", "neutral": "false neutrals", "ec": "E->C", "nc": "N->C"}
_KINDS = (
    "The same pairs before and after: the share of the errors that are false neutrals, with 95% Wilson intervals, and "
    "how many pairs are wrongly called contradiction (E->C: entailed ones, N->C: neutral ones)."
)


def across(gathered: Gathered) -> list[Exhibit]:
    """Show what each changed set costs each model where the run has the pairs before the change, too."""
    rows: list[dict[str, Any]] = []
    errors: list[dict[str, Any]] = []
    sources = set()
    for name, source in _changed(gathered):
        after, before = gathered.results(name), gathered.results(source)
        sources.add(source)
        for model in after.asked:
            if model in before.answers:
                both = joined(
                    _answered(before, model, "id", "premise"), _answered(after, model, *_TAGS, "subcase")
                )
                rows += list(_rows(name, model, both))
                errors += list(_errors(name, model, both))
    made = [_exhibit(rows, sorted(sources))] if rows else []
    return [*made, _kinds(errors)] if errors else made


def _changed(gathered: Gathered) -> Iterator[tuple[str, str]]:
    """Find the sets whose pairs were made from others and kept the label, each with the set that has most of those."""
    places = {place.name: place.file for place in gathered.sets}
    ids = {name: pl.scan_parquet(file, glob=False).select("id") for name, file in places.items()}
    for name, file in places.items():
        if not set(_TAGS) <= set(pl.read_parquet_schema(file)):
            continue
        pairs = pl.read_parquet(file, columns=["id", "label", *_TAGS], glob=False)
        if not (pairs["label"] == pairs["source_label"]).all() or (pairs["id"] == pairs["source_id"]).any():
            continue
        wanted = pairs.lazy().select(id="source_id").unique()
        there = {
            other: wanted.join(known, on="id", how="semi").collect().height for other, known in ids.items()
        }
        best = max(there, key=lambda other: there[other])
        if there[best]:
            yield name, best


def _answered(results: SetResults, model: str, *tags: str) -> pl.DataFrame:
    pairs = results.pairs.select(name for name in tags if name in results.pairs.columns)
    return pl.concat([pairs, results.answers[model].select("gold", "answer", "right")], how="horizontal")


def _rows(name: str, model: str, both: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """Give a row for a set and, where it has several subcases, one for each."""
    parts = [("all", both)]
    if "subcase" in both.columns and both["subcase"].n_unique() > 1:
        parts += [(str(part), some) for (part,), some in both.group_by(["subcase"], maintain_order=True)]
    for part, some in parts:
        found = cost(some, some["premise_before"])
        if found is not None and found.n >= LEAST:
            shown = name if part == "all" else f"{name}: {part}"
            yield {"set": shown, "model": model, **_figures(found)}


def _figures(found: Cost) -> dict[str, Any]:
    figures: dict[str, Any] = {"n": found.n, "sources": found.sources}
    figures |= {"cost": found.cost, "cost_low": found.low, "cost_high": found.high}
    for name in ("before", "after", "lost", "gained"):
        figures |= getattr(found, name).columns(name)
    return figures


def _errors(name: str, model: str, both: pl.DataFrame) -> Iterator[dict[str, Any]]:
    if both.height < LEAST or not set(both["gold"].unique()) <= set(THREE):
        return
    row: dict[str, Any] = {"set": name, "model": model, "n": both.height}
    for when, end in (("before", _ASIDE), ("after", "")):
        counts = kinds.confusions(both.select(gold=f"gold{end}", answer=f"answer{end}"))
        row |= {f"errors_{when}": kinds.errors(counts)}
        row |= kinds.portion_of(counts, kinds.FALSE_NEUTRAL).columns(f"neutral_{when}")
        row |= {
            f"ec_{when}": kinds.count_of(counts, kinds.E_AS_C),
            f"nc_{when}": kinds.count_of(counts, kinds.N_AS_C),
        }
    yield row


def _exhibit(rows: list[dict[str, Any]], sources: list[str]) -> Exhibit:
    return Exhibit(
        "costs",
        "What each stress test costs",
        _CAPTION.format(sources=", ".join(sources)),
        pl.DataFrame(rows, infer_schema_length=None),
        {
            "set": "text",
            "model": "text",
            "n": "count",
            "before": "share",
            "after": "share",
            "cost": "points",
            "lost": "percent",
            "gained": "percent",
        },
        chart=_chart(),
        headings={
            "cost": "points lost",
            "lost": "right before, wrong after",
            "gained": "wrong before, right after",
        },
    )


def _kinds(rows: list[dict[str, Any]]) -> Exhibit:
    whens = ("before", "after")
    named = {f"{kind}_{when}": f"{text} {when}" for kind, text in _NAMED.items() for when in whens}
    formats: dict[str, Format] = {"set": "text", "model": "text", "n": "count"}
    formats |= {name: "percent" if name.startswith("neutral") else "count" for name in named}
    return Exhibit(
        "costs-kinds",
        "What each stress test does to the kinds of error",
        _KINDS,
        pl.DataFrame(rows, infer_schema_length=None),
        formats,
        headings=named,
    )


def _chart() -> dict[str, Any]:
    """Draw the points lost with their interval, a row for each set."""
    points = {"type": "quantitative", "axis": {"format": "+.0%"}}
    return {
        "encoding": {
            "y": {"field": "set", "type": "nominal", "sort": None, "title": None},
            "yOffset": {"field": "model", "type": "nominal", "sort": None},
            "color": {"field": "model", "type": "nominal", "sort": None, "title": "model"},
        },
        "layer": [
            {
                "mark": {"type": "rule"},
                "encoding": {
                    "x": {"field": "cost_low", "title": "accuracy lost", **points},
                    "x2": {"field": "cost_high"},
                },
            },
            {
                "mark": {"type": "point", "filled": True, "tooltip": True},
                "encoding": {"x": {"field": "cost", **points}},
            },
        ],
    }
