"""Errors: confusion matrices, types of errors, and a tally of errors sorted by an annotator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.audits.error_analysis import parse_category
from rightreasons.core.exhibit import Exhibit
from rightreasons.core.labels import LABELS, NEUTRAL, NON_ENTAILMENT, THREE_LABELS
from rightreasons.reports.exhibits.published_comparison import make_slug
from rightreasons.reports.published import MATCHED, MISMATCHED, read_published_figures
from rightreasons.scoring import confusions
from rightreasons.scoring.interval_notes import name_proportion_intervals, warn_of_narrow_intervals
from rightreasons.scoring.proportion import Proportion, compute_clustered_proportion

if TYPE_CHECKING:
    from rightreasons.audits.error_analysis import ErrorTally
    from rightreasons.core.exhibit import Format
    from rightreasons.runs.set_results import SetResults

_CONFUSION = (
    "Number of pairs by gold label and prediction, and the accuracy on each gold label (recall). The darker a cell, "
    "the larger its share of the pairs with its gold label. Accuracies have {}."
)
_ERRORS = (
    "Percentage of each type among all errors of a model. E->C: entailment predicted as contradiction, and so on. "
    "False neutral: any other label predicted as neutral. Percentages have {}."
)


def make_error_tables(results: SetResults) -> list[Exhibit]:
    """Show the confusion matrices of a set, and the types of errors if there are three labels."""
    counts = {
        model: confusions.count_confusions(results.predictions[model]) for model in results.requested_models
    }
    if not counts:
        return []
    # With one gold label, the shares of the predictions say the same.
    made = [_make_confusion_table(results, counts)] if len(results.gold_labels) > 1 else []
    wrong = {
        model: confusions.count_errors(table)
        for model, table in counts.items()
        if confusions.count_errors(table)
    }
    # If all pairs are entailed, only the predictions show that labels were merged.
    merged = any(NON_ENTAILMENT in table["prediction"] for table in counts.values())
    three = set(results.gold_labels) <= set(THREE_LABELS) and not merged
    return [*made, _make_error_kind_table(results, wrong)] if wrong and three else made


def _make_confusion_table(results: SetResults, counts: dict[str, pl.DataFrame]) -> Exhibit:
    found = {word for table in counts.values() for word in table["prediction"]}
    words = [word for word in (*LABELS, confusions.WITHOUT_LABEL) if word in found]
    right = {
        (model, gold): _compute_gold_label_accuracy(results, model, gold)
        for model in counts
        for gold in results.gold_labels
    }
    frame = pl.DataFrame(
        [
            _make_confusion_row(model, gold, counts[model], words) | share.to_columns("right")
            for (model, gold), share in right.items()
        ]
    )
    counted: dict[str, Format] = dict.fromkeys(["n", *words], "count")
    formats: dict[str, Format] = {"model": "text", "gold": "text", **counted, "right": "share"}
    return Exhibit(
        f"confusion-{make_slug(results.name)}",
        f"{results.name}: confusion matrix",
        _CONFUSION.format(name_proportion_intervals(right.values())),
        frame,
        formats,
        results.name,
        _make_confusion_chart(words),
        (f"Labels: {results.label_rule}.", *warn_of_narrow_intervals(right.values())),
        {"gold": "gold label"} | {word: f"predicted {word}" if word in LABELS else word for word in words},
    )


def _compute_gold_label_accuracy(results: SetResults, model: str, gold: str) -> Proportion:
    """Compute the accuracy on the pairs of one gold label."""
    predictions, clusters = results.predictions[model], results.clusters
    here = predictions["gold"] == gold
    return compute_clustered_proportion(
        predictions["right"].filter(here), None if clusters is None else clusters.filter(here)
    )


def _make_confusion_row(model: str, gold: str, table: pl.DataFrame, words: list[str]) -> dict[str, Any]:
    """Count each prediction for the pairs of one gold label."""
    counts = dict(table.filter(pl.col("gold") == gold).select("prediction", "n").iter_rows())
    row = {"model": model, "gold": gold, "n": sum(counts.values())}
    return row | {word: counts.get(word, 0) for word in words}


def _make_error_kind_table(results: SetResults, wrong: dict[str, int]) -> Exhibit:
    golds = set(results.gold_labels)
    every = {
        f"{gold[0].upper()}->{predicted[0].upper()}": (gold, predicted)
        for gold in THREE_LABELS
        for predicted in THREE_LABELS
        if gold != predicted
    }
    shown = {name: kind for name, kind in every.items() if confusions.can_error_kind_occur(golds, kind)}
    if len(golds - {NEUTRAL}) > 1:
        shown = {"false neutral": confusions.FALSE_NEUTRAL} | shown
    columns = {f"k{place}": name for place, name in enumerate(shown)}
    rows: list[dict[str, Any]] = []
    figures: list[Proportion] = []
    for model, errors in wrong.items():
        found = [
            confusions.compute_error_kind_proportion(results.predictions[model], kind, results.clusters)
            for kind in shown.values()
        ]
        named = [share.to_columns(column) for column, share in zip(columns, found, strict=True)]
        rows.append({"model": model, "errors": errors, **{k: v for cells in named for k, v in cells.items()}})
        figures += found
    formats: dict[str, Format] = {"model": "text", "errors": "count", **dict.fromkeys(columns, "percent")}
    return Exhibit(
        f"errors-{make_slug(results.name)}",
        f"{results.name}: types of errors",
        _ERRORS.format(name_proportion_intervals(figures)),
        pl.DataFrame(rows, infer_schema_length=None),
        formats,
        results.name,
        notes=warn_of_narrow_intervals(figures),
        headings=columns,
    )


def _make_confusion_chart(words: list[str]) -> dict[str, Any]:
    """Draw a heat map for each model: gold labels as rows, predictions as columns."""
    order = [word for word in (*LABELS, confusions.WITHOUT_LABEL) if word in words]
    share = {
        "field": "share",
        "type": "quantitative",
        "scale": {"domain": [0, 1]},
        "title": "share of the gold label",
    }
    return {
        "transform": [
            {"fold": order, "as": ["prediction", "count"]},
            {"calculate": "datum.count / datum.n", "as": "share"},
        ],
        "facet": {"field": "model", "type": "nominal", "sort": None, "title": None},
        "columns": 2,
        "spec": {
            "width": {"step": 70},
            "height": {"step": 40},
            "mark": {"type": "rect", "tooltip": True},
            "encoding": {
                "x": {"field": "prediction", "type": "nominal", "sort": order, "title": "prediction"},
                "y": {"field": "gold", "type": "nominal", "sort": order, "title": "gold label"},
                "color": share,
            },
        },
    }


_PAPER = "Naik et al. (2018) sorted 100 errors of one model on each MultiNLI dev set; those of matched sum to 101%."


def make_error_tally_tables(tally: ErrorTally) -> list[Exhibit]:
    """Show the types of errors next to the published proportions, and the agreement with the suggestions."""
    kinds = Exhibit(
        "error-kinds",
        "Types of errors: Table 6 of the stress-test paper",
        "Proportion of each type among the sorted errors, with 95% confidence intervals (Wilson), and as published.",
        tally.table.join(_read_published_error_shares(), on="category", how="left", maintain_order="left"),
        {"category": "text", "n": "count", "share": "share", MATCHED: "share", MISMATCHED: "share"},
        notes=(_note_sorted_count(tally), _PAPER, *_note_antonym_types(tally)),
        headings={MATCHED: "MultiNLI matched", MISMATCHED: "MultiNLI mismatched"},
    )
    agreement = Exhibit(
        "error-suggestions",
        "Suggested and chosen types",
        "How often the annotator chose the suggested type, with 95% confidence intervals (Wilson).",
        tally.agreement,
        {"suggested": "text", "chosen": "count", "of": "count", "share": "share"},
    )
    return [kinds] if tally.agreement.is_empty() else [kinds, agreement]


def _read_published_error_shares() -> pl.DataFrame:
    """Put the published shares of both dev sets side by side, by our names of the categories."""
    known = read_published_figures("error_kinds").with_columns(
        category=pl.col("subset").map_elements(parse_category, return_dtype=pl.String)
    )
    parts = [
        known.filter(pl.col("split") == split).select("category", pl.col("value").alias(split))
        for split in (MATCHED, MISMATCHED)
    ]
    return parts[0].join(parts[1], on="category")


def _note_sorted_count(tally: ErrorTally) -> str:
    blank = f"; {tally.blank:,} lines are blank and not counted" if tally.blank else ""
    return f"n: {tally.sorted:,} errors were sorted{blank}."


def _note_antonym_types(tally: ErrorTally) -> tuple[str, ...]:
    if not tally.antonyms:
        return ()
    types = ", ".join(f"{name} {n:,}" for name, n in tally.antonyms.items())
    return (f"Types of antonyms among the antonymy errors: {types}.",)
