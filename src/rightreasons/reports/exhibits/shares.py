"""Sets with one gold label: the proportion of each predicted label, by type of pair."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.exhibit import Exhibit
from rightreasons.core.labels import THREE_LABELS, TWO_LABELS
from rightreasons.reports.exhibits.published_comparison import make_slug
from rightreasons.scoring.confusions import compute_prediction_shares

if TYPE_CHECKING:
    from rightreasons.core.exhibit import Format
    from rightreasons.runs.set_results import SetResults

# The tags to count by: the first of these that a set has. Premises of a source with hypotheses of
# another, as in Table 1 of the pair study; sentences with kinds of hypothesis, as in its Tables 2 and 3.
_TAGS = (("premise_source", "subcase"), ("subcase", "template"), ("subcase",))
_MOST = 200  # rows for one model
_PART = "pairs"
_ALL = "all"
_CAPTION = (
    "The gold label of all pairs is {gold}. Proportion of each predicted label, with 95% confidence intervals (Wilson; "
    "cluster-robust where pairs share a group, a source or a premise)."
)


def make_share_tables(results: SetResults) -> list[Exhibit]:
    """Show the shares of the predicted labels on a set with one gold label."""
    if len(results.gold_labels) != 1 or not results.requested_models:
        return []
    tags = _select_tag_columns(results.pairs)
    made = [_make_share_table(results, tags[:, :1], f"shares-{make_slug(results.name)}")]
    return (
        [*made, _make_share_table(results, tags, f"shares-{make_slug(results.name)}-by-parts")]
        if tags.width > 1
        else made
    )


def _make_share_table(results: SetResults, tags: pl.DataFrame, key: str) -> Exhibit:
    frame = pl.concat(
        [_compute_label_shares(results, model, tags) for model in results.requested_models], how="diagonal"
    )
    shown = [name for name in frame.columns if f"{name}_low" in frame.columns]
    formats: dict[str, Format] = {
        "model": "text",
        _PART: "text",
        "n": "count",
        **dict.fromkeys(shown, "share"),
    }
    by = f", by {' and '.join(tags.columns)}" if tags.width else ""
    return Exhibit(
        key,
        f"{results.name}: predicted labels (gold label: {results.gold_labels[0]}){by}",
        _CAPTION.format(gold=results.gold_labels[0]),
        frame,
        formats,
        results.name,
        _make_share_chart(shown),
        headings={_PART: " / ".join(tags.columns) or _PART},
    )


def _compute_label_shares(results: SetResults, model: str, tags: pl.DataFrame) -> pl.DataFrame:
    clusters = results.clusters
    table = compute_prediction_shares(
        results.predictions[model], tags, _list_label_columns(results), clusters
    )
    return table.select(
        pl.lit(model).alias("model"), _make_group_name(tags.columns), pl.exclude(tags.columns)
    )


def _select_tag_columns(pairs: pl.DataFrame) -> pl.DataFrame:
    """Choose the tags to count by: those that the set has and that have several values, but not too many."""
    for names in _TAGS:
        if set(names) <= set(pairs.columns):
            found = pairs.select(name for name in names if pairs[name].n_unique() > 1)
            counts = [found[:, : width + 1].n_unique() for width in range(found.width)]
            # A tag that adds no groups to the one before is left out.
            telling = found[:, :1] if len(set(counts)) == 1 else found
            if counts and counts[-1] <= _MOST:
                return telling
    return pairs.select()


def _list_label_columns(results: SetResults) -> list[str]:
    """List the labels that have a column: three, or two if labels were merged."""
    used = {
        results.gold_labels[0],
        *(
            word
            for name in results.requested_models
            for word in results.predictions[name]["prediction"].unique()
        ),
    }
    return list(TWO_LABELS if used & set(TWO_LABELS[1:]) else THREE_LABELS)


def _make_group_name(tags: list[str]) -> pl.Expr:
    words = [pl.col(tag).cast(pl.String).fill_null("-") for tag in tags]
    whole = pl.all_horizontal(pl.col(tag).is_null() for tag in tags) if tags else pl.lit(value=True)
    return (
        pl.when(whole)
        .then(pl.lit(_ALL))
        .otherwise(pl.concat_str(words, separator=" / ") if words else None)
        .alias(_PART)
    )


def _make_share_chart(words: list[str]) -> dict[str, Any]:
    """Draw a stacked bar of the shares for each row, with a panel per model."""
    return {
        "transform": [
            {"fold": words, "as": ["prediction", "share"]},
            {"calculate": f"indexof({json.dumps(words)}, datum.prediction)", "as": "place"},
        ],
        "facet": {"field": "model", "type": "nominal", "sort": None, "title": None},
        "columns": 2,
        "spec": {
            "mark": {"type": "bar", "tooltip": True},
            "encoding": {
                "y": {"field": _PART, "type": "nominal", "sort": None, "title": None},
                "x": {
                    "field": "share",
                    "type": "quantitative",
                    "stack": "zero",
                    "title": "share of the predictions",
                },
                "color": {"field": "prediction", "type": "nominal", "sort": words, "title": "prediction"},
                "order": {"field": "place", "type": "quantitative"},
            },
        },
    }
