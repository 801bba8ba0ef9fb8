"""Several runs of one model as one entry, next to 100 published runs of BERT if these have the same cells."""

from __future__ import annotations

import json
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.core.exhibit import Exhibit
from rightreasons.io.polars_io import read_csv
from rightreasons.reports.exhibits.published_comparison import make_slug
from rightreasons.reports.published import FOLDER
from rightreasons.scoring.accuracy import ALL, make_score_rows
from rightreasons.scoring.cells import choose_coarse_tag
from rightreasons.scoring.seeds import (
    SPREAD_COLUMNS,
    ModelIdentity,
    group_runs_by_model,
    summarise_run_scores,
)
from rightreasons.scoring.sharing import find_sharing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rightreasons.core.exhibit import Format
    from rightreasons.runs.collection import RunCollection
    from rightreasons.runs.set_results import SetResults

PUBLISHED = "BERT, 100 runs (McCoy, Min & Linzen 2020)"
CAPTION = (
    "Runs of one model that differ in their seed or training: mean, standard deviation and range of their accuracies. "
    "They show how much another run may differ, which the confidence interval of a single run does not."
)
ON_RELEASED = "The published runs used the 30,000 released pairs of HANS."
SPREAD_NOTE = (
    "Two runs of one model can differ as much as two models: 100 fine-tunings of BERT that differ in their seed alone "
    "are correct on {least} to {most} of the non-entailed {where} pairs of HANS (McCoy, Min & Linzen 2020)."
)
_KEYS = ("tag", "value", "gold")


def group_runs_into_entries(
    gathered: RunCollection, patterns: Mapping[str, str] = MappingProxyType({})
) -> dict[str, list[str]]:
    """Group the models of a report by entry; the name of an entry with several runs includes their number."""
    asked = [
        ModelIdentity(model.name, str(model.card["name"]), _identify_weights(model.card))
        for model in gathered.models
        if not model.baseline
    ]
    found = [
        (f"{name} ({len(of)} runs)" if len(of) > 1 else name, of)
        for name, of in group_runs_by_model(asked, patterns).items()
    ]
    names = [*(name for name, _ in found), *{model.name for model in gathered.models}]
    twice = [name for name, of in found if names.count(name) > 1 + (name in of)]
    if twice:
        raise InputError(
            f"The name {twice[0]!r} of several runs is also the name of a model. Choose another name with --seeds "
            "NAME=PATTERN."
        )
    return dict(found)


def describe_pooled_runs(found: Mapping[str, Sequence[str]], patterns: Mapping[str, str]) -> list[str]:
    """Name the models that are treated as runs of one because they have the same name, and how to separate them."""
    return [
        f"{', '.join(names)} have the same name and different weights or predictions, so they are treated as runs of "
        f"one model. To show {names[0]} separately, use --seeds NAME={names[0]!r}."
        for entry, names in found.items()
        if len(names) > 1 and entry.rpartition(" (")[0] not in patterns
    ]


def make_seed_tables(gathered: RunCollection, found: Mapping[str, Sequence[str]]) -> list[Exhibit]:
    """Show the models with several runs, set by set."""
    several = {entry: names for entry, names in found.items() if len(names) > 1}
    tables = (
        [_make_seed_table(gathered.load_set_results(name), several) for name in gathered.set_names]
        if several
        else []
    )
    return [table for table in tables if table is not None]


@lru_cache(maxsize=1)
def read_published_runs() -> pl.DataFrame:
    """Read the accuracies of 100 runs of BERT in each cell of HANS: tag, value, gold label, and their spread."""
    return read_csv(FOLDER / "hans_100_runs.csv").with_columns(pl.col("tag", "value").fill_null(""))


def note_seed_spread(pairs: pl.DataFrame) -> tuple[str, ...]:
    """Warn for HANS that two runs of one model may differ as much as two models."""
    known = read_published_runs().filter((pl.col("tag") == "heuristic") & (pl.col("gold") != "entailment"))
    # The tags of a user's file may be of any type.
    has = pairs["heuristic"].unique().to_list() if "heuristic" in pairs.columns else []
    known = known.filter(pl.col("value").is_in([value for value in has if isinstance(value, str)]))
    if known.is_empty():
        return ()
    widest = known.sort(pl.col("most") - pl.col("least"), descending=True).row(0, named=True)
    ends = {end: f"{100 * widest[end]:.0f}%" for end in ("least", "most")}
    return (SPREAD_NOTE.format(where=widest["value"].replace("_", " "), **ends),)


def _identify_weights(card: Mapping[str, Any]) -> str:
    """Identify weights or predictions by what the card knows of them, to separate models of the same name."""
    return json.dumps([card.get("fingerprint"), card.get("sources")], sort_keys=True, default=str)


def _make_seed_table(results: SetResults, several: Mapping[str, Sequence[str]]) -> Exhibit | None:
    found = {
        entry: known
        for entry, names in several.items()
        if len(known := [name for name in names if name in results.predictions]) > 1
    }
    if not found:
        return None
    shared, tag = find_sharing(results.pairs), choose_coarse_tag(results.pairs)
    parts = [
        summarise_run_scores([_score_run(results, name, tag, shared) for name in names]).select(
            pl.lit(entry).alias("model"), pl.all()
        )
        for entry, names in found.items()
    ]
    ours = pl.concat(parts)
    beside = _select_published_cells(ours)
    frame = pl.concat([ours, beside], how="diagonal_relaxed").with_columns(part=_make_cell_label())
    formats: dict[str, Format] = {
        "value": "text",
        "gold": "text",
        "model": "text",
        "runs": "count",
        "n": "count",
        "mean": "share",
        "sd": "share",
        "least": "share",
        "most": "share",
    }
    return Exhibit(
        f"seeds-{make_slug(results.name)}",
        f"{results.name}: variation between runs",
        CAPTION,
        _sort_by_cell(frame, ours),
        formats,
        results.name,
        _make_seed_chart(),
        (ON_RELEASED,) if beside.height else (),
        {"value": tag or "part", "gold": "gold label", "sd": "standard deviation"},
    )


def _score_run(results: SetResults, model: str, tag: str | None, shared: Any) -> pl.DataFrame:
    """Score one run by the coarsest tag, and on all pairs."""
    predictions = results.predictions[model]
    rows = [
        make_score_rows(results.pairs, predictions, by, shared).select(
            pl.lit(by[0] if by else "").alias("tag"),
            (pl.col(by[0]).cast(pl.String) if by else pl.lit("")).alias("value"),
            *("gold", "n", "accuracy"),
        )
        for by in ([(tag,), ()] if tag else [()])
    ]
    table = pl.concat(rows)
    one_label = set(table["gold"]) - {ALL}
    return table.filter(pl.col("gold") == ALL) if len(one_label) == 1 else table


def _select_published_cells(ours: pl.DataFrame) -> pl.DataFrame:
    """Select the published cells that we have, too: those of a heuristic or a subcase, not of a whole set."""
    known = read_published_runs().filter(pl.col("tag") != "")
    cells = ours.select(_KEYS).unique()
    matched = known.join(cells, on=_KEYS, how="semi").with_columns(model=pl.lit(PUBLISHED))
    return matched.select("model", *_KEYS, *(name for name in SPREAD_COLUMNS if name != "n"))


def _sort_by_cell(frame: pl.DataFrame, ours: pl.DataFrame) -> pl.DataFrame:
    """Sort rows by cell, in the order of our cells."""
    order = ours.select(_KEYS).unique(maintain_order=True).with_row_index("_place")
    return frame.join(order, on=_KEYS, nulls_equal=True).sort("_place", maintain_order=True).drop("_place")


def _make_cell_label() -> pl.Expr:
    group = pl.when(pl.col("tag") == "").then(pl.lit("all pairs")).otherwise("value")
    return pl.concat_str(group.fill_null("-"), pl.lit(", "), pl.col("gold"))


def _make_seed_chart() -> dict[str, Any]:
    """Draw mean and range of each model for each cell."""
    share = {"type": "quantitative", "scale": {"domain": [0, 1]}, "title": "accuracy"}
    return {
        "encoding": {
            "y": {"field": "part", "type": "nominal", "sort": None, "title": None},
            "yOffset": {"field": "model", "type": "nominal", "sort": None},
            "color": {"field": "model", "type": "nominal", "sort": None, "title": "model"},
        },
        "layer": [
            {
                "mark": {"type": "rule"},
                "encoding": {"x": {"field": "least", **share}, "x2": {"field": "most"}},
            },
            {
                "mark": {"type": "point", "filled": True, "tooltip": True},
                "encoding": {"x": {"field": "mean", **share}},
            },
        ],
    }
