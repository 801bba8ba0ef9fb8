"""How often each model is right: sets against models, and by the coarsest tag and true label of a set."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.labels import LABELS, TWO
from rightreasons.reports.exhibits.accuracy_charts import heat_map, points
from rightreasons.reports.exhibits.exhibit import Exhibit
from rightreasons.reports.exhibits.intervals import intervals_note
from rightreasons.reports.exhibits.published_comparison import slug
from rightreasons.reports.exhibits.seeds import ON_RELEASED, PUBLISHED, published
from rightreasons.scoring.accuracy import ALL, count_correct
from rightreasons.scoring.cells import choose_coarse_tag
from rightreasons.scoring.seeds import pool_seeds
from rightreasons.scoring.sharing import find_sharing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rightreasons.reports.exhibits.exhibit import Format
    from rightreasons.runs.results import SetResults

SEVERAL = (
    "Of a model with several runs there are the mean, in brackets the range over its runs, and the standard deviation "
    "(sd) between them."
)
WHOLE = "all pairs"
ALONE: Mapping[str, Sequence[str]] = MappingProxyType({})


def exhibits(results: SetResults, entries: Mapping[str, Sequence[str]] = ALONE) -> list[Exhibit]:
    """Show the accuracy of every model on one set, by its coarsest tag and true label, then on all of it.

    Several runs of one model are one entry, and have a table of their own with each run.
    """
    tag = choose_coarse_tag(results.pairs)
    scores = _by_part(results, tag)
    runs = [
        name for names in entries.values() for name in names if len(names) > 1 and name in results.predictions
    ]
    made = [_exhibit(results, tag, pool_seeds(scores, entries))]
    if runs:
        made.append(
            _exhibit(results, tag, pool_seeds(scores.filter(pl.col("model").is_in(runs)), {}), each=True)
        )
    return made


def _exhibit(results: SetResults, tag: str | None, scores: pl.DataFrame, *, each: bool = False) -> Exhibit:
    """Show scores side by side: those of all models, or of each run of the models that have several."""
    counts = _apart(scores)
    frame, names = _wide(counts, ["part"], ["gold", "n"])
    frame = frame.filter(_kept(frame))
    notes = intervals_note(scores["interval"])
    if scores["runs"].max() != 1:
        frame, names = _with_published(frame, names, tag)
        notes = (SEVERAL, *notes, *((ON_RELEASED,) if PUBLISHED in names else ()))
    baselines = {model.name for model in results.models if model.baseline}
    formats: dict[str, Format] = {"part": "text", "gold": "text", "n": "count"}
    return Exhibit(
        f"{'runs' if each else 'accuracy'}-{slug(results.name)}",
        f"{results.name}: {'accuracy of each run' if each else 'accuracy'}",
        f"The share of right answers to the pairs of each true label. Labels: {results.label_rule}.",
        frame.with_columns(row=pl.concat_str("part", pl.lit(", "), "gold")),
        formats | _figures(frame, names),
        results.name,
        points({name: column for name, column in names.items() if name not in baselines}),
        (*notes, *results.remarks),
        {"part": tag or "part", "gold": "true label", **_headings(names)},
    )


def across(scores: Mapping[str, pl.DataFrame], models: Sequence[str]) -> list[Exhibit]:
    """Show the accuracy of every model that was asked for on every set, where there are several sets.

    `scores` has what was counted on each set, several runs of one model in one row.
    """
    if len(scores) < 2:  # noqa: PLR2004 - one set has a table of its own
        return []
    rows = pl.concat([_of_set(table, name) for name, table in scores.items()], how="vertical_relaxed")
    found = _apart(rows)
    frame, names = _wide({name: found[name] for name in models if name in found}, ["set"], ["gold", "n"])
    order = {name: place for place, name in enumerate(scores)}
    frame = frame.sort(pl.col("set").replace_strict(order, return_dtype=pl.Int64), maintain_order=True)
    # Rounded half up as in the table, since a browser rounds binary fractions.
    frame = frame.with_columns(
        ((pl.col(column) * 100 + 0.5 + 1e-9).floor() / 100).alias(f"{column}_shown")
        for column in names.values()
    )
    formats: dict[str, Format] = {"set": "text", "gold": "text", "n": "count"}
    several = (SEVERAL,) if rows["runs"].max() != 1 else ()
    return [
        Exhibit(
            "accuracy",
            "All sets",
            "The share of right answers to all pairs of each set, with its 95% interval. Sets differ in their labels, "
            "so a figure says little without them: a constant answer is right on all pairs of a set with one label.",
            frame,
            formats | _figures(frame, names),
            chart=heat_map(names),
            notes=(*several, *intervals_note(rows["interval"])),
            headings={"gold": "true labels", **_headings(names)},
        )
    ]


def _apart(scores: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Give the rows of each model, in the order in which models come."""
    models = scores["model"].unique(maintain_order=True)
    return {str(name): scores.filter(pl.col("model") == name).drop("model") for name in models}


def _wide(
    counts: Mapping[str, pl.DataFrame], keys: Sequence[str], shown: Sequence[str]
) -> tuple[pl.DataFrame, dict[str, str]]:
    """Put the scores of several models side by side; names from outside are no names of columns."""
    names = {model: f"m{place}" for place, model in enumerate(counts)}
    on = [*keys, *shown]
    frame = pl.concat([rows.select(on) for rows in counts.values()]).unique(on, maintain_order=True)
    for rows, column in zip(counts.values(), names.values(), strict=True):
        taken = rows.select(*on, *_sides(column, several=rows["runs"].max() != 1))
        frame = frame.join(taken, on=on, how="left", nulls_equal=True, maintain_order="left")
    return frame, names


def _sides(column: str, *, several: bool) -> list[pl.Expr]:
    """Name the figures of a model: with its interval, or with range and standard deviation over its runs."""
    ends = ("least", "most") if several else ("low", "high")
    taken = {"accuracy": column, ends[0]: f"{column}_low", ends[1]: f"{column}_high"}
    taken |= {"sd": f"{column}_sd"} if several else {}
    return [pl.col(name).alias(shown) for name, shown in taken.items()]


def _figures(frame: pl.DataFrame, names: Mapping[str, str]) -> dict[str, Format]:
    shown = [name for column in names.values() for name in (column, f"{column}_sd") if name in frame.columns]
    return dict.fromkeys(shown, "share")


def _headings(names: Mapping[str, str]) -> dict[str, str]:
    told = {column: name for name, column in names.items()}
    return told | {f"{column}_sd": f"sd, {name}" for name, column in names.items()}


def _with_published(
    frame: pl.DataFrame, names: dict[str, str], tag: str | None
) -> tuple[pl.DataFrame, dict[str, str]]:
    """Add what 100 published runs of one model have in the same cells, if they have any of them."""
    cells = published().filter(pl.col("tag") == (tag or "-")).rename({"value": "part", "mean": "accuracy"})
    known = cells.select("part", "gold", *_sides("p", several=True))
    if known.join(frame, on=["part", "gold"]).is_empty():
        return frame, names
    whole = frame.join(known, on=["part", "gold"], how="left", maintain_order="left")
    return whole, {**names, PUBLISHED: "p"}


def _by_part(results: SetResults, tag: str | None) -> pl.DataFrame:
    """Count the right answers of all models by the values of a tag, then over all pairs."""
    shared = find_sharing(results.pairs)
    parts = [
        count_correct(results.pairs, answers, by, shared).select(
            pl.lit(model).alias("model"),
            (pl.col(by[0]).cast(pl.String).fill_null("-") if by else pl.lit(WHOLE)).alias("part"),
            pl.exclude(by),
        )
        for model, answers in results.predictions.items()
        for by in ([(tag,), ()] if tag else [()])
    ]
    return pl.concat(parts)


def _kept(frame: pl.DataFrame) -> pl.Expr:
    """Leave out sums over two labels, but for the whole set; and labels where a set has but one."""
    golds = set(frame["gold"]) - {ALL}
    if len(golds) == 1:
        return pl.col("gold") == ALL
    if golds == set(TWO):
        return (pl.col("gold") != ALL) | (pl.col("part") == WHOLE)
    return pl.lit(value=True)


def _of_set(scores: pl.DataFrame, name: str) -> pl.DataFrame:
    """Take the accuracies on a whole set."""
    wholes = scores.filter(pl.col("by") == "")
    golds = [label for label in LABELS if label in set(wholes["gold"])]
    figures = ("n", "accuracy", "low", "high", "interval", "runs", "sd", "least", "most")
    return wholes.filter(pl.col("gold") == ALL).select(
        pl.lit(name).alias("set"), "model", pl.lit(", ".join(golds)).alias("gold"), *figures
    )
