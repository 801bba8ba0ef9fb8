"""What each threshold on the probability of entailment gives, and which is best by two measures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.reports.exhibits.exhibit import Exhibit
from rightreasons.reports.exhibits.published_comparison import slug
from rightreasons.scoring import thresholds
from rightreasons.scoring.thresholds import GRID, LIMIT, Sweep

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rightreasons.reports.exhibits.exhibit import Format
    from rightreasons.runs.results import SetResults

_EVERY = 5  # of the grid's thresholds, one in so many is shown
_FIGURES = ("precision", "recall", "false_entailments", "f1")
_HEADINGS = {"false_entailments": "false entailments", "f1": "F1", "called": "n called entailed"}
_WHAT = (
    "A pair is called entailed if its probability of entailment is the threshold or more. Precision: of the pairs "
    "called entailed, the share that is; recall: of the entailed pairs, the share that is called so; false "
    "entailments: of the other pairs, the share that is called entailed; F1: the harmonic mean of precision and "
    "recall. 95% Wilson intervals; that of F1 follows from that of the hits among all pairs entailed or called so."
)
_BEST = (
    "The threshold with the best F1 (in brackets: where it lies in 95 of 100 draws of the pairs), and the lowest one "
    "with at most {limit:.0%} false entailments. Both were chosen on these very pairs: expect a little less on others."
)


def exhibits(results: SetResults) -> list[Exhibit]:
    """Show the sweep of each model that gives probabilities of entailment, and its best thresholds."""
    found = {name: thresholds.sweep_thresholds(results.predictions[name]) for name in results.requested}
    known = {name: made for name, made in found.items() if made is not None}
    return [_best(results, known), _sweeps(results, known)] if known else []


def _best(results: SetResults, known: Mapping[str, Sweep]) -> Exhibit:
    rows = [row for model, found in known.items() for row in _rows(model, found)]
    figures: dict[str, Format] = dict.fromkeys(_FIGURES, "share")
    formats: dict[str, Format] = {
        "model": "text",
        "by": "text",
        "threshold": "share",
        "called": "count",
        **figures,
    }
    return Exhibit(
        f"best-thresholds-{slug(results.name)}",
        f"{results.name}: from which probability on to call a pair entailed",
        _BEST.format(limit=LIMIT),
        pl.DataFrame(rows, infer_schema_length=None),
        formats | {"entailed": "count", "other": "count"},
        results.name,
        headings=_HEADINGS | {"by": "chosen by", "entailed": "n entailed", "other": "n other"},
    )


def _rows(model: str, found: Sweep) -> list[dict[str, Any]]:
    table, low_high = found.table(), thresholds.f1_range(found)
    limit = thresholds.within_limit(found)
    places = {"best F1": thresholds.best_f1(found)}
    places |= {} if limit is None else {f"at most {LIMIT:.0%} false entailments": limit}
    rows = []
    for by, place in places.items():
        ends = low_high if by == "best F1" else (None, None)
        row = {"model": model, "by": by, **table.row(place, named=True)}
        row |= {"threshold_low": ends[0], "threshold_high": ends[1]}
        rows.append(row | {"entailed": found.entailed, "other": found.other})
    return rows


def _sweeps(results: SetResults, known: Mapping[str, Sweep]) -> Exhibit:
    tables = [
        found.table().gather_every(_EVERY).select(pl.lit(model).alias("model"), pl.all())
        for model, found in known.items()
    ]
    figures: dict[str, Format] = dict.fromkeys(_FIGURES, "share")
    return Exhibit(
        f"thresholds-{slug(results.name)}",
        f"{results.name}: what each threshold gives",
        _WHAT,
        pl.concat(tables),
        {"model": "text", "threshold": "share", "called": "count", **figures},
        results.name,
        _chart(),
        (f"The grid has steps of {GRID[1]:.2f}; every {_EVERY}th is shown.",),
        _HEADINGS,
    )


def _chart() -> dict[str, Any]:
    """Draw a line for each figure over the thresholds, side by side for the models."""
    return {
        "transform": [
            {"fold": list(_FIGURES), "as": ["name", "share"]},
            {"calculate": "replace(datum.name, '_', ' ')", "as": "figure"},
        ],
        "facet": {"field": "model", "type": "nominal", "sort": None, "title": None},
        "columns": 2,
        "spec": {
            "mark": {"type": "line", "point": True, "tooltip": True},
            "encoding": {
                "x": {"field": "threshold", "type": "quantitative", "scale": {"domain": [0, 1]}},
                "y": {"field": "share", "type": "quantitative", "scale": {"domain": [0, 1]}},
                "color": {"field": "figure", "type": "nominal", "sort": None, "title": None},
            },
        },
    }
