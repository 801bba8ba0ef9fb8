"""What an edit of pairs costs a model: accuracy on edited pairs against accuracy on their sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.edits import EDIT_TAGS, select_edited_text, select_other_text, undo_edits
from rightreasons.core.labels import AUTO, TWO_LABELS, apply_label_rule, merge_labels
from rightreasons.scoring.paired import compute_difference_interval
from rightreasons.scoring.proportion import Proportion, compute_clustered_proportion
from rightreasons.scoring.sharing import COLUMNS, find_sharing

if TYPE_CHECKING:
    from rightreasons.scoring.sharing import Clusters

_TEXTS = ("premise", "hypothesis", "premise_before", "hypothesis_before")


@dataclass(frozen=True)
class AccuracyDrop:
    """How predictions change; the drop is the accuracy before minus the accuracy after, as a fraction."""

    n: int  # edited pairs whose source has a prediction too
    sources: int
    before: Proportion  # correct predictions
    after: Proportion
    lost: Proportion  # right before, wrong after
    gained: Proportion  # wrong before, right after
    drop: float  # below 0 it is a gain
    low: float
    high: float


def join_with_sources(before: pl.DataFrame, after: pl.DataFrame, rule: str = AUTO) -> pl.DataFrame:
    """Join each changed pair with its source: by `source_id` in `after`, by `id` in `before`.

    The columns of the source get the suffix _before. Pairs without a source, and those whose gold label differs from
    that of the source, are left out: their predictions can't be compared. If one of the two was compared by two labels
    and the other by three, the other is merged by the rule, too.
    """
    if differ_in_label_count(before, after):
        before, after = _merge_into_two_labels(before, rule), _merge_into_two_labels(after, rule)
    known = before.unique("id", keep="first", maintain_order=True).rename(lambda name: f"{name}_before")
    both = after.join(known, left_on="source_id", right_on="id_before", maintain_order="left")
    return both.filter(pl.col("gold") == pl.col("gold_before"))


def differ_in_label_count(before: pl.DataFrame, after: pl.DataFrame) -> bool:
    """Whether one of two tables has two gold labels and the other three, as with a model with two labels."""
    return is_scored_with_two_labels(before) != is_scored_with_two_labels(after)


def is_scored_with_two_labels(table: pl.DataFrame) -> bool:
    """Whether predictions were scored with two labels."""
    return set(table["gold"].unique()) <= set(TWO_LABELS)


def _merge_into_two_labels(table: pl.DataFrame, rule: str) -> pl.DataFrame:
    if is_scored_with_two_labels(table):
        return table
    merged = table.with_columns(merge_labels(table["gold"]), apply_label_rule(table, rule, "prediction"))
    return merged.with_columns(right=pl.col("gold") == pl.col("prediction"))


def find_source_matches(both: pl.DataFrame) -> pl.Series | None:
    """Whether undoing the edit of each joined pair results in the text of its source, so that the ids match.

    None if the pairs don't record their edits. A pair without an edit must have the same texts as its source.
    """
    if not {*EDIT_TAGS, *_TEXTS} <= set(both.columns):
        return None
    at = pl.col("edit_at").cast(pl.Int64, strict=False)
    parts = [pl.col(name).cast(pl.String).fill_null("") for name in ("edit_from", "edit_to")]
    edited = both.with_columns(pl.when(at >= 0).then(at).alias("edit_at"), *parts)
    sides = (select_edited_text().alias("edited"), select_other_text().alias("other"))
    was = (
        edited.with_columns(_was=undo_edits(edited))
        .select(*sides, "_was")
        .with_columns(edited=pl.coalesce("_was", "edited"))
    )
    source = both.select("side", premise="premise_before", hypothesis="hypothesis_before").select(*sides)
    return (was["edited"].eq_missing(source["edited"])) & (was["other"].eq_missing(source["other"]))


def measure_accuracy_drop(both: pl.DataFrame, clusters: Clusters | None = None) -> AccuracyDrop | None:
    """Measure how much accuracy is lost on joined pairs; None if there are none.

    The interval is that of a paired difference. Clusters are those of `find_joined_clusters`, or source pairs with
    all that was made of them where none are given.
    """
    if both.is_empty():
        return None
    was, is_ = pl.col("right_before"), pl.col("right")
    counted = {"n": pl.lit(1), "before": was, "after": is_, "lost": was & ~is_, "gained": is_ & ~was}
    table = both.select(rule.cast(pl.Int64).alias(name) for name, rule in counted.items())
    together = both["source_id"] if clusters is None else clusters
    n, before, after = table.sum().row(0)[:3]
    low, high = compute_difference_interval(table.select("n", "lost", "gained"), together)
    portions = {name: compute_clustered_proportion(table[name] == 1, together) for name in table.columns[1:]}
    return AccuracyDrop(
        n=n,
        sources=both["source_id"].n_unique(),
        **portions,
        drop=(before - after) / n,
        low=low,
        high=high,
    )


def find_joined_clusters(both: pl.DataFrame) -> Clusters | None:
    """Find which joined pairs belong together: by what they share after the change, or shared before it."""
    return find_sharing(both, (*COLUMNS, "premise_before")).clusters
