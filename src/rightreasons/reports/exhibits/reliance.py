"""Which heuristic does a model rely on, and is it correct on all pairs of a group?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core import heuristics, labels
from rightreasons.core.exhibit import Exhibit
from rightreasons.io.polars_io import read_parquet, read_parquet_schema
from rightreasons.reports.exhibits.published_comparison import make_slug
from rightreasons.scoring.proportion import Consistency, measure_consistency
from rightreasons.scoring.reliance import MIN_PAIRS, Reliance, measure_reliance

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rightreasons.runs.set_results import SetResults

RULES = "rules:"
NAMES = ("lexical overlap", "subsequence", "constituent")  # the widest first: each holds the next
MIN_MISLEADING = 10  # misleading pairs: with fewer, there is no table
PARSE = "premise_parse"
# Kinds of pairs, and the column with the share of them that is predicted entailed.
_SHARES = {"misled": "followed", "helped": "agreed", "silent": "anyway"}
_CAPTION = (
    "Reliance on a heuristic, from 0 (none) to 1 (full): the proportion of pairs predicted as entailed where the "
    "heuristic wrongly predicts entailment, minus the proportion of non-entailed pairs predicted as entailed where the "
    "heuristic does not apply. Pale bar: the first proportion. Full bar: the difference, with its 95% confidence "
    "interval."
)
_CROSSED = (
    "{rules}: the set has almost no non-entailed pairs to which this heuristic does not apply. The error rate on pairs "
    "where it is correct is subtracted instead, so a general bias towards entailment would look the same."
)
_READING = f"Pairs to which a heuristic does not apply are used if there are at least {MIN_PAIRS}. Minimum reliance: 0."
_WIDER = (
    "Each narrower heuristic implies lexical overlap: a model that relies on lexical overlap also follows the narrower "
    "heuristics, which explain nothing more and get a low value."
)
_UNKNOWN = (
    "{rules}: the heuristic is wrong on every pair to which it applies, so there is nothing to compare with."
)


def make_reliance_tables(results: SetResults) -> list[Exhibit]:
    """Show how much each model relies on each heuristic, and how consistent the models are within groups."""
    reliance = measure_model_reliance(results)
    is_known = any(figure.figure is not None for figure in reliance.values())
    tables = [_make_reliance_table(results, reliance)] if is_known else []
    return tables + make_consistency_tables(results)


def apply_heuristics(results: SetResults) -> dict[str, pl.Series]:
    """Find the pairs to which each heuristic applies: as predicted by the rules among the models, or from the texts."""
    predicted = {
        name.removeprefix(RULES).replace("-", " "): predictions["prediction"] == labels.ENTAILMENT
        for name, predictions in results.predictions.items()
        if name.startswith(RULES)
    }
    applied = {
        name: predicted[name] if name in predicted else _apply_heuristic(name, results) for name in NAMES
    } | predicted
    return {name: applies for name, applies in applied.items() if applies is not None}


def _apply_heuristic(name: str, results: SetResults) -> pl.Series | None:
    """Find from the texts where a heuristic applies; None if the set lacks the parses for it."""
    pairs = results.pairs
    if name != NAMES[-1]:
        rule = heuristics.has_lexical_overlap if name == NAMES[0] else heuristics.is_subsequence
        return rule(pairs["premise"], pairs["hypothesis"])
    if PARSE not in read_parquet_schema(results.file):
        return None
    parses = read_parquet(results.file, columns=[PARSE])[PARSE]
    return None if parses.null_count() else heuristics.is_constituent(parses, pairs["hypothesis"])


def measure_model_reliance(results: SetResults) -> dict[tuple[str, str], Reliance]:
    """Measure the reliance of all models, and of all baselines except the rules, on each heuristic."""
    models = [
        name for name in results.predictions if name in results.requested_models or not name.startswith(RULES)
    ]
    clusters = results.clusters
    found = {}
    for rule, applies in apply_heuristics(results).items():
        for model in models:
            predictions = results.predictions[model].select(labels.merge_labels(pl.col("gold", "prediction")))
            figure = measure_reliance(predictions, applies, clusters)
            if figure is not None and figure.misled.n >= MIN_MISLEADING:
                found[rule, model] = figure
    return found


def _make_reliance_table(results: SetResults, found: Mapping[tuple[str, str], Reliance]) -> Exhibit:
    frame = pl.DataFrame(
        [_make_reliance_row(*key, figure) for key, figure in found.items()], infer_schema_length=None
    )
    return Exhibit(
        f"reliance-{make_slug(results.name)}",
        f"{results.name}: reliance on heuristics",
        _CAPTION,
        frame,
        {
            "heuristic": "text",
            "model": "text",
            "reliance": "share",
            "misled": "count",
            "followed": "share",
            "silent": "count",
            "anyway": "share",
            "helped": "count",
            "agreed": "share",
        },
        results.name,
        _make_reliance_chart(),
        tuple(_list_reliance_notes(found)),
        {
            "misled": "n misleading",
            "followed": "predicted entailed where it misleads",
            "silent": "n not applicable",
            "anyway": "predicted entailed where it does not apply",
            "helped": "n correct",
            "agreed": "predicted entailed where it is correct",
        },
    )


def _make_reliance_row(rule: str, model: str, figure: Reliance) -> dict[str, Any]:
    row: dict[str, Any] = {"heuristic": rule, "model": model, "reliance": figure.figure}
    row |= {"reliance_low": figure.low, "reliance_high": figure.high}
    for kind, name in _SHARES.items():
        portion = getattr(figure, kind)
        row |= {kind: portion.n, **portion.to_columns(name)}
    return row


def _list_reliance_notes(found: Mapping[tuple[str, str], Reliance]) -> list[str]:
    """Note where the figure rests on a weaker control, or is unknown."""
    notes = []
    for control, text in (("right", _CROSSED), ("none", _UNKNOWN)):
        rules = list(dict.fromkeys(rule for (rule, _), figure in found.items() if figure.control == control))
        notes += [text.format(rules=", ".join(rules))] if rules else []
    notes += [_WIDER] if len({rule for rule, _ in found}) > 1 else []
    return [*notes, _READING]


def _make_reliance_chart() -> dict[str, Any]:
    """Draw the share that follows as a pale bar, and the reliance as a full bar with its interval."""
    share = {"type": "quantitative", "scale": {"domain": [0, 1]}}
    colour = {"color": {"field": "model", "type": "nominal", "sort": None, "legend": {"symbolOpacity": 1}}}
    return {
        "encoding": {
            "y": {"field": "heuristic", "type": "nominal", "sort": None, "title": None},
            "yOffset": {"field": "model", "type": "nominal", "sort": None},
        },
        "layer": [
            {
                "mark": {"type": "bar", "opacity": 0.3, "tooltip": True},
                "encoding": {
                    "x": {
                        "field": "followed",
                        "title": "reliance (pale: entailed where it misleads)",
                        **share,
                    }
                }
                | colour,
            },
            {
                "mark": {"type": "bar", "tooltip": True},
                "encoding": {"x": {"field": "reliance", **share}} | colour,
            },
            {
                "mark": {"type": "rule"},
                "encoding": {"x": {"field": "reliance_low", **share}, "x2": {"field": "reliance_high"}},
            },
        ],
    }


MIN_GROUPS = 10  # with fewer, there is no table
_GROUPS = (
    "Groups of pairs with the same {by}: the proportions of groups with all predictions correct, all wrong, or mixed, "
    "with 95% confidence intervals (Wilson, over groups). Expected: the proportion if predictions with the same "
    "accuracy per gold label were independent within a group."
)
_TWINS = "Twins are groups whose pairs have different gold labels: no constant prediction is correct on a whole group."


def make_consistency_tables(results: SetResults) -> list[Exhibit]:
    """Show on how many groups a model is correct as a whole, for all groups and for twins."""
    by = _choose_group_tag(results.pairs)
    rows = []
    for model in results.requested_models:
        for kind, twins in (("all groups", False), ("twins", True)):
            found = measure_consistency(results.predictions[model], results.pairs[by], twins=twins)
            if found is not None and found.groups >= MIN_GROUPS:
                rows.append({"groups": kind, "model": model, **_make_consistency_columns(found)})
    if not rows:
        return []
    frame = pl.DataFrame(rows, infer_schema_length=None).sort("groups", maintain_order=True)
    if frame["groups"].n_unique() > 1 and _are_all_groups_twins(frame):
        frame = frame.filter(pl.col("groups") == "twins")
    return [_make_consistency_table(results, by, frame)]


def _choose_group_tag(pairs: pl.DataFrame) -> str:
    """Choose the tag that groups pairs: their group, or their premise if they have none."""
    return "group" if "group" in pairs.columns and pairs["group"].null_count() < pairs.height else "premise"


def _are_all_groups_twins(frame: pl.DataFrame) -> bool:
    """Whether all groups are twins, which need no second row."""
    counts = frame.group_by("groups").agg(pl.col("n").sum())["n"]
    return counts.n_unique() == 1


def _make_consistency_columns(found: Consistency) -> dict[str, Any]:
    figures: dict[str, Any] = {"n": found.groups, "pairs": found.pairs}
    for name in ("right", "mixed", "wrong"):
        figures |= getattr(found, name).to_columns(name)
    return figures | {"expected_right": found.expected_right, "expected_wrong": found.expected_wrong}


def _make_consistency_table(results: SetResults, by: str, frame: pl.DataFrame) -> Exhibit:
    return Exhibit(
        f"consistency-{make_slug(results.name)}",
        f"{results.name}: consistency within groups",
        _GROUPS.format(by=by),
        frame,
        {
            "groups": "text",
            "model": "text",
            "n": "count",
            "pairs": "count",
            "right": "share",
            "expected_right": "share",
            "mixed": "share",
            "wrong": "share",
            "expected_wrong": "share",
        },
        results.name,
        None,
        (_TWINS,) if "twins" in frame["groups"] else (),
        {
            "n": "n groups",
            "right": "all correct",
            "expected_right": "expected all correct",
            "wrong": "all wrong",
            "expected_wrong": "expected all wrong",
        },
    )
