"""What each stress test costs a model: accuracy and types of errors before and after the change of the pairs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.edits import EDIT_TAGS
from rightreasons.core.errors import InputError
from rightreasons.core.exhibit import Exhibit
from rightreasons.core.labels import NON_ENTAILMENT
from rightreasons.core.pairs import TEXTS
from rightreasons.io.polars_io import read_parquet, read_parquet_schema, scan_parquet
from rightreasons.scoring import confusions
from rightreasons.scoring.accuracy_drops import (
    AccuracyDrop,
    differ_in_label_count,
    find_joined_clusters,
    find_source_matches,
    is_scored_with_two_labels,
    join_with_sources,
    measure_accuracy_drop,
)
from rightreasons.scoring.cells import cast_to_text
from rightreasons.scoring.interval_notes import name_proportion_intervals, warn_of_narrow_intervals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rightreasons.core.exhibit import Format
    from rightreasons.runs.collection import RunCollection
    from rightreasons.runs.set_results import SetResults
    from rightreasons.scoring.proportion import Proportion

_TITLE = "Accuracy lost on each stress test"
MIN_PAIRS = 10  # pairs with their source: with fewer, there is no row
_BEFORE = "_before"
_CAPTION = (
    "Accuracy on the pairs of each stress test and on their unmodified sources ({sources}), and the difference in "
    "percentage points with its 95% confidence interval (paired; clustered by premise). Only pairs whose source was "
    "also predicted are counted; each has the same gold label as its source."
)
_BY_TWO = (
    "{whose}: one of the two sets has two labels, so both were scored with two labels, by the rule {rule}."
)
_OTHERS = (
    "{whose}: {n:,} pairs are excluded, because undoing their edit does not give the pair with their source_id in "
    "{source}. Evaluate both sets from the same corpus."
)
_BY_ID = "{whose}: the set does not record its edits, so pairs are matched with their sources by id alone."
_NO_SOURCE = (
    "The accuracy lost on these sets is unknown: fewer than {least} of their unmodified pairs were predicted. Evaluate "
    "again with stress/source as an additional set, from the same corpus and with the same size."
)
_NAMED = {"errors": "errors", "neutral": "false neutrals", "ec": "E->C", "nc": "N->C"}
_KIND_CAPTION = (
    "The same pairs before and after the change: the percentage of the errors that are false neutrals, and the number "
    "of pairs wrongly predicted as contradiction (E->C: entailed pairs, N->C: neutral pairs). Percentages have {}."
)


@dataclass
class _DropRows:
    """What is collected over the sets."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    errors: list[dict[str, Any]] = field(default_factory=list)
    shares: list[Proportion] = field(default_factory=list)  # of the errors
    sources: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)


def make_accuracy_drop_tables(gathered: RunCollection) -> list[Exhibit]:
    """Show the accuracy that each model loses on each stress test, if the run also has the unmodified pairs."""
    found, changed = _DropRows(), dict(find_edited_sets(gathered))
    for name, others in changed.items():
        after = gathered.load_set_results(name)
        for model, (source, before, rule) in find_source_predictions(
            gathered, after.requested_models, others
        ).items():
            edited = join_tags_with_predictions(after, model, *TAGS, "group", "subcase", *TEXTS, *EDIT_TAGS)
            # If one of the two sets has two labels, its rule applies to both.
            _add_drop_rows(
                found,
                (name, model, source),
                before,
                edited,
                after.rules[model] if is_scored_with_two_labels(edited) else rule,
            )
    if not found.rows:
        return [_make_missing_source_table(gathered, list(changed), found.notes)] if changed else []
    shown = [_make_drop_table(found)]
    return [*shown, _make_error_kind_table(found)] if found.errors else shown


def _add_drop_rows(
    found: _DropRows, where: tuple[str, str, str], before: pl.DataFrame, after: pl.DataFrame, rule: str
) -> None:
    """Add the rows of one model on one set, and notes on them."""
    name, model, source = where
    whose = f"{name}, {model}"
    try:
        both = join_with_sources(before, after, rule)
    except InputError as error:
        found.notes.append(f"{whose}: excluded, because one of the two sets has two labels. {error}")
        return
    same = find_source_matches(both)
    others = 0 if same is None else int((~same).sum())
    kept = both if same is None else both.filter(same)
    rows = list(_make_drop_rows(name, model, kept))
    found.rows += rows
    found.errors += list(_make_error_rows(found, name, model, kept))
    found.sources |= {source} if rows else set()
    applicable = {
        _BY_TWO: bool(rows) and differ_in_label_count(before, after),
        _BY_ID: bool(rows) and same is None,
        _OTHERS: others > 0,
    }
    found.notes += [
        note.format(whose=whose, rule=rule, n=others, source=source)
        for note, is_so in applicable.items()
        if is_so
    ]


def _make_drop_rows(name: str, model: str, both: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield a row for a set and, if it has several subcases, one for each."""
    parts = [("all", both)]
    if "subcase" in both.columns and both["subcase"].n_unique() > 1:
        parts += [(str(part), some) for (part,), some in both.group_by(["subcase"], maintain_order=True)]
    for part, some in parts:
        found = measure_accuracy_drop(some, find_joined_clusters(some))
        if found is not None and found.n >= MIN_PAIRS:
            shown = name if part == "all" else f"{name}: {part}"
            yield {"set": shown, "model": model, **_make_drop_columns(found)}


def _make_drop_columns(found: AccuracyDrop) -> dict[str, Any]:
    figures: dict[str, Any] = {"n": found.n, "sources": found.sources}
    figures |= {"cost": found.drop, "cost_low": found.low, "cost_high": found.high}
    for name in ("before", "after", "lost", "gained"):
        figures |= getattr(found, name).to_columns(name)
    return figures


def _make_error_rows(found: _DropRows, name: str, model: str, both: pl.DataFrame) -> Iterator[dict[str, Any]]:
    labels = pl.concat([both[column] for column in ("gold", "prediction", "prediction_before")])
    if both.height < MIN_PAIRS or NON_ENTAILMENT in labels:
        return
    row: dict[str, Any] = {"set": name, "model": model, "n": both.height}
    for when, end in (("before", _BEFORE), ("after", "")):
        predictions = both.select(gold=f"gold{end}", prediction=f"prediction{end}")
        counts = confusions.count_confusions(predictions)
        neutral = confusions.compute_error_kind_proportion(
            predictions, confusions.FALSE_NEUTRAL, find_joined_clusters(both)
        )
        found.shares.append(neutral)
        row |= {f"errors_{when}": confusions.count_errors(counts), **neutral.to_columns(f"neutral_{when}")}
        row |= {
            f"ec_{when}": confusions.count_errors_of_kind(counts, confusions.E_AS_C),
            f"nc_{when}": confusions.count_errors_of_kind(counts, confusions.N_AS_C),
        }
    yield row


def _make_missing_source_table(gathered: RunCollection, names: list[str], notes: list[str]) -> Exhibit:
    """Explain in place of the costs why there are none, and what to do."""
    rows = [{"set": name, "n": gathered.locate_set(name).card["rows"]} for name in names]
    return Exhibit(
        "costs",
        _TITLE,
        _NO_SOURCE.format(least=MIN_PAIRS),
        pl.DataFrame(rows),
        {"set": "text", "n": "count"},
        notes=tuple(notes),
    )


def _make_drop_table(found: _DropRows) -> Exhibit:
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
        chart=_make_drop_chart(),
        notes=tuple(found.notes),
        headings={
            "cost": "accuracy lost (points)",
            "lost": "correct before, wrong after",
            "gained": "wrong before, correct after",
        },
    )


def _make_error_kind_table(found: _DropRows) -> Exhibit:
    whens = ("before", "after")
    named = {f"{kind}_{when}": f"{text} {when}" for kind, text in _NAMED.items() for when in whens}
    formats: dict[str, Format] = {"set": "text", "model": "text", "n": "count"}
    formats |= {name: "percent" if name.startswith("neutral") else "count" for name in named}
    return Exhibit(
        "costs-kinds",
        "Types of errors before and after each stress test",
        _KIND_CAPTION.format(name_proportion_intervals(found.shares)),
        pl.DataFrame(found.errors, infer_schema_length=None),
        formats,
        notes=warn_of_narrow_intervals(found.shares),
        headings=named,
    )


def _make_drop_chart() -> dict[str, Any]:
    """Draw the accuracy lost with its interval, a row for each set."""
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


def find_source_predictions(
    gathered: RunCollection, models: list[str], others: list[str]
) -> dict[str, tuple[str, pl.DataFrame, str]]:
    """Find for each model the first of some sets that it was run on, with its predictions and their label rule.

    Not every run has each set.
    """
    asked = {place.name: {model.name for model, _, _ in place.models} for place in gathered.sets}
    found: dict[str, tuple[str, pl.DataFrame, str]] = {}
    for other in others:
        if asked[other] & (set(models) - set(found)):
            before = gathered.load_set_results(other)
            new = [model for model in models if model in before.predictions and model not in found]
            found |= {
                model: (other, join_tags_with_predictions(before, model, "id", *TEXTS), before.rules[model])
                for model in new
            }
    return {model: found[model] for model in models if model in found}


def find_edited_sets(gathered: RunCollection) -> Iterator[tuple[str, list[str]]]:
    """Find the sets whose pairs were made from others without changing the label, each with the sets of their sources.

    The set with most of the sources comes first.
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


def join_tags_with_predictions(results: SetResults, model: str, *tags: str) -> pl.DataFrame:
    """Join a model's predictions with some columns of the pairs, if the set has them."""
    pairs = pl.DataFrame(
        [_convert_tag_to_text(results.pairs[name]) for name in tags if name in results.pairs.columns]
    )
    predictions = results.predictions[model].drop("id", strict=False)
    return pl.concat([pairs, predictions], how="horizontal")


def _convert_tag_to_text(column: pl.Series) -> pl.Series:
    """Convert a tag to text, except for the position of an edit, which is a number."""
    return column if column.name == "edit_at" else cast_to_text(column)
