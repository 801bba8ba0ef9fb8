"""Accuracy by tags and true label: one count makes every table of every paper."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core import labels
from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.pairs import PARSES, REQUIRED
from rightreasons.io.alignment import align
from rightreasons.io.csv_injection import to_csv
from rightreasons.scoring.cells import ALL, find_cells
from rightreasons.scoring.clusters import add_intervals
from rightreasons.scoring.no_label import warn_of_missing_labels
from rightreasons.scoring.sharing import Sharing, find_sharing
from rightreasons.scoring.suspicions import find_suspicions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = [
    "ALL",
    "FIGURES",
    "Scores",
    "align_predictions",
    "check_tags",
    "count_correct",
    "has_two_labels",
    "must_merge",
    "score_predictions",
]

FIGURES = ("gold", "n", "correct", "accuracy", "low", "high", "interval")


@dataclass(frozen=True)
class Scores:
    """Counts by tags and true label, how the labels were compared, and what to beware of.

    `predicted` counts the answers as they were compared: by label, and by what they are where they have none.
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
        """Show the scores as one JSON object."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"

    def to_csv(self) -> str:
        """Show the rows as CSV; the rule and the warnings have no place there."""
        return to_csv(self.rows)


def score_predictions(
    pairs: pl.DataFrame,
    answers: pl.DataFrame,
    *,
    by: Sequence[str] = (),
    rule: str = labels.AUTO,
    path: str | Path | None = None,
    merge: bool = False,
) -> Scores:
    """Count right answers for each combination of the tags: per true label, and in all.

    Groups come in the order in which the set first has them; a tag without a value is a group of its own.
    With `merge`, three labels are merged into two even if the answers don't ask for it, as those of another
    model may that stands beside.
    The path, where given, is the file that the answers were read from, and is named in errors.
    """
    tags = check_tags(pairs, by)
    compared, asked = align_predictions(pairs, answers, rule=rule, path=path, merge=merge)
    shared = find_sharing(pairs)
    rows = count_correct(pairs, compared.table, tags, shared)
    doubts = find_suspicions(compared.table, asked, compared.used, lambda: shared.widest)
    warnings = (*compared.warnings, *warn_of_missing_labels(compared.table), *doubts)
    return Scores(rows, compared.rule, warnings, _count_predictions(compared.table["prediction"]))


def count_correct(
    pairs: pl.DataFrame, compared: pl.DataFrame, by: Sequence[str] = (), shared: Sharing | None = None
) -> pl.DataFrame:
    """Count right answers in a table of `gold` and `answer` that stands row by row beside the pairs.

    What the pairs share is found out unless it is given, which saves time where many models are counted.
    """
    found = find_cells(pairs, compared["gold"], by)
    right = (compared["gold"] == compared["prediction"]).alias("right")
    rows = found.rows.with_columns(n=pl.Series(found.n), correct=pl.Series(found.count(right)))
    rows = rows.with_columns(accuracy=pl.col("correct") / pl.col("n"))
    return add_intervals(rows, found, right, find_sharing(pairs) if shared is None else shared)


def check_tags(pairs: pl.DataFrame, by: Sequence[str]) -> list[str]:
    """Return the tags, each once; a tag that the set doesn't have, or that we count in, is an error."""
    tags = list(dict.fromkeys(by))
    for tag in tags:
        if tag not in pairs.columns:
            raise UnknownNameError("tag", tag, set(pairs.columns) - {*REQUIRED, *PARSES})
        if tag in FIGURES:
            raise InputError(f"The tag {tag!r} has the name of a column of the scores. Rename that tag.")
    return tags


def align_predictions(
    pairs: pl.DataFrame,
    answers: pl.DataFrame,
    *,
    rule: str,
    path: str | Path | None = None,
    merge: bool = False,
) -> tuple[labels.Comparison, pl.DataFrame]:
    """Join answers to pairs and bring both to the same labels; also return the answers as they were."""
    missing = [name for name in ("id", "label") if name not in pairs.columns]
    if missing:
        raise InputError(f"The set has no column {missing[0]!r}. Give every pair an id and a label.")
    if pairs.is_empty():
        raise InputError("The set has no pairs, so there is nothing to score. Give a set with pairs.")
    gold = labels.resolve_column(pairs["label"])
    asked = align(pairs, answers, path)
    asked = asked.with_columns(labels.resolve_answers(asked["label"]))
    return labels.compare(gold, asked, rule, merged=merge), asked


def must_merge(pairs: pl.DataFrame, answers: pl.DataFrame) -> bool:
    """Tell whether the labels of the set must be merged before these answers can be scored."""
    return labels.must_merge(labels.resolve_column(pairs["label"]), labels.resolve_answers(answers["label"]))


def has_two_labels(pairs: pl.DataFrame) -> bool:
    """Tell whether the labels of the set are entailment and non-entailment, so that those of models are merged."""
    return set(labels.resolve_column(pairs["label"]).unique()) <= set(labels.TWO)


def _count_predictions(answers: pl.Series) -> dict[str, int]:
    """Count the answers of each kind, in the order of the labels."""
    counts = dict(answers.value_counts(name="n").iter_rows())
    return {word: counts[word] for word in (*labels.LABELS, *labels.NO_LABEL) if word in counts}
