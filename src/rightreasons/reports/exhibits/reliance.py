"""Which heuristic does a model rely on, and is it correct on all pairs of a group?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core import heuristics, labels
from rightreasons.io.polars_io import read_parquet, read_parquet_schema
from rightreasons.reports.exhibits.exhibit import Exhibit
from rightreasons.reports.exhibits.published_comparison import slug
from rightreasons.scoring.proportion import Consistency, measure_consistency
from rightreasons.scoring.reliance import FEWEST, Reliance, measure_reliance

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rightreasons.runs.results import SetResults

RULES = "rules:"
NAMES = ("lexical overlap", "subsequence", "constituent")  # the widest first: each holds the next
LEAST = 10  # misleading pairs: of fewer, no table is made
PARSE = "premise_parse"
# Kinds of pairs, and what the share that is called entailed of each is called.
_SHARES = {"misled": "followed", "helped": "agreed", "silent": "anyway"}
_CAPTION = (
    "How far the answers go by a heuristic, 0 for not at all and 1 for always: how often a pair is called entailed "
    "where the heuristic says so and is wrong, less how often one is called so by mistake where the heuristic is "
    "silent. The pale bar is the first of the two shares, the full bar the difference, with its 95% interval."
)
_CROSSED = (
    "{rules}: the set has next to no pairs that aren't entailed and where this heuristic is silent. Errors on pairs "
    "where it is right are taken off instead, so that a general taste for entailment would look the same."
)
_READING = f"Silent pairs are taken where there are at least {FEWEST}; a negative difference is shown as 0."
_WIDER = (
    "A clause of the premise is a piece of it, and a piece has no words of its own: a model that goes by lexical "
    "overlap goes by the narrower heuristics too, which add nothing to it and get a low figure."
)
_UNKNOWN = (
    "{rules}: the heuristic misleads on every pair where it applies, and there are no others to compare with."
)


def reliance_tables(results: SetResults) -> list[Exhibit]:
    """Show for each heuristic how far each model goes by it, and how consistent the models are over groups."""
    found = _measure_models(results)
    told = any(figure.figure is not None for figure in found.values())
    made = [_reliance_table(results, found)] if told else []
    return made + consistency_tables(results)


def apply_heuristics(results: SetResults) -> dict[str, pl.Series]:
    """Say for each heuristic to which pairs it applies: as the rules among the models answer, or from the texts."""
    answered = {
        name.removeprefix(RULES).replace("-", " "): answers["prediction"] == labels.ENTAILMENT
        for name, answers in results.predictions.items()
        if name.startswith(RULES)
    }
    made = {
        name: answered[name] if name in answered else _applies(name, results) for name in NAMES
    } | answered
    return {name: applies for name, applies in made.items() if applies is not None}


def _applies(name: str, results: SetResults) -> pl.Series | None:
    """Find out from the texts where a heuristic applies; None where the set lacks the parses for it."""
    pairs = results.pairs
    if name != NAMES[-1]:
        rule = heuristics.lexical_overlap if name == NAMES[0] else heuristics.subsequence
        return rule(pairs["premise"], pairs["hypothesis"])
    if PARSE not in read_parquet_schema(results.file):
        return None
    parses = read_parquet(results.file, columns=[PARSE])[PARSE]
    return None if parses.null_count() else heuristics.constituent(parses, pairs["hypothesis"])


def _measure_models(results: SetResults) -> dict[tuple[str, str], Reliance]:
    """Work out all figures, by heuristic and model; beside the models, those baselines that are no rules."""
    models = [name for name in results.predictions if name in results.requested or not name.startswith(RULES)]
    clusters = results.clusters
    found = {}
    for rule, applies in apply_heuristics(results).items():
        for model in models:
            answers = results.predictions[model].select(labels.merge(pl.col("gold", "prediction")))
            figure = measure_reliance(answers, applies, clusters)
            if figure is not None and figure.misled.n >= LEAST:
                found[rule, model] = figure
    return found


def _reliance_table(results: SetResults, found: Mapping[tuple[str, str], Reliance]) -> Exhibit:
    frame = pl.DataFrame(
        [_reliance_row(*key, figure) for key, figure in found.items()], infer_schema_length=None
    )
    return Exhibit(
        f"reliance-{slug(results.name)}",
        f"{results.name}: which heuristic does it go by?",
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
        _reliance_chart(),
        tuple(_reliance_notes(found)),
        {
            "misled": "n misleading",
            "followed": "called entailed where it misleads",
            "silent": "n silent",
            "anyway": "called entailed where it is silent",
            "helped": "n right",
            "agreed": "called entailed where it is right",
        },
    )


def _reliance_row(rule: str, model: str, figure: Reliance) -> dict[str, Any]:
    row: dict[str, Any] = {"heuristic": rule, "model": model, "reliance": figure.figure}
    row |= {"reliance_low": figure.low, "reliance_high": figure.high}
    for kind, name in _SHARES.items():
        portion = getattr(figure, kind)
        row |= {kind: portion.n, **portion.columns(name)}
    return row


def _reliance_notes(found: Mapping[tuple[str, str], Reliance]) -> list[str]:
    """Say where the figure rests on less, or can't be told."""
    said = []
    for control, text in (("right", _CROSSED), ("none", _UNKNOWN)):
        rules = list(dict.fromkeys(rule for (rule, _), figure in found.items() if figure.control == control))
        said += [text.format(rules=", ".join(rules))] if rules else []
    said += [_WIDER] if len({rule for rule, _ in found}) > 1 else []
    return [*said, _READING]


def _reliance_chart() -> dict[str, Any]:
    """Draw the share that follows as a pale bar, the figure as a full one with its interval."""
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
                    "x": {"field": "followed", "title": "reliance (pale: share that follows)", **share}
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


LEAST_GROUPS = 10  # groups: of fewer, no table is made
_GROUPS = (
    "Groups of pairs that belong together, by {by}: the share where all answers are right, all wrong, or some of each, "
    "with 95% Wilson intervals over groups. Expected is what answers of the same accuracy for each true label would "
    "give if one pair of a group told nothing about the others."
)
_TWINS = "Twins are groups whose pairs have different true labels, so that no constant answer is right on all of one."


def consistency_tables(results: SetResults) -> list[Exhibit]:
    """Show how many groups are right as a whole, for all groups and for twins."""
    by = _group_tag(results.pairs)
    rows = []
    for model in results.requested:
        for kind, twins in (("all groups", False), ("twins", True)):
            found = measure_consistency(results.predictions[model], results.pairs[by], twins=twins)
            if found is not None and found.groups >= LEAST_GROUPS:
                rows.append({"groups": kind, "model": model, **_consistency_figures(found)})
    if not rows:
        return []
    frame = pl.DataFrame(rows, infer_schema_length=None).sort("groups", maintain_order=True)
    if frame["groups"].n_unique() > 1 and _all_are_twins(frame):
        frame = frame.filter(pl.col("groups") == "twins")
    return [_consistency_table(results, by, frame)]


def _group_tag(pairs: pl.DataFrame) -> str:
    """Choose what pairs belong together by: their group, or their premise where they have none."""
    return "group" if "group" in pairs.columns and pairs["group"].null_count() < pairs.height else "premise"


def _all_are_twins(frame: pl.DataFrame) -> bool:
    """Tell whether all groups are twins, which need not be said twice."""
    counts = frame.group_by("groups").agg(pl.col("n").sum())["n"]
    return counts.n_unique() == 1


def _consistency_figures(found: Consistency) -> dict[str, Any]:
    figures: dict[str, Any] = {"n": found.groups, "pairs": found.pairs}
    for name in ("right", "mixed", "wrong"):
        figures |= getattr(found, name).columns(name)
    return figures | {"expected_right": found.expected_right, "expected_wrong": found.expected_wrong}


def _consistency_table(results: SetResults, by: str, frame: pl.DataFrame) -> Exhibit:
    return Exhibit(
        f"consistency-{slug(results.name)}",
        f"{results.name}: is it right on all pairs that belong together?",
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
            "right": "all right",
            "expected_right": "expected all right",
            "wrong": "all wrong",
            "expected_wrong": "expected all wrong",
        },
    )
