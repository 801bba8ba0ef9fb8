"""What each change of the pairs costs a model, and what it does to the kinds of error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.labels import NON_ENTAILMENT
from rightreasons.reports.exhibits.exhibit import Exhibit
from rightreasons.scoring import kinds
from rightreasons.scoring.costs import Cost, cost, joined, merged_apart

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
_BY_TWO = "{set}, {model}: one of the two sets was compared by two labels, so both are here."
_NAMED = {"errors": "errors", "neutral": "false neutrals", "ec": "E->C", "nc": "N->C"}
_KINDS = (
    "The same pairs before and after: the share of the errors that are false neutrals, with 95% Wilson intervals, and "
    "how many pairs are wrongly called contradiction (E->C: entailed ones, N->C: neutral ones)."
)


def across(gathered: Gathered) -> list[Exhibit]:
    """Show what each changed set costs each model where the run has the pairs before the change, too."""
    rows: list[dict[str, Any]] = []
    errors: list[dict[str, Any]] = []
    sources: set[str] = set()
    notes: list[str] = []
    for name, others in _changed(gathered):
        after = gathered.results(name)
        for model, (source, before) in _sources(gathered, after.asked, others).items():
            answered = _answered(after, model, *_TAGS, "subcase")
            both = joined(before, answered)
            made = list(_rows(name, model, both))
            if made:
                rows += made
                sources.add(source)
                notes += [_BY_TWO.format(set=name, model=model)] if merged_apart(before, answered) else []
            errors += list(_errors(name, model, both))
    shown = [_exhibit(rows, sorted(sources), notes)] if rows else []
    return [*shown, _kinds(errors)] if errors else shown


def _sources(gathered: Gathered, models: list[str], others: list[str]) -> dict[str, tuple[str, pl.DataFrame]]:
    """Find for each model the first of some sets that it answered, with its answers; not every run has each set."""
    answered = {place.name: {model.name for model, _, _ in place.models} for place in gathered.sets}
    found: dict[str, tuple[str, pl.DataFrame]] = {}
    for other in others:
        if answered[other] & (set(models) - set(found)):
            before = gathered.results(other)
            new = [model for model in models if model in before.answers and model not in found]
            found |= {model: (other, _answered(before, model, "id", "premise")) for model in new}
    return {model: found[model] for model in models if model in found}


def _changed(gathered: Gathered) -> Iterator[tuple[str, list[str]]]:
    """Find the sets whose pairs were made from others and kept the label, each with the sets that have those.

    The set that has most of them comes first.
    """
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
        yield name, sorted((other for other, n in there.items() if n), key=lambda other: -there[other])


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
    said = pl.concat([both[column] for column in ("gold", "answer", "answer_before")])
    if both.height < LEAST or NON_ENTAILMENT in said:
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


def _exhibit(rows: list[dict[str, Any]], sources: list[str], notes: list[str]) -> Exhibit:
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
        notes=tuple(notes),
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
