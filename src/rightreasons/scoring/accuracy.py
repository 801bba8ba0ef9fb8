"""Accuracy by tags and gold label: one count makes every table of every paper, and the layout of the HANS evaluator."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core import labels
from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.pairs import PARSE_COLUMNS, REQUIRED_COLUMNS
from rightreasons.io.alignment import align_by_id
from rightreasons.io.csv_injection import format_csv
from rightreasons.scoring.cells import ALL, find_cells
from rightreasons.scoring.clustered_intervals import add_accuracy_intervals
from rightreasons.scoring.prediction_warnings import warn_of_missing_labels, warn_of_suspicious_labels
from rightreasons.scoring.sharing import Sharing, find_sharing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from rightreasons.scoring.cells import Cells

__all__ = [
    "ALL",
    "SCORE_COLUMNS",
    "AlignedPredictions",
    "Scores",
    "align_predictions",
    "check_tags",
    "count_predicted_labels",
    "find_majority_label",
    "has_two_labels",
    "list_prediction_warnings",
    "make_cell_scores",
    "make_score_rows",
    "must_merge_labels",
    "render_hans_layout",
    "score_predictions",
]

SCORE_COLUMNS = ("gold", "n", "correct", "accuracy", "low", "high", "interval")
# The blocks of the original HANS evaluator: title, tag and gold labels.
HANS_BLOCKS = (
    ("Heuristic entailed results:", "heuristic", (labels.ENTAILMENT,)),
    ("Heuristic non-entailed results:", "heuristic", (labels.NON_ENTAILMENT,)),
    ("Subcase results:", "subcase", labels.TWO_LABELS),
    ("Template results:", "template", labels.TWO_LABELS),
)


@dataclass(frozen=True)
class AlignedPredictions:
    """Predictions in the order of the pairs, reduced to the same labels as the gold labels.

    `table` has `gold`, `prediction`, `right` and the known probabilities; `given` the predictions as they were given.
    """

    table: pl.DataFrame
    original: pl.DataFrame
    label_rule: str
    used: str  # the rule that was applied: argmax or sum
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scores:
    """Counts by tags and gold label, how the labels were compared, and warnings.

    `predicted` counts the predictions by label, or by the reason why there is no label.
    """

    rows: pl.DataFrame
    label_rule: str
    warnings: tuple[str, ...] = ()
    predicted: Mapping[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the scores as plain values."""
        rest = {"label_rule": self.label_rule, "warnings": list(self.warnings)}
        return {"rows": self.rows.to_dicts(), **rest, "predicted": dict(self.predicted)}

    def to_json(self) -> str:
        """Render the scores as one JSON object."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"

    def to_csv(self) -> str:
        """Render the rows as CSV, without the label rule and the warnings."""
        return format_csv(self.rows)


def score_predictions(
    pairs: pl.DataFrame,
    predictions: pl.DataFrame,
    *,
    by: Sequence[str] = (),
    rule: str = labels.AUTO,
    path: str | Path | None = None,
    merge: bool = False,
) -> Scores:
    """Count correct predictions for each combination of the tags, by gold label and in total.

    Groups are listed in the order of their first pair; a missing tag value is a group of its own. With `merge`, three
    labels are merged into two even if the predictions don't require it, because those of another model may. `path` is
    the file that the predictions were read from, for error messages.
    """
    tags = check_tags(pairs, by)
    aligned = align_predictions(pairs, predictions, rule=rule, path=path, merge=merge)
    shared = find_sharing(pairs)
    rows = make_score_rows(pairs, aligned.table, tags, shared)
    return Scores(
        rows,
        aligned.label_rule,
        list_prediction_warnings(aligned, shared),
        count_predicted_labels(aligned.table),
    )


def align_predictions(
    pairs: pl.DataFrame,
    predictions: pl.DataFrame,
    *,
    rule: str,
    path: str | Path | None = None,
    merge: bool = False,
) -> AlignedPredictions:
    """Join predictions to pairs by id, and reduce both to the same labels."""
    missing = [name for name in ("id", "label") if name not in pairs.columns]
    if missing:
        raise InputError(f"The set has no column {missing[0]!r}. Every pair needs an id and a label.")
    if pairs.is_empty():
        raise InputError(
            "The set has no pairs, so there is nothing to score. Pass a set with at least one pair."
        )
    gold = labels.resolve_labels(pairs["label"])
    given = align_by_id(pairs, predictions, path)
    given = given.with_columns(labels.resolve_predictions(given["label"]))
    compared = labels.compare_labels(gold, given, rule, merged=merge)
    known = [given[name] for name in labels.PROBABILITIES.values() if name in given.columns]
    right = (compared.table["gold"] == compared.table["prediction"]).alias("right")
    table = compared.table.with_columns(right, *known)
    return AlignedPredictions(table, given, compared.rule, compared.used_rule, compared.warnings)


def make_score_rows(
    pairs: pl.DataFrame, aligned: pl.DataFrame, by: Sequence[str] = (), shared: Sharing | None = None
) -> pl.DataFrame:
    """Count correct predictions in a table of `gold` and `prediction` that is aligned with the pairs."""
    cells = find_cells(pairs, aligned["gold"], by)
    return make_cell_scores(cells, aligned, find_sharing(pairs) if shared is None else shared)


def make_cell_scores(cells: Cells, aligned: pl.DataFrame, shared: Sharing) -> pl.DataFrame:
    """Count correct predictions in known cells, which are the same for all models on a set."""
    right = (aligned["gold"] == aligned["prediction"]).alias("right")
    rows = cells.rows.with_columns(n=pl.Series(cells.n), correct=pl.Series(cells.count_by_row(right)))
    rows = rows.with_columns(accuracy=pl.col("correct") / pl.col("n"))
    return add_accuracy_intervals(rows, cells, right, shared)


def count_predicted_labels(aligned: pl.DataFrame) -> dict[str, int]:
    """Count the predictions of each label, in the order of the labels."""
    counts = dict(aligned["prediction"].value_counts(name="n").iter_rows())
    return {word: counts[word] for word in (*labels.LABELS, *labels.NO_LABEL) if word in counts}


def list_prediction_warnings(aligned: AlignedPredictions, shared: Sharing) -> tuple[str, ...]:
    """List what is suspicious about predictions: merged, missing, constant or swapped labels."""
    doubts = warn_of_suspicious_labels(
        aligned.table, aligned.original, aligned.used, lambda: shared.coarsest_clusters
    )
    return (*aligned.warnings, *warn_of_missing_labels(aligned.table), *doubts)


def check_tags(pairs: pl.DataFrame, by: Sequence[str]) -> list[str]:
    """Return the distinct tags; refuse a tag that the set doesn't have, or that is a column of the scores."""
    tags = list(dict.fromkeys(by))
    for tag in tags:
        if tag not in pairs.columns:
            raise UnknownNameError("tag", tag, set(pairs.columns) - {*REQUIRED_COLUMNS, *PARSE_COLUMNS})
        if tag in SCORE_COLUMNS:
            raise InputError(f"The tag {tag!r} has the same name as a column of the scores. Rename the tag.")
    return tags


def find_majority_label(gold: pl.Series) -> str:
    """Return the most frequent gold label; of equally frequent ones, the first in the order of `labels.LABELS`."""
    counts = dict(gold.value_counts(name="n").iter_rows())
    return max(labels.LABELS, key=lambda label: counts.get(label, 0))


def must_merge_labels(pairs: pl.DataFrame, predictions: pl.DataFrame) -> bool:
    """Whether the labels of the set must be merged before these predictions can be scored."""
    return labels.must_merge_labels(
        labels.resolve_labels(pairs["label"]), labels.resolve_predictions(predictions["label"])
    )


def has_two_labels(pairs: pl.DataFrame) -> bool:
    """Whether the gold labels are entailment and non-entailment, so that predictions are merged to these."""
    return set(labels.resolve_labels(pairs["label"]).unique()) <= set(labels.TWO_LABELS)


def render_hans_layout(
    pairs: pl.DataFrame, predictions: pl.DataFrame, *, rule: str = labels.AUTO, path: str | Path | None = None
) -> str:
    """Render the four blocks of the original HANS evaluator: unrounded accuracies, in the order of the set.

    A heuristic without pairs of a label has no line in that label's block; the original evaluator failed there.
    """
    for _, tag, _ in HANS_BLOCKS:
        if tag not in pairs.columns or pairs[tag].null_count():
            raise InputError(
                f"The HANS layout requires the tag {tag!r} on every pair. Use the table layout instead."
            )
    aligned = align_predictions(pairs, predictions, rule=rule, path=path).table
    merged = aligned.select(labels.merge_labels(pl.col("gold", "prediction")))
    tags = pairs.select(name for _, name, _ in HANS_BLOCKS[1:])
    table = tags.with_columns(gold=merged["gold"], right=merged["gold"] == merged["prediction"])
    return "\n".join(_render_hans_block(table, *block) for block in HANS_BLOCKS)


def _render_hans_block(table: pl.DataFrame, title: str, tag: str, golds: tuple[str, ...]) -> str:
    """Render one block: its title and a line per value of the tag."""
    wanted = pl.col("gold").is_in(golds)
    cells = table.group_by(tag, maintain_order=True)
    counts = cells.agg(correct=(pl.col("right") & wanted).sum(), n=wanted.sum()).filter(pl.col("n") > 0)
    lines = [f"{name}: {correct / n!r}" for name, correct, n in counts.iter_rows()]
    return "\n".join([title, *lines, ""])
