"""Are the probabilities of a model calibrated, and which threshold on them is best?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.audits.agreement import COLUMN
from rightreasons.audits.annotator_labels import AnnotatorLabels
from rightreasons.core.exhibit import Exhibit
from rightreasons.core.labels import NON_ENTAILMENT
from rightreasons.reports.exhibits.published_comparison import make_slug
from rightreasons.scoring import calibration, thresholds
from rightreasons.scoring.calibration import BINS, PredictedProbabilities
from rightreasons.scoring.thresholds import GRID, LIMIT, ThresholdSweep

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rightreasons.core.exhibit import Format
    from rightreasons.runs.set_results import SetResults

CLEAR_MAJORITY = 0.9  # below it, exactly the shares of the annotators would have an ECE of more than a tenth
MIN_PREDICTIONS = 30  # predictions with a probability: with fewer, there is no table
_TARGETS = {
    "prediction": "the probability of the predicted label against the accuracy",
    "entailment": "the probability of entailment against the share of entailed pairs",
}
_ERROR_CAPTION = (
    "Calibration compares {what}. The expected calibration error (ECE) is their mean absolute difference: over {bins} "
    "bins with equal numbers of pairs, with its 95% confidence interval, and over {bins} bins of equal width. Noise is "
    "the 95th percentile of the ECE of a perfectly calibrated model on samples of this size."
)
_DISAGREEMENT = (
    "Misleading where people disagree: on average, {share:.1%} of the annotators of a pair chose its most frequent "
    "label, so a model with exactly their shares as probabilities would have an ECE of about {error:.1%}. Compare it "
    "with the shares instead: rightreasons score --against-people."
)
_CURVE_CAPTION = (
    "Reliability curve: {what}, in {bins} bins with equal numbers of pairs. 95% confidence intervals, cluster-robust "
    "if pairs share a premise, source or group. On the diagonal a model is calibrated; below it, it is overconfident."
)


def make_calibration_tables(results: SetResults) -> list[Exhibit]:
    """Show calibration and thresholds for the models that return probabilities."""
    return [*_make_reliability_tables(results), *make_threshold_tables(results)]


def _make_reliability_tables(results: SetResults) -> list[Exhibit]:
    by_model = {
        name: calibration.collect_probabilities(results.predictions[name], results.clusters)
        for name in results.requested_models
    }
    known = {
        name: probabilities
        for name, probabilities in by_model.items()
        if probabilities is not None and len(probabilities.p) >= MIN_PREDICTIONS
    }
    # Where no pair is entailed, the share of entailed pairs is the same in every bin.
    if not known or (NON_ENTAILMENT in results.gold_labels and len(results.gold_labels) == 1):
        return []
    return [_make_calibration_error_table(results, known), _make_reliability_curve_table(results, known)]


def _make_calibration_error_table(
    results: SetResults, known: Mapping[str, PredictedProbabilities]
) -> Exhibit:
    rows = []
    for model, found in known.items():
        bins = calibration.make_equal_mass_bins(found)
        low, high = calibration.compute_calibration_error_interval(bins)
        row = {"model": model, "n": len(found.p), "missing": found.missing, "mean": float(found.p.mean())}
        row |= {
            "so": float(found.observed.mean()),
            "error": bins.compute_calibration_error(),
            "error_low": low,
            "error_high": high,
        }
        rows.append(
            row
            | {
                "noise": calibration.compute_noise_level(bins),
                "width": calibration.make_equal_width_bins(found).compute_calibration_error(),
            }
        )
    what = _TARGETS[next(iter(known.values())).target]
    return Exhibit(
        f"calibration-{make_slug(results.name)}",
        f"{results.name}: calibration",
        _ERROR_CAPTION.format(what=what, bins=BINS),
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
            "error": "ECE",
            "width": "ECE (equal-width bins)",
        },
        notes=warn_of_disagreement(results.pairs),
    )


def warn_of_disagreement(pairs: pl.DataFrame) -> tuple[str, ...]:
    """Warn that calibration misleads, if the set keeps the labels of annotators and they often disagree."""
    if COLUMN not in pairs.columns:
        return ()
    votes = AnnotatorLabels.from_columns(pairs[COLUMN], pairs["label"])
    used = votes.counts[votes.usable.to_numpy()]
    share = float((used.max(axis=1) / used.sum(axis=1)).mean()) if len(used) else 1.0
    return () if share >= CLEAR_MAJORITY else (_DISAGREEMENT.format(share=share, error=1 - share),)


def _make_reliability_curve_table(
    results: SetResults, known: Mapping[str, PredictedProbabilities]
) -> Exhibit:
    tables = [
        calibration.make_equal_mass_bins(found)
        .make_reliability_curve()
        .select(pl.lit(model).alias("model"), pl.all())
        for model, found in known.items()
    ]
    what = _TARGETS[next(iter(known.values())).target]
    return Exhibit(
        f"reliability-{make_slug(results.name)}",
        f"{results.name}: reliability curve",
        _CURVE_CAPTION.format(what=what, bins=BINS),
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
        _make_reliability_curve_chart(),
        headings={"probability": "mean probability", "so": "observed share"},
    )


def _make_reliability_curve_chart() -> dict[str, Any]:
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


_STEP = 5  # every n-th threshold of the grid is shown
_FIGURES = ("precision", "recall", "false_entailments", "f1")
_HEADINGS = {"false_entailments": "false entailments", "f1": "F1", "called": "n predicted entailed"}
_SWEEP_CAPTION = (
    "A pair is predicted entailed if its probability of entailment is at least the threshold. Precision: share of the "
    "pairs predicted entailed that are entailed. Recall: share of the entailed pairs that are predicted entailed. "
    "False entailments: share of the other pairs that are predicted entailed. F1: harmonic mean of precision and "
    "recall. 95% confidence intervals (Wilson; for F1, derived from that of the Jaccard index)."
)
_BEST_CAPTION = (
    "The threshold with the best F1, with its 95% bootstrap interval, and the lowest threshold with at most "
    "{limit:.0%} false entailments. Both were chosen on these pairs, so expect slightly lower figures on other pairs."
)


def make_threshold_tables(results: SetResults) -> list[Exhibit]:
    """Show the best thresholds and the sweep of each model that returns probabilities of entailment."""
    sweeps = {
        name: thresholds.sweep_thresholds(results.predictions[name]) for name in results.requested_models
    }
    known = {name: sweep for name, sweep in sweeps.items() if sweep is not None}
    return (
        [_make_best_threshold_table(results, known), _make_threshold_sweep_table(results, known)]
        if known
        else []
    )


def _make_best_threshold_table(results: SetResults, known: Mapping[str, ThresholdSweep]) -> Exhibit:
    rows = [row for model, found in known.items() for row in _make_best_threshold_rows(model, found)]
    figures: dict[str, Format] = dict.fromkeys(_FIGURES, "share")
    formats: dict[str, Format] = {
        "model": "text",
        "by": "text",
        "threshold": "share",
        "called": "count",
        **figures,
    }
    return Exhibit(
        f"best-thresholds-{make_slug(results.name)}",
        f"{results.name}: best thresholds on the probability of entailment",
        _BEST_CAPTION.format(limit=LIMIT),
        pl.DataFrame(rows, infer_schema_length=None),
        formats | {"entailed": "count", "other": "count"},
        results.name,
        headings=_HEADINGS | {"by": "chosen by", "entailed": "n entailed", "other": "n other"},
    )


def _make_best_threshold_rows(model: str, found: ThresholdSweep) -> list[dict[str, Any]]:
    table, low_high = found.to_table(), thresholds.bootstrap_best_threshold_interval(found)
    limit = thresholds.find_index_within_limit(found)
    places = {"best F1": thresholds.find_best_f1_index(found)}
    places |= {} if limit is None else {f"at most {LIMIT:.0%} false entailments": limit}
    rows = []
    for by, place in places.items():
        ends = low_high if by == "best F1" else (None, None)
        row = {"model": model, "by": by, **table.row(place, named=True)}
        row |= {"threshold_low": ends[0], "threshold_high": ends[1]}
        rows.append(row | {"entailed": found.entailed, "other": found.other})
    return rows


def _make_threshold_sweep_table(results: SetResults, known: Mapping[str, ThresholdSweep]) -> Exhibit:
    tables = [
        found.to_table().gather_every(_STEP).select(pl.lit(model).alias("model"), pl.all())
        for model, found in known.items()
    ]
    figures: dict[str, Format] = dict.fromkeys(_FIGURES, "share")
    return Exhibit(
        f"thresholds-{make_slug(results.name)}",
        f"{results.name}: precision and recall by threshold",
        _SWEEP_CAPTION,
        pl.concat(tables),
        {"model": "text", "threshold": "share", "called": "count", **figures},
        results.name,
        _make_threshold_sweep_chart(),
        (f"Thresholds are searched in steps of {GRID[1]:.2f}; every {_STEP}th is shown.",),
        _HEADINGS,
    )


def _make_threshold_sweep_chart() -> dict[str, Any]:
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
