"""Sets whose pairs were made from others, and where those are: what is answered before a change, and after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.pairs import TEXTS
from rightreasons.io.polars_io import read_parquet, read_parquet_schema, scan_parquet
from rightreasons.scoring.cells import cast_to_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rightreasons.runs.collection import RunCollection
    from rightreasons.runs.results import SetResults

TAGS = ("source_id", "source_label")


def sources_of(
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
                model: (other, answered(before, model, "id", *TEXTS), before.rules[model]) for model in new
            }
    return {model: found[model] for model in models if model in found}


def changed_sets(gathered: RunCollection) -> Iterator[tuple[str, list[str]]]:
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


def answered(results: SetResults, model: str, *tags: str) -> pl.DataFrame:
    """Put a model's answers beside some columns of the pairs, as far as the set has them."""
    pairs = pl.DataFrame([_tag(results.pairs[name]) for name in tags if name in results.pairs.columns])
    answers = results.predictions[model].drop("id", strict=False)
    return pl.concat([pairs, answers], how="horizontal")


def _tag(column: pl.Series) -> pl.Series:
    """Make texts of all but the place of an edit, which is a number."""
    return column if column.name == "edit_at" else cast_to_text(column)
