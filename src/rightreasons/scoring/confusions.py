"""Which label is predicted for which gold label, and the share of each label: confusions, kinds of error, shares."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.column_checks import ROW_COLUMN
from rightreasons.core.labels import CONTRADICTION, ENTAILMENT, LABELS, NEUTRAL, NO_LABEL
from rightreasons.scoring.proportion import compute_clustered_proportion

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rightreasons.scoring.proportion import Proportion
    from rightreasons.scoring.sharing import Clusters

WITHOUT_LABEL = "no label"  # unreadable and refused, together
# The kinds that the stress-test paper looks at: the gold label and the one that was given; any stands for all others.
ANY = "any"
FALSE_NEUTRAL = (ANY, NEUTRAL)
FALSE_ENTAILMENT = (ANY, ENTAILMENT)
C_AS_E = (CONTRADICTION, ENTAILMENT)
C_AS_N = (CONTRADICTION, NEUTRAL)
E_AS_C = (ENTAILMENT, CONTRADICTION)
N_AS_C = (NEUTRAL, CONTRADICTION)


def count_confusions(predictions: pl.DataFrame) -> pl.DataFrame:
    """Count the predictions for the pairs of each gold label: a row per gold label and predicted label that occur.

    `share` is that of the gold label's pairs. Predictions without a label are one kind.
    """
    said = pl.col("prediction").replace(dict.fromkeys(NO_LABEL, WITHOUT_LABEL))
    counts = predictions.select("gold", said).group_by("gold", "prediction").agg(n=pl.len().cast(pl.Int64))
    golds, saids = (
        _list_labels_in_order(counts["gold"]),
        _list_labels_in_order(pl.concat([counts["gold"], counts["prediction"]])),
    )
    grid = golds.to_frame("gold").join(saids.to_frame("prediction"), how="cross")
    whole = grid.join(counts, on=["gold", "prediction"], how="left", maintain_order="left").fill_null(0)
    return whole.with_columns(of=pl.col("n").sum().over("gold")).with_columns(
        share=pl.col("n") / pl.col("of")
    )


def _list_labels_in_order(words: pl.Series) -> pl.Series:
    """List different labels in the usual order, and what has no label last."""
    found = set(words.unique())
    return pl.Series([word for word in (*LABELS, WITHOUT_LABEL) if word in found], dtype=pl.String)


def count_errors(counts: pl.DataFrame) -> int:
    """Count the errors among confusions, predictions without a label too."""
    return int(counts.filter(pl.col("gold") != pl.col("prediction"))["n"].sum())


def count_errors_of_kind(counts: pl.DataFrame, kind: tuple[str, str]) -> int:
    """Count the errors of one kind among confusions."""
    gold, answer = kind
    wrong = (pl.col("gold") != pl.col("prediction")) & (pl.col("prediction") == answer)
    return int(counts.filter(wrong if gold == ANY else wrong & (pl.col("gold") == gold))["n"].sum())


def compute_error_kind_proportion(
    predictions: pl.DataFrame, kind: tuple[str, str], clusters: Clusters | None = None
) -> Proportion:
    """Compute the proportion of one kind among all errors, with an interval that respects clusters."""
    gold, said = kind
    wrong = predictions.select(pl.col("gold") != pl.col("prediction")).to_series()
    hit = pl.col("prediction") == said
    hits = predictions.select(hit if gold == ANY else hit & (pl.col("gold") == gold)).to_series()
    return compute_clustered_proportion(
        hits.filter(wrong), None if clusters is None else clusters.filter(wrong)
    )


def can_error_kind_occur(golds: set[str], kind: tuple[str, str]) -> bool:
    """Whether a type of error can occur on a set with these gold labels."""
    gold, answer = kind
    return bool(golds - {answer}) if gold == ANY else gold in golds


def compute_prediction_shares(
    predictions: pl.DataFrame, tags: pl.DataFrame, labels: Sequence[str], clusters: Clusters | None = None
) -> pl.DataFrame:
    """Count the predicted labels for each combination of tags: n, and for each label NAME its share and interval.

    Rows are in the order in which the combinations first occur; the last is over all pairs and has no tags. Predictions
    without a label, if any, have a column of their own.
    """
    said = predictions.select(pl.col("prediction").replace(dict.fromkeys(NO_LABEL, WITHOUT_LABEL)))[
        "prediction"
    ]
    names = [*labels, WITHOUT_LABEL] if WITHOUT_LABEL in said else list(labels)
    hits = pl.DataFrame({name: said == name for name in names})
    rows = [
        {**group, **_make_share_columns(hits[taken], None if clusters is None else clusters[taken])}
        for group, taken in _iterate_tag_groups(tags)
    ]
    rows.append({**dict.fromkeys(tags.columns), **_make_share_columns(hits, clusters)})
    return pl.DataFrame(rows, schema_overrides=dict(tags.schema), infer_schema_length=None)


def _iterate_tag_groups(tags: pl.DataFrame) -> Iterator[tuple[dict[str, object], pl.Series]]:
    """Go through the combinations of tags, each with the places of its rows."""
    if tags.width:
        cells = tags.with_row_index(ROW_COLUMN).group_by(tags.columns, maintain_order=True).agg(ROW_COLUMN)
        for *group, taken in cells.iter_rows():
            yield dict(zip(tags.columns, group, strict=True)), pl.Series(taken, dtype=pl.UInt32)


def _make_share_columns(hits: pl.DataFrame, clusters: Clusters | None) -> dict[str, object]:
    found: dict[str, object] = {"n": hits.height}
    for name in hits.columns:
        found |= compute_clustered_proportion(hits[name], clusters).to_columns(name)
    return found
