"""Do the probabilities of a model mean what they say, and which threshold suits whoever uses them?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.labels import NON_ENTAILMENT
from rightreasons.reports.exhibits import thresholds
from rightreasons.reports.exhibits.exhibit import Exhibit
from rightreasons.reports.exhibits.published_comparison import slug
from rightreasons.scoring import calibration
from rightreasons.scoring.calibration import BINS, Forecasts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rightreasons.runs.results import SetResults

LEAST = 30  # answers with a probability: of fewer, no table is made
_WHAT = {
    "prediction": "the probability of the answer that was given, against how often such answers are right",
    "entailment": "the probability of entailment, against how often such pairs are entailed",
}
_ERROR = (
    "Calibration: {what}. The calibration error is by how much the two differ on average over pairs, in {bins} bins of "
    "as many pairs each, with its 95% interval, and in {bins} bins of equal width. Noise is the first of these errors "
    "for a perfectly calibrated model: it would stay below in 95 of 100 samples of this size."
)
_CURVE = (
    "The reliability curve: {what}, in {bins} bins of as many pairs each; the share has a 95% confidence interval, "
    "cluster-robust where pairs share a premise, a source or a group. On the "
    "diagonal, probabilities mean what they say; below it, the model is too sure."
)


def exhibits(results: SetResults) -> list[Exhibit]:
    """Show calibration and thresholds for the models that give probabilities."""
    return [*_calibration(results), *thresholds.exhibits(results)]


def _calibration(results: SetResults) -> list[Exhibit]:
    found = {
        name: calibration.read_forecasts(results.predictions[name], results.clusters)
        for name in results.requested
    }
    known = {name: made for name, made in found.items() if made is not None and len(made.p) >= LEAST}
    # Where no pair is entailed, the share of entailed pairs is the same in every bin.
    if not known or (NON_ENTAILMENT in results.golds and len(results.golds) == 1):
        return []
    return [_errors(results, known), _curves(results, known)]


def _errors(results: SetResults, known: Mapping[str, Forecasts]) -> Exhibit:
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
        f"{results.name}: do probabilities mean what they say?",
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
            "missing": "without a probability",
            "mean": "mean probability",
            "so": "share that is so",
            "error": "calibration error",
            "width": "with bins of equal width",
        },
    )


def _curves(results: SetResults, known: Mapping[str, Forecasts]) -> Exhibit:
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
        _chart(),
        headings={"probability": "mean probability", "so": "share that is so"},
    )


def _chart() -> dict[str, Any]:
    """Draw the curve of each model with intervals, and the diagonal."""
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
                    "y": {"field": "so", "title": "share that is so", **unit},
                    "color": colour,
                },
            },
        ]
    }
