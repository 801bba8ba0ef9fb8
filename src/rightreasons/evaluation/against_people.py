"""Score predictions against how people divide over the labels of the same pairs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rightreasons.core.errors import InputError, format_count
from rightreasons.core.labels import (
    NON_ENTAILMENT,
    PROBABILITIES,
    THREE_LABELS,
    TWO_LABELS,
    apply_label_rule,
    has_label,
    resolve_labels,
)
from rightreasons.corpora.human_labels import JUDGEMENTS, HumanLabels, read_human_labels
from rightreasons.reports.exhibits.human_distributions import make_people_exhibit
from rightreasons.scoring.human_distributions import PeopleComparison, PeopleMeasure, compare_with_people
from rightreasons.scoring.proportion import compute_clustered_proportion
from rightreasons.scoring.sharing import find_sharing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rightreasons.core.exhibit import Exhibit

CARD = "study.json"
# Below it, a model that predicts exactly what people say has an ECE of more than a tenth.
CLEAR_MAJORITY = 0.9
MISLEADING = (
    "Top-label calibration, such as the ECE of a report, is misleading here: on average, {share:.1%} of the people "
    "chose the label that most chose, so a model with exactly the shares of people as probabilities would have an ECE "
    "of {error:.1%} against that label. Compare JSD and KL instead."
)


@dataclass(frozen=True)
class PeopleScores:
    """The comparison of a model with people, on the pairs that have both; `gold` is the accuracy against gold labels.

    `misleading` says why calibration against the label of most people misleads, if it does.
    """

    comparison: PeopleComparison
    gold: PeopleMeasure
    labels: tuple[str, ...]
    pairs: int
    judgements: int | None  # of all pairs together
    warnings: tuple[str, ...] = ()
    misleading: str = ""

    def make_exhibit(self) -> Exhibit:
        """Show the figures as a table."""
        notes = tuple(filter(None, (*self.warnings, self.misleading)))
        return make_people_exhibit(
            self.comparison, self.gold, pairs=self.pairs, judgements=self.judgements, notes=notes
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain values."""
        measures = {**vars(self.comparison), "gold": self.gold}
        ties = measures.pop("ties")
        return {
            "pairs": self.pairs,
            "judgements": self.judgements,
            "labels": list(self.labels),
            "figures": {name: vars(measure) for name, measure in measures.items()},
            "ties": ties,
            "warnings": list(self.warnings),
            "misleading": self.misleading,
        }

    def to_json(self) -> str:
        """Render the figures as one JSON object."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"


def load_human_labels(path: str | Path) -> HumanLabels:
    """Load how people divide over labels from a file, or from a study folder; participants are excluded as planned."""
    if (Path(path) / CARD).is_file():
        from rightreasons.people.human_shares import compute_human_labels

        return compute_human_labels(Path(path))
    return read_human_labels(path)


def compare_predictions_with_people(
    pairs: pl.DataFrame, predictions: pl.DataFrame, people: HumanLabels, rule: str = "auto"
) -> PeopleScores:
    """Compare predictions with people by id, on the pairs of the set that both judged.

    If either side has two labels, those of the other are merged into two.
    """
    _refuse_missing_columns("pairs", pairs, ("id",))
    _refuse_missing_columns("predictions", predictions, ("id", "label"))
    _refuse_repeated_prediction_ids(predictions)
    joined, warnings = _join_people(pairs, predictions, people)
    two = people.labels == TWO_LABELS or NON_ENTAILMENT in joined["label"]
    labels = TWO_LABELS if two else THREE_LABELS
    if two:
        people = people.merge_to_two_labels()
    shares = joined.select("id").join(people.table, on="id", how="left", maintain_order="left")
    human = shares.select(PROBABILITIES[label] for label in labels).to_numpy().astype(np.float64)
    model = _collect_model_shares(joined, labels)
    if model is None:
        warnings.append("Some predictions have no probabilities, so that only labels are compared.")
    judgements = None if shares[JUDGEMENTS].null_count() else shares[JUDGEMENTS].to_numpy().astype(np.int64)
    predicted = apply_label_rule(joined, rule) if two else joined["label"]
    codes = predicted.replace_strict(
        list(labels), list(range(len(labels))), default=-1, return_dtype=pl.Int64
    )
    clusters = find_sharing(joined).coarsest_clusters
    comparison = compare_with_people(human, codes.to_numpy(), model, judgements, clusters)
    share = comparison.majority_share.value or 0.0
    misleading = MISLEADING.format(share=share, error=1 - share) if share < CLEAR_MAJORITY else ""
    return PeopleScores(
        comparison,
        _compare_with_gold(joined, predicted, merged=two),
        labels,
        joined.height,
        None if judgements is None else int(judgements.sum()),
        tuple(warnings),
        misleading,
    )


def _refuse_missing_columns(what: str, table: pl.DataFrame, names: Sequence[str]) -> None:
    for name in names:
        if name not in table.columns:
            raise InputError(f"The {what} have no column {name!r}. Add it.")


def _refuse_repeated_prediction_ids(predictions: pl.DataFrame) -> None:
    repeated = predictions["id"].filter(predictions["id"].is_duplicated())
    if len(repeated):
        raise InputError(
            f"The predictions have the id {repeated[0]!r} twice. Give one prediction for each pair."
        )


def _join_people(
    pairs: pl.DataFrame, predictions: pl.DataFrame, people: HumanLabels
) -> tuple[pl.DataFrame, list[str]]:
    """Join the pairs that people judged with their predictions, and say which pairs were left out."""
    judged = pairs.with_columns(pl.col("id").cast(pl.String)).filter(
        pl.col("id").is_in(people.table["id"].implode())
    )
    if judged.is_empty():
        raise InputError(
            f"People judged none of the pairs: no id of the set is among theirs, such as {people.table['id'][0]!r}. "
            "Use the set whose pairs they judged."
        )
    gold = judged.rename({"label": "gold"}) if "label" in judged.columns else judged.with_columns(gold=None)
    names = ["id", "label", *(name for name in PROBABILITIES.values() if name in predictions.columns)]
    clashing = [name for name in names[1:] if name in gold.columns]
    joined = gold.drop(clashing).join(predictions.select(names), on="id", how="inner", maintain_order="left")
    if joined.is_empty():
        raise InputError(
            "None of the pairs that people judged has a prediction. Predict the pairs of the set."
        )
    warnings = [people.remark] if people.remark else []
    missing, absent = judged.height - joined.height, people.table.height - judged.height
    if missing:
        what = format_count(missing, "pair")
        warnings.append(
            f"{what} of {judged.height:,} that people judged have no prediction, and are left out."
        )
    if absent:
        what = format_count(absent, "pair")
        warnings.append(f"{what} of {people.table.height:,} that people judged are not in the set.")
    return joined, warnings


def _collect_model_shares(joined: pl.DataFrame, labels: tuple[str, ...]) -> np.ndarray[Any, Any] | None:
    """Return the probabilities of all labels; None if any prediction lacks one, as those without a label do."""
    known = [name for name in PROBABILITIES.values() if name in joined.columns]
    if labels == TWO_LABELS:
        yes = PROBABILITIES[labels[0]]
        if yes not in known:
            return None
        table = joined.select(yes, (1 - pl.col(yes)).alias("no"))
    elif any(PROBABILITIES[label] not in known for label in labels):
        return None
    else:
        table = joined.select(PROBABILITIES[label] for label in labels)
    if table.select(pl.any_horizontal(pl.all().is_null().any())).item():
        return None
    return table.to_numpy().astype(np.float64)


def _compare_with_gold(joined: pl.DataFrame, predicted: pl.Series, *, merged: bool) -> PeopleMeasure:
    """Compute the accuracy against the gold labels of the same pairs, where there are any."""
    gold = joined["gold"].cast(pl.String)
    known = gold.is_not_null() & has_label(predicted.alias("label"))
    labelled = gold.is_not_null()
    if not known.any():
        return PeopleMeasure(None, 0)
    words = resolve_labels(gold.filter(labelled).alias("label"))
    if merged:
        from rightreasons.core.labels import merge_labels

        words = merge_labels(words)
    right = words == predicted.filter(labelled)
    share = compute_clustered_proportion(right, find_sharing(joined.filter(labelled)).clusters)
    return PeopleMeasure(share.share, share.n, share.low, share.high)
