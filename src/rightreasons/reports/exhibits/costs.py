"""What each stress test costs a model: accuracy and kinds of error before and after the change of the pairs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.edits import EDIT
from rightreasons.core.errors import InputError
from rightreasons.core.labels import NON_ENTAILMENT
from rightreasons.core.pairs import TEXTS
from rightreasons.io.polars_io import read_parquet, read_parquet_schema, scan_parquet
from rightreasons.reports.exhibits.exhibit import Exhibit, intervals_of, remark_on
from rightreasons.scoring import confusions
from rightreasons.scoring.cells import cast_to_text
from rightreasons.scoring.costs import (
    Cost,
    differ_in_labels,
    find_clusters,
    has_two_golds,
    join_sources,
    matches_source,
    measure_cost,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rightreasons.reports.exhibits.exhibit import Format
    from rightreasons.runs.collection import RunCollection
    from rightreasons.runs.results import SetResults
    from rightreasons.scoring.proportion import Proportion

_TITLE = "What each stress test costs"
LEAST = 10  # pairs with their source: of fewer, no row is made
_ASIDE = "_before"
_CAPTION = (
    "Pairs that a stress test changed, against the same pairs as they were ({sources}): the accuracy on both, and the "
    "points lost, with the 95% confidence interval of a paired difference; a premise with all that was made of it is a "
    "cluster. Only changed pairs whose "
    "source was answered too count; none has another label than its source."
)
_BY_TWO = "{whose}: one of the two sets was compared by two labels, so both are here, by the rule {rule}."
_OTHERS = (
    "{whose}: left out are {n:,} pairs whose source_id is that of another text in {source}: undoing their edit doesn't "
    "give it. Evaluate both sets from the same corpus."
)
_BY_ID = "{whose}: the set doesn't tell what was edited, so its pairs and their sources are matched by their ids alone."
_NO_SOURCE = (
    "What these sets cost can't be told: of the pairs as they were before the change, fewer than {least} were asked "
    "about. Evaluate with stress/source among the sets, from the same corpus and of the same size."
)
_NAMED = {"errors": "errors", "neutral": "false neutrals", "ec": "E->C", "nc": "N->C"}
_KIND_CAPTION = (
    "The same pairs before and after: the share of the errors that are false neutrals, and how many pairs are wrongly "
    "called contradiction (E->C: entailed ones, N->C: neutral ones). Shares have {}."
)


@dataclass
class _CostRows:
    """What is gathered from set to set."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    errors: list[dict[str, Any]] = field(default_factory=list)
    shares: list[Proportion] = field(default_factory=list)  # of the errors
    sources: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)


def cost_tables(gathered: RunCollection) -> list[Exhibit]:
    """Show what each changed set costs each model where the run has the pairs before the change, too."""
    found, changed = _CostRows(), dict(find_changed_sets(gathered))
    for name, others in changed.items():
        after = gathered.results(name)
        for model, (source, before, rule) in find_sources(gathered, after.requested, others).items():
            made = join_predictions(after, model, *TAGS, "group", "subcase", *TEXTS, *EDIT)
            # Where one of the two sets has two labels, its rule is that of both.
            _add_model(
                found,
                (name, model, source),
                before,
                made,
                after.rules[model] if has_two_golds(made) else rule,
            )
    if not found.rows:
        return [_missing_source_table(gathered, list(changed), found.notes)] if changed else []
    shown = [_cost_table(found)]
    return [*shown, _kind_table(found)] if found.errors else shown


def _add_model(
    found: _CostRows, where: tuple[str, str, str], before: pl.DataFrame, after: pl.DataFrame, rule: str
) -> None:
    """Add the rows of one model on one set, and what is to be said of them."""
    name, model, source = where
    whose = f"{name}, {model}"
    try:
        both = join_sources(before, after, rule)
    except InputError as error:
        found.notes.append(
            f"{whose}: left out, since one of the two sets was compared by two labels. {error}"
        )
        return
    same = matches_source(both)
    others = 0 if same is None else int((~same).sum())
    kept = both if same is None else both.filter(same)
    made = list(_cost_rows(name, model, kept))
    found.rows += made
    found.errors += list(_error_rows(found, name, model, kept))
    found.sources |= {source} if made else set()
    told = {
        _BY_TWO: bool(made) and differ_in_labels(before, after),
        _BY_ID: bool(made) and same is None,
        _OTHERS: others > 0,
    }
    found.notes += [
        note.format(whose=whose, rule=rule, n=others, source=source) for note, is_so in told.items() if is_so
    ]


def _cost_rows(name: str, model: str, both: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """Give a row for a set and, where it has several subcases, one for each."""
    parts = [("all", both)]
    if "subcase" in both.columns and both["subcase"].n_unique() > 1:
        parts += [(str(part), some) for (part,), some in both.group_by(["subcase"], maintain_order=True)]
    for part, some in parts:
        found = measure_cost(some, find_clusters(some))
        if found is not None and found.n >= LEAST:
            shown = name if part == "all" else f"{name}: {part}"
            yield {"set": shown, "model": model, **_cost_figures(found)}


def _cost_figures(found: Cost) -> dict[str, Any]:
    figures: dict[str, Any] = {"n": found.n, "sources": found.sources}
    figures |= {"cost": found.cost, "cost_low": found.low, "cost_high": found.high}
    for name in ("before", "after", "lost", "gained"):
        figures |= getattr(found, name).columns(name)
    return figures


def _error_rows(found: _CostRows, name: str, model: str, both: pl.DataFrame) -> Iterator[dict[str, Any]]:
    said = pl.concat([both[column] for column in ("gold", "prediction", "prediction_before")])
    if both.height < LEAST or NON_ENTAILMENT in said:
        return
    row: dict[str, Any] = {"set": name, "model": model, "n": both.height}
    for when, end in (("before", _ASIDE), ("after", "")):
        answers = both.select(gold=f"gold{end}", prediction=f"prediction{end}")
        counts = confusions.count_confusions(answers)
        neutral = confusions.error_kind_proportion(answers, confusions.FALSE_NEUTRAL, find_clusters(both))
        found.shares.append(neutral)
        row |= {f"errors_{when}": confusions.count_errors(counts), **neutral.columns(f"neutral_{when}")}
        row |= {
            f"ec_{when}": confusions.count_error_kind(counts, confusions.E_AS_C),
            f"nc_{when}": confusions.count_error_kind(counts, confusions.N_AS_C),
        }
    yield row


def _missing_source_table(gathered: RunCollection, names: list[str], notes: list[str]) -> Exhibit:
    """Say where the costs would be why there are none, and what to do."""
    rows = [{"set": name, "n": gathered.place(name).card["rows"]} for name in names]
    return Exhibit(
        "costs",
        _TITLE,
        _NO_SOURCE.format(least=LEAST),
        pl.DataFrame(rows),
        {"set": "text", "n": "count"},
        notes=tuple(notes),
    )


def _cost_table(found: _CostRows) -> Exhibit:
    return Exhibit(
        "costs",
        _TITLE,
        _CAPTION.format(sources=", ".join(sorted(found.sources))),
        pl.DataFrame(found.rows, infer_schema_length=None),
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
        chart=_cost_chart(),
        notes=tuple(found.notes),
        headings={
            "cost": "points lost",
            "lost": "right before, wrong after",
            "gained": "wrong before, right after",
        },
    )


def _kind_table(found: _CostRows) -> Exhibit:
    whens = ("before", "after")
    named = {f"{kind}_{when}": f"{text} {when}" for kind, text in _NAMED.items() for when in whens}
    formats: dict[str, Format] = {"set": "text", "model": "text", "n": "count"}
    formats |= {name: "percent" if name.startswith("neutral") else "count" for name in named}
    return Exhibit(
        "costs-kinds",
        "What each stress test does to the kinds of error",
        _KIND_CAPTION.format(intervals_of(found.shares)),
        pl.DataFrame(found.errors, infer_schema_length=None),
        formats,
        notes=remark_on(found.shares),
        headings=named,
    )


def _cost_chart() -> dict[str, Any]:
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


TAGS = ("source_id", "source_label")


def find_sources(
    gathered: RunCollection, models: list[str], others: list[str]
) -> dict[str, tuple[str, pl.DataFrame, str]]:
    """Find for each model the first of some sets that it answered, with its answers and the rule of their labels.

    Not every run has each set.
    """
    asked = {place.name: {model.name for model, _, _ in place.models} for place in gathered.sets}
    found: dict[str, tuple[str, pl.DataFrame, str]] = {}
    for other in others:
        if asked[other] & (set(models) - set(found)):
            before = gathered.results(other)
            new = [model for model in models if model in before.predictions and model not in found]
            found |= {
                model: (other, join_predictions(before, model, "id", *TEXTS), before.rules[model])
                for model in new
            }
    return {model: found[model] for model in models if model in found}


def find_changed_sets(gathered: RunCollection) -> Iterator[tuple[str, list[str]]]:
    """Find the sets whose pairs were made from others and kept the label, each with the sets that have those.

    The set that has most of them comes first.
    """
    places = {place.name: place.file for place in gathered.sets}
    ids = {name: scan_parquet(file).select("id") for name, file in places.items()}
    for name, file in places.items():
        if not set(TAGS) <= set(read_parquet_schema(file)):
            continue
        pairs = read_parquet(file, columns=["id", "label", *TAGS])
        pairs = pairs.with_columns(cast_to_text(pairs[name]) for name in TAGS)  # numbers, where ids are
        kept = pairs["label"].eq_missing(pairs["source_label"]).all()
        if not kept or (pairs["id"] == pairs["source_id"]).any():
            continue
        wanted = pairs.lazy().select(id="source_id").unique()
        there = {
            other: wanted.join(known, on="id", how="semi").collect().height for other, known in ids.items()
        }
        yield name, sorted((other for other, n in there.items() if n), key=lambda other: -there[other])


def join_predictions(results: SetResults, model: str, *tags: str) -> pl.DataFrame:
    """Put a model's answers beside some columns of the pairs, as far as the set has them."""
    pairs = pl.DataFrame([_tag_text(results.pairs[name]) for name in tags if name in results.pairs.columns])
    answers = results.predictions[model].drop("id", strict=False)
    return pl.concat([pairs, answers], how="horizontal")


def _tag_text(column: pl.Series) -> pl.Series:
    """Make texts of all but the place of an edit, which is a number."""
    return column if column.name == "edit_at" else cast_to_text(column)
