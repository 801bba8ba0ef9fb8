"""Are the probabilities of a model calibrated, and which threshold on them is best?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.labels import NON_ENTAILMENT
from rightreasons.reports.exhibits.exhibit import Exhibit
from rightreasons.reports.exhibits.published_comparison import slug
from rightreasons.scoring import calibration, thresholds
from rightreasons.scoring.calibration import BINS, Forecasts
from rightreasons.scoring.thresholds import GRID, LIMIT, Sweep

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rightreasons.reports.exhibits.exhibit import Format
    from rightreasons.runs.results import SetResults

LEAST = 30  # predictions with a probability: with fewer, there is no table
_WHAT = {
    "prediction": "the probability of the predicted label against the accuracy",
    "entailment": "the probability of entailment against the share of entailed pairs",
}
_ERROR = (
    "Calibration compares {what}. The calibration error is their mean absolute difference over {bins} bins with "
    "equally many pairs, with its 95% confidence interval, and over {bins} bins of equal width. Noise is the error "
    "that a perfectly calibrated model stays below in 95% of the samples of this size."
)
_CURVE = (
    "Reliability curve: {what}, in {bins} bins with equally many pairs. 95% confidence intervals, cluster-robust where "
    "pairs share a premise, a source or a group. On the diagonal a model is calibrated; below it, it is overconfident."
)


def calibration_tables(results: SetResults) -> list[Exhibit]:
    """Show calibration and thresholds for the models that return probabilities."""
    return [*_reliability_tables(results), *threshold_tables(results)]


def _reliability_tables(results: SetResults) -> list[Exhibit]:
    found = {
        name: calibration.read_forecasts(results.predictions[name], results.clusters)
        for name in results.requested
    }
    known = {name: made for name, made in found.items() if made is not None and len(made.p) >= LEAST}
    # Where no pair is entailed, the share of entailed pairs is the same in every bin.
    if not known or (NON_ENTAILMENT in results.golds and len(results.golds) == 1):
        return []
    return [_error_table(results, known), _curve_table(results, known)]


def _error_table(results: SetResults, known: Mapping[str, Forecasts]) -> Exhibit:
    rows = []
    for model, found in known.items():
        bins = calibration.bin_by_mass(found)
        low, high = calibration.error_interval(bins)
        row = {"model": model, "n": len(found.p), "missing": found.missing, "mean": float(found.p.mean())}
        row |= {"so": float(found.so.mean()), "error": bins.error(), "error_low": low, "error_high": high}
        rows.append(
            row | {"noise": calibration.noise_level(bins), "width": calibration.bin_by_width(found).error()}
        )
    what = _WHAT[next(iter(known.values())).what]
    return Exhibit(
        f"calibration-{slug(results.name)}",
        f"{results.name}: calibration",
        _ERROR.format(what=what, bins=BINS),
        pl.DataFrame(rows),
        {
            "model": "text",
            "n": "count",
            "missing": "count",
            "mean": "percent",
            "so": "percent",
            "error": "percent",
            "noise": "percent",
            "width": "percent",
        },
        results.name,
        headings={
            "missing": "n without a probability",
            "mean": "mean probability",
            "so": "observed share",
            "error": "calibration error",
            "width": "calibration error (equal-width bins)",
        },
    )


def _curve_table(results: SetResults, known: Mapping[str, Forecasts]) -> Exhibit:
    tables = [
        calibration.bin_by_mass(found).curve().select(pl.lit(model).alias("model"), pl.all())
        for model, found in known.items()
    ]
    what = _WHAT[next(iter(known.values())).what]
    return Exhibit(
        f"reliability-{slug(results.name)}",
        f"{results.name}: reliability curve",
        _CURVE.format(what=what, bins=BINS),
        pl.concat(tables),
        {
            "model": "text",
            "from": "share",
            "to": "share",
            "n": "count",
            "probability": "share",
            "so": "percent",
        },
        results.name,
        _curve_chart(),
        headings={"probability": "mean probability", "so": "observed share"},
    )


def _curve_chart() -> dict[str, Any]:
    """Draw the reliability curve of each model with intervals, and the diagonal."""
    unit = {"type": "quantitative", "scale": {"domain": [0, 1]}}
    colour = {"field": "model", "type": "nominal", "sort": None, "title": "model"}
    across = {"field": "probability", "title": "mean probability", **unit}
    return {
        "layer": [
            {
                "mark": {"type": "rule", "strokeDash": [4, 4]},
                "encoding": {
                    "x": {"datum": 0, **unit},
                    "x2": {"datum": 1},
                    "y": {"datum": 0, **unit},
                    "y2": {"datum": 1},
                },
            },
            {
                "mark": {"type": "rule"},
                "encoding": {
                    "x": across,
                    "y": {"field": "so_low", **unit},
                    "y2": {"field": "so_high"},
                    "color": colour,
                },
            },
            {
                "mark": {"type": "line", "point": True, "tooltip": True},
                "encoding": {
                    "x": across,
                    "y": {"field": "so", "title": "observed share", **unit},
                    "color": colour,
                },
            },
        ]
    }


_EVERY = 5  # every n-th threshold of the grid is shown
_FIGURES = ("precision", "recall", "false_entailments", "f1")
_HEADINGS = {"false_entailments": "false entailments", "f1": "F1", "called": "n predicted entailed"}
_SWEEP = (
    "A pair is predicted entailed if its probability of entailment is at least the threshold. Precision: share of the "
    "pairs predicted entailed that are entailed. Recall: share of the entailed pairs that are predicted entailed. "
    "False entailments: share of the other pairs that are predicted entailed. F1: harmonic mean of precision and "
    "recall. 95% confidence intervals (Wilson; for F1, of the hits among all pairs that are or are predicted so)."
)
_BEST = (
    "The threshold with the best F1, with its 95% bootstrap interval, and the lowest threshold with at most "
    "{limit:.0%} false entailments. Both were chosen on these pairs, so expect slightly lower figures on others."
)


def threshold_tables(results: SetResults) -> list[Exhibit]:
    """Show the best thresholds and the sweep of each model that returns probabilities of entailment."""
    found = {name: thresholds.sweep_thresholds(results.predictions[name]) for name in results.requested}
    known = {name: made for name, made in found.items() if made is not None}
    return [_best_table(results, known), _sweep_table(results, known)] if known else []


def _best_table(results: SetResults, known: Mapping[str, Sweep]) -> Exhibit:
    rows = [row for model, found in known.items() for row in _best_rows(model, found)]
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
        f"{results.name}: best thresholds on the probability of entailment",
        _BEST.format(limit=LIMIT),
        pl.DataFrame(rows, infer_schema_length=None),
        formats | {"entailed": "count", "other": "count"},
        results.name,
        headings=_HEADINGS | {"by": "chosen by", "entailed": "n entailed", "other": "n other"},
    )


def _best_rows(model: str, found: Sweep) -> list[dict[str, Any]]:
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


def _sweep_table(results: SetResults, known: Mapping[str, Sweep]) -> Exhibit:
    tables = [
        found.table().gather_every(_EVERY).select(pl.lit(model).alias("model"), pl.all())
        for model, found in known.items()
    ]
    figures: dict[str, Format] = dict.fromkeys(_FIGURES, "share")
    return Exhibit(
        f"thresholds-{slug(results.name)}",
        f"{results.name}: precision and recall by threshold",
        _SWEEP,
        pl.concat(tables),
        {"model": "text", "threshold": "share", "called": "count", **figures},
        results.name,
        _sweep_chart(),
        (f"The grid has steps of {GRID[1]:.2f}; every {_EVERY}th is shown.",),
        _HEADINGS,
    )


def _sweep_chart() -> dict[str, Any]:
    """Draw a line for each measure over the thresholds, with a panel per model."""
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
