"""Accuracy tables: all sets against all models, each set by its coarsest tag and gold label, then by finer tags."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.exhibit import OVERVIEW, Exhibit
from rightreasons.core.labels import LABELS, TWO_LABELS
from rightreasons.reports.exhibits.published_comparison import make_slug
from rightreasons.reports.exhibits.seeds import ON_RELEASED, PUBLISHED, read_published_runs
from rightreasons.reports.score_cells import choose_main_tag
from rightreasons.runs.folder import list_tag_groupings
from rightreasons.scoring.accuracy import ALL, make_score_rows
from rightreasons.scoring.interval_notes import describe_intervals
from rightreasons.scoring.seeds import pool_run_scores
from rightreasons.scoring.sharing import find_sharing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rightreasons.core.exhibit import Format
    from rightreasons.runs.set_results import SetResults

SEVERAL_RUNS = (
    "Cells of several runs of one model show the mean, the range in brackets, and standard deviation (sd)."
)
ALL_PAIRS = "all pairs"
SINGLE_RUNS: Mapping[str, Sequence[str]] = MappingProxyType({})
_SHARE = {"type": "quantitative", "scale": {"domain": [0, 1]}, "title": "accuracy"}


@dataclass(frozen=True)
class ScoredSet:
    """The scores of all models on one set: a row per model, grouping (`by`), group and gold label."""

    name: str
    scores: pl.DataFrame
    baselines: frozenset[str]
    label_rule: str
    remarks: tuple[str, ...] = ()  # on that rule


def score_set(results: SetResults, scores: pl.DataFrame | None = None) -> ScoredSet:
    """Score the predictions of all models on one set by its standard tags, unless the scores are known."""
    if scores is None:
        shared = find_sharing(results.pairs)
        parts = [
            make_score_rows(results.pairs, predictions, by, shared).with_columns(
                model=pl.lit(model), by=pl.lit(",".join(by))
            )
            for model, predictions in results.predictions.items()
            for by in list_tag_groupings(results.pairs, ())
        ]
        scores = pl.concat(parts, how="diagonal_relaxed")
    baselines = frozenset(model.name for model in results.models if model.baseline)
    return ScoredSet(results.name, scores, baselines, results.label_rule, results.remarks)


def make_accuracy_tables(
    scored: ScoredSet, entries: Mapping[str, Sequence[str]] = SINGLE_RUNS
) -> list[Exhibit]:
    """Show the accuracy of every model on one set: by its coarsest tag and gold label, then by finer tags.

    Several runs of one model are one entry; each of them is shown in a table of its own.
    """
    tag = choose_main_tag(scored.scores)
    main = pl.concat([_select_grouping_scores(scored.scores, by) for by in ([[tag], []] if tag else [[]])])
    names = set(scored.scores["model"])
    runs = [name for each in entries.values() for name in each if len(each) > 1 and name in names]
    tables = [_make_main_table(scored, tag, pool_run_scores(main, entries))]
    if runs:
        each_run = pool_run_scores(main.filter(pl.col("model").is_in(runs)), {})
        tables.append(_make_main_table(scored, tag, each_run, each=True))
    finer = [by for by in scored.scores["by"].unique(maintain_order=True) if by and by != tag]
    return tables + [_make_breakdown_table(scored, by.split(","), entries) for by in finer]


def _select_grouping_scores(scores: pl.DataFrame, tags: Sequence[str]) -> pl.DataFrame:
    """Select the rows that were counted by some tags, with their group as `part`."""
    names = [pl.col(tag).cast(pl.String).fill_null("-") for tag in tags]
    part = pl.concat_str(names, separator=" / ") if tags else pl.lit(ALL_PAIRS)
    chosen = scores.filter(pl.col("by") == ",".join(tags))
    return chosen.select("model", part.alias("part"), "gold", *_COUNTS)


_COUNTS = ("n", "correct", "accuracy", "low", "high", "interval")


def _make_main_table(
    scored: ScoredSet, tag: str | None, scores: pl.DataFrame, *, each: bool = False
) -> Exhibit:
    """Show scores side by side: of all models, or of each run of the models that have several."""
    frame, names = _put_models_in_columns(_split_scores_by_model(scores), ["part"], ["gold", "n"])
    frame = frame.filter(_make_row_filter(frame))
    notes = describe_intervals(scores["interval"])
    if scores["runs"].max() != 1:
        frame, names = _add_published_runs(frame, names, tag)
        notes = (SEVERAL_RUNS, *notes, *((ON_RELEASED,) if PUBLISHED in names else ()))
    return Exhibit(
        f"{'runs' if each else OVERVIEW}-{make_slug(scored.name)}",
        f"{scored.name}: {'accuracy of each run' if each else 'accuracy'}",
        f"Accuracy by gold label. Labels: {scored.label_rule}.",
        frame.with_columns(row=pl.concat_str("part", pl.lit(", "), "gold")),
        {"part": "text", "gold": "text", "n": "count", **_choose_accuracy_formats(frame, names)},
        scored.name,
        _make_accuracy_chart(
            {name: column for name, column in names.items() if name not in scored.baselines}
        ),
        (*notes, *scored.remarks),
        {"part": tag or "part", "gold": "gold label", **_make_model_headings(names)},
    )


def _make_breakdown_table(
    scored: ScoredSet, tags: Sequence[str], entries: Mapping[str, Sequence[str]]
) -> Exhibit:
    """Show the accuracy by finer tags; a group with one gold label has one row."""
    scores = pool_run_scores(_select_grouping_scores(scored.scores, tags), entries)
    frame, names = _put_models_in_columns(_split_scores_by_model(scores), ["part"], ["gold", "n"])
    labels = pl.col("gold").filter(pl.col("gold") != ALL).n_unique().over("part")
    several = (SEVERAL_RUNS,) if scores["runs"].max() != 1 else ()
    return Exhibit(
        f"breakdown-{make_slug(scored.name)}-{make_slug('-'.join(tags))}",
        f"{scored.name}: accuracy by {' and '.join(tags)}",
        "Accuracy by gold label.",
        frame.filter((pl.col("gold") != ALL) | (labels != 1)),
        {"part": "text", "gold": "text", "n": "count", **_choose_accuracy_formats(frame, names)},
        scored.name,
        notes=(*several, *describe_intervals(scores["interval"])),
        headings={"part": " / ".join(tags), "gold": "gold label", **_make_model_headings(names)},
    )


def make_overview_tables(scores: Mapping[str, pl.DataFrame], models: Sequence[str]) -> list[Exhibit]:
    """Show the accuracy of some models on every set, if there are several sets.

    `scores` has the scores on each set, with several runs of one model in one row.
    """
    if len(scores) < 2:  # noqa: PLR2004 - one set has a table of its own
        return []
    rows = pl.concat(
        [_select_whole_set_scores(table, name) for name, table in scores.items()], how="vertical_relaxed"
    )
    by_model = _split_scores_by_model(rows)
    shown = {name: by_model[name] for name in models if name in by_model}
    frame, names = _put_models_in_columns(shown, ["set"], ["gold", "n"])
    order = {name: place for place, name in enumerate(scores)}
    frame = frame.sort(pl.col("set").replace_strict(order, return_dtype=pl.Int64), maintain_order=True)
    # Rounded half up as in the table, since a browser rounds binary fractions.
    frame = frame.with_columns(
        ((pl.col(column) * 100 + 0.5 + 1e-9).floor() / 100).alias(f"{column}_shown")
        for column in names.values()
    )
    formats: dict[str, Format] = {"set": "text", "gold": "text", "n": "count"}
    several = (SEVERAL_RUNS,) if rows["runs"].max() != 1 else ()
    return [
        Exhibit(
            OVERVIEW,
            "All sets",
            "Accuracy on all pairs of each set. Compare it with the gold labels of "
            "the set: if there is only one, a model that always predicts this label is correct on all pairs.",
            frame,
            formats | _choose_accuracy_formats(frame, names),
            chart=_make_overview_heat_map(names),
            notes=(*several, *describe_intervals(rows["interval"])),
            headings={"gold": "gold labels", **_make_model_headings(names)},
        )
    ]


def _split_scores_by_model(scores: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Split scores by model, in the order in which models occur."""
    models = scores["model"].unique(maintain_order=True)
    return {str(name): scores.filter(pl.col("model") == name).drop("model") for name in models}


def _put_models_in_columns(
    counts: Mapping[str, pl.DataFrame], keys: Sequence[str], shown: Sequence[str]
) -> tuple[pl.DataFrame, dict[str, str]]:
    """Put the scores of several models side by side; models get column names of our own."""
    names = {model: f"m{place}" for place, model in enumerate(counts)}
    on = [*keys, *shown]
    frame = pl.concat([rows.select(on) for rows in counts.values()]).unique(on, maintain_order=True)
    for rows, column in zip(counts.values(), names.values(), strict=True):
        taken = rows.select(*on, *_select_model_columns(column, several=rows["runs"].max() != 1))
        frame = frame.join(taken, on=on, how="left", nulls_equal=True, maintain_order="left")
    return frame, names


def _select_model_columns(column: str, *, several: bool) -> list[pl.Expr]:
    """Name the figures of a model: with its interval, or with range and standard deviation over its runs."""
    ends = ("least", "most") if several else ("low", "high")
    taken = {"accuracy": column, ends[0]: f"{column}_low", ends[1]: f"{column}_high"}
    taken |= {"sd": f"{column}_sd"} if several else {}
    return [pl.col(name).alias(shown) for name, shown in taken.items()]


def _choose_accuracy_formats(frame: pl.DataFrame, names: Mapping[str, str]) -> dict[str, Format]:
    shown = [name for column in names.values() for name in (column, f"{column}_sd") if name in frame.columns]
    return dict.fromkeys(shown, "share")


def _make_model_headings(names: Mapping[str, str]) -> dict[str, str]:
    headings = {column: name for name, column in names.items()}
    return headings | {f"{column}_sd": f"sd, {name}" for name, column in names.items()}


def _add_published_runs(
    frame: pl.DataFrame, names: dict[str, str], tag: str | None
) -> tuple[pl.DataFrame, dict[str, str]]:
    """Add what 100 published runs of one model have in the same cells, if they have any of them."""
    cells = (
        read_published_runs()
        .filter(pl.col("tag") == (tag or "-"))
        .rename({"value": "part", "mean": "accuracy"})
    )
    known = cells.select("part", "gold", *_select_model_columns("p", several=True))
    if known.join(frame, on=["part", "gold"]).is_empty():
        return frame, names
    whole = frame.join(known, on=["part", "gold"], how="left", maintain_order="left")
    return whole, {**names, PUBLISHED: "p"}


def _make_row_filter(frame: pl.DataFrame) -> pl.Expr:
    """Drop sums over labels if there is only one, and sums over two except for the whole set."""
    golds = set(frame["gold"]) - {ALL}
    if len(golds) == 1:
        return pl.col("gold") != ALL
    if golds == set(TWO_LABELS):
        return (pl.col("gold") != ALL) | (pl.col("part") == ALL_PAIRS)
    return pl.lit(value=True)


def _select_whole_set_scores(scores: pl.DataFrame, name: str) -> pl.DataFrame:
    """Take the accuracies on a whole set."""
    wholes = scores.filter(pl.col("by") == "")
    golds = [label for label in LABELS if label in set(wholes["gold"])]
    figures = ("n", "accuracy", "low", "high", "interval", "runs", "sd", "least", "most")
    return wholes.filter(pl.col("gold") == ALL).select(
        pl.lit(name).alias("set"), "model", pl.lit(", ".join(golds)).alias("gold"), *figures
    )


def _make_overview_heat_map(names: Mapping[str, str]) -> dict[str, Any]:
    """Draw a field for each set and model, the colour its accuracy; the column of each model is given."""
    sets = {"field": "set", "type": "nominal", "sort": None, "title": None}
    order = {"domain": list(names)}
    places = {
        column: {"x": {"datum": name, "type": "nominal", "scale": order, "title": None}, "y": sets}
        for name, column in names.items()
    }
    fields = [
        {
            "mark": {"type": "rect", "tooltip": True},
            "encoding": {**place, "color": {"field": column, **_SHARE}},
        }
        for column, place in places.items()
    ]
    figures = [
        {
            "mark": {"type": "text"},
            "encoding": {
                **place,
                "text": {"field": f"{column}_shown", "type": "quantitative", "format": ".2f"},
            },
        }
        for column, place in places.items()
    ]
    return {"layer": fields + figures}


def _make_accuracy_chart(names: Mapping[str, str]) -> dict[str, Any]:
    """Draw a point with its interval, or with its range over runs, for each part of the set and each model."""
    layers, order = [], {"domain": list(names)}
    for name, column in names.items():
        whose = {
            "y": {"field": "row", "type": "nominal", "sort": None, "title": None},
            "yOffset": {"datum": name, "type": "nominal", "scale": order},
            "color": {"datum": name, "type": "nominal", "scale": order, "title": "model"},
        }
        ends = {"x": {"field": f"{column}_low", **_SHARE}, "x2": {"field": f"{column}_high"}}
        layers += [
            {"mark": {"type": "rule"}, "encoding": whose | ends},
            {
                "mark": {"type": "point", "filled": True, "tooltip": True},
                "encoding": whose | {"x": {"field": column, **_SHARE}},
            },
        ]
    return {"layer": layers}
