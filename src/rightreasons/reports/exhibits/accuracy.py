"""How often each model is right: sets against models, and by the coarsest tag and true label of a set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.labels import LABELS, TWO
from rightreasons.reports.exhibits.beside import slug
from rightreasons.reports.exhibits.exhibit import Exhibit
from rightreasons.scoring.accuracy import ALL, count_right
from rightreasons.scoring.cells import coarse_tag
from rightreasons.scoring.clusters import sharing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rightreasons.gathering import Gathered, SetResults
    from rightreasons.reports.exhibits.exhibit import Format
    from rightreasons.scoring.clusters import Sharing

USUAL = "Intervals are Wilson's, at 95%."
CLUSTERS = "Intervals are at 95%; where pairs share their {what}, they are as wide as draws of whole clusters call for."
FEW = "Where fewer than ten clusters of pairs share it, the interval takes each pair for itself and is too narrow."
WHOLE = "all pairs"
_SIDES = ("", "_low", "_high")
_SHARE = {"type": "quantitative", "scale": {"domain": [0, 1]}, "title": "accuracy"}


def exhibits(results: SetResults) -> list[Exhibit]:
    """Show the accuracy of every model on one set, by its coarsest tag and true label, then on all of it."""
    tag = coarse_tag(results.pairs)
    shared = sharing(results.pairs)
    counts = {model: _by_part(results, model, tag, shared) for model in results.answers}
    frame, names = _wide(counts, ["part"], ["gold", "n"])
    frame = frame.filter(_kept(frame))
    formats: dict[str, Format] = {"part": "text", "gold": "text", "n": "count"}
    asked = {name: column for name, column in names.items() if name in results.asked}
    return [
        Exhibit(
            f"accuracy-{slug(results.name)}",
            f"{results.name}: accuracy",
            f"The share of right answers to the pairs of each true label. Labels: {results.label_rule}.",
            frame.with_columns(row=pl.concat_str("part", pl.lit(", "), "gold")),
            formats | dict.fromkeys(names.values(), "share"),
            results.name,
            _chart(asked),
            intervals_note(pl.concat([rows["interval"] for rows in counts.values()])),
            {"part": tag or "part", "gold": "true label", **{column: name for name, column in names.items()}},
        )
    ]


def across(gathered: Gathered) -> list[Exhibit]:
    """Show the accuracy of every model that was asked for on every set, where there are several sets."""
    if len(gathered.names) < 2:  # noqa: PLR2004 - one set has a table of its own
        return []
    rows = pl.concat([_of_set(gathered, name) for name in gathered.names], how="vertical_relaxed")
    models = [name for name in gathered.asked if name in set(rows["model"])]
    counts = {name: rows.filter(pl.col("model") == name).drop("model") for name in models}
    frame, names = _wide(counts, ["set"], ["gold", "n"])
    order = {name: place for place, name in enumerate(gathered.names)}
    frame = frame.sort(pl.col("set").replace_strict(order, return_dtype=pl.Int64), maintain_order=True)
    # Rounded half up as in the table, since a browser rounds binary fractions.
    frame = frame.with_columns(
        ((pl.col(column) * 100 + 0.5 + 1e-9).floor() / 100).alias(f"{column}_shown")
        for column in names.values()
    )
    formats: dict[str, Format] = {"set": "text", "gold": "text", "n": "count"}
    return [
        Exhibit(
            "accuracy",
            "All sets",
            "The share of right answers to all pairs of each set, with its 95% interval. Sets differ in their labels, "
            "so a figure says little without them: a constant answer is right on all pairs of a set with one label.",
            frame,
            formats | dict.fromkeys(names.values(), "share"),
            chart=_heat_map(names),
            notes=intervals_note(rows["interval"]),
            headings={"gold": "true labels", **{column: name for name, column in names.items()}},
        )
    ]


def intervals_note(kinds: pl.Series, usual: str = USUAL) -> tuple[str, ...]:
    """Say how the intervals of a table were found."""
    found = kinds.unique(maintain_order=True).to_list()
    columns = [kind.partition(": ")[2] for kind in found if kind.startswith("clusters: ")]
    shared = " or ".join(dict.fromkeys(columns)).replace("_id", "")
    first = CLUSTERS.format(what=shared) if columns else usual
    return (first, FEW) if any("fewer than ten" in kind for kind in found) else (first,)


def _wide(
    counts: Mapping[str, pl.DataFrame], keys: Sequence[str], shown: Sequence[str]
) -> tuple[pl.DataFrame, dict[str, str]]:
    """Put the scores of several models side by side; names from outside are no names of columns."""
    names = {model: f"m{place}" for place, model in enumerate(counts)}
    frames = list(counts.values())
    on = [*keys, *shown]
    frame = pl.concat([rows.select(on) for rows in frames]).unique(on, maintain_order=True)
    for rows, column in zip(frames, names.values(), strict=True):
        sides = dict(zip(("accuracy", "low", "high"), (f"{column}{side}" for side in _SIDES), strict=True))
        frame = frame.join(
            rows.select(*on, *sides).rename(sides), on=on, how="left", nulls_equal=True, maintain_order="left"
        )
    return frame, names


def _by_part(results: SetResults, model: str, tag: str | None, shared: Sharing) -> pl.DataFrame:
    """Count a model's right answers by the values of a tag, then over all pairs."""
    parts = [
        count_right(results.pairs, results.answers[model], by, shared).select(
            (pl.col(by[0]).cast(pl.String).fill_null("-") if by else pl.lit(WHOLE)).alias("part"),
            pl.exclude(by),
        )
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


def _of_set(gathered: Gathered, name: str) -> pl.DataFrame:
    """Take the accuracies on a whole set: as the only run counted them, else anew, by the same labels for all."""
    if len(gathered.runs) == 1:
        scores = gathered.runs[0].scores_of(name).filter(pl.col("by") == "")
    else:
        results = gathered.results(name)
        shared = sharing(results.pairs)
        scores = pl.concat(
            count_right(results.pairs, results.answers[model], (), shared).with_columns(model=pl.lit(model))
            for model in results.asked
        )
    golds = [label for label in LABELS if label in set(scores["gold"])]
    whole = scores.filter(pl.col("gold") == ALL)
    figures = ("n", "accuracy", "low", "high", "interval")
    return whole.select(pl.lit(name).alias("set"), "model", pl.lit(", ".join(golds)).alias("gold"), *figures)


def _heat_map(names: Mapping[str, str]) -> dict[str, Any]:
    """Draw a field for each set and model, the colour its accuracy."""
    sets = {"field": "set", "type": "nominal", "sort": None, "title": None}
    order = {"domain": list(names)}
    layers = [
        {
            "mark": {"type": "rect", "tooltip": True},
            "encoding": {
                "x": {"datum": name, "type": "nominal", "scale": order, "title": None},
                "y": sets,
                "color": {"field": column, **_SHARE},
            },
        }
        for name, column in names.items()
    ]
    figures = [
        {
            "mark": {"type": "text"},
            "encoding": {
                "x": {"datum": name, "type": "nominal", "scale": order, "title": None},
                "y": sets,
                "text": {"field": f"{column}_shown", "type": "quantitative", "format": ".2f"},
            },
        }
        for name, column in names.items()
    ]
    return {"layer": layers + figures}


def _chart(names: Mapping[str, str]) -> dict[str, Any]:
    """Draw a point with its interval for each part of the set and each model."""
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
