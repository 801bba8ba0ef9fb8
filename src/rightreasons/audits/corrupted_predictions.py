"""The predictions of a model on a sample of pairs as they are, and on the same pairs corrupted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.audits.text_corruptions import CORRUPTIONS
from rightreasons.core.errors import InputError
from rightreasons.core.keyed_random import draw_numbers
from rightreasons.core.labels import AUTO
from rightreasons.core.pairs import PARSE_COLUMNS, TEXTS
from rightreasons.inference import predict_pairs
from rightreasons.scoring.accuracy import align_predictions, find_majority_label
from rightreasons.scoring.paired import compute_difference_interval
from rightreasons.scoring.prediction_warnings import warn_of_missing_labels
from rightreasons.scoring.proportion import compute_clustered_proportion
from rightreasons.scoring.sharing import find_sharing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rightreasons.core.parts import Model
    from rightreasons.scoring.proportion import Proportion
    from rightreasons.scoring.sharing import Clusters

INTACT = "intact"
_BEFORE = "_before"
_COMPARED = ("gold", "prediction", "right")
_ADDED = tuple(f"{column}{_BEFORE}" for column in (*TEXTS, *_COMPARED))


@dataclass(frozen=True, eq=False)
class CorruptedPairs:
    """The pairs that a corruption changes, with `gold`, `prediction`, `right`, and all of it `_before`."""

    name: str
    table: pl.DataFrame
    clusters: Clusters | None

    @property
    def accuracy(self) -> Proportion:
        """The accuracy on the corrupted pairs."""
        return compute_clustered_proportion(self.table["right"], self.clusters)

    @property
    def accuracy_before(self) -> Proportion:
        """The accuracy on the same pairs as they are."""
        return compute_clustered_proportion(self.table["right_before"], self.clusters)

    @property
    def still_correct(self) -> Proportion:
        """The share of the pairs predicted correctly before that are so after."""
        known = self.table["right_before"]
        clusters = None if self.clusters is None else self.clusters.filter(known)
        return compute_clustered_proportion(self.table["right"].filter(known), clusters)

    @property
    def same_prediction(self) -> Proportion:
        """The share of the pairs with the same prediction before and after."""
        same = self.table["prediction"] == self.table["prediction_before"]
        return compute_clustered_proportion(same, self.clusters)

    @property
    def majority(self) -> float:
        """The share of the most frequent gold label."""
        gold = self.table["gold"]
        return int((gold == find_majority_label(gold)).sum()) / len(gold)

    def compute_change(self) -> tuple[float, float, float]:
        """Compute the change of the accuracy, with the interval of a paired difference."""
        after, before = pl.col("right"), pl.col("right_before")
        flags = {"n": pl.lit(value=True), "gained": after & ~before, "lost": before & ~after}
        counts = self.table.select(flag.cast(pl.Int64).alias(name) for name, flag in flags.items())
        n, gained, lost = counts.sum().row(0)
        return (gained - lost) / n, *compute_difference_interval(counts, self.clusters)


@dataclass(frozen=True, eq=False)
class CorruptedPredictions:
    """The predictions of a model on intact pairs, and on those that each corruption changes."""

    model: str
    intact: CorruptedPairs
    changed: tuple[CorruptedPairs, ...]
    idle: tuple[str, ...]  # corruptions that change no pair
    warnings: tuple[str, ...] = ()


def draw_stratified_sample(pairs: pl.DataFrame, size: int | None, seed: int) -> pl.DataFrame:
    """Draw pairs at random, of each label in proportion; the sample does not depend on the order of the pairs."""
    if size is None or size >= pairs.height:
        return pairs
    drawn = pl.Series("_drawn", draw_numbers(pairs["id"], "corruption", seed))
    rank = pl.col("_drawn").rank("ordinal").over("label") - 0.5
    placed = pairs.select("label", drawn).with_columns(_place=rank / pl.len().over("label"))
    # Labels of the same number of pairs have the same places, of which the drawn numbers choose.
    chosen = placed.select(pl.arg_sort_by("_place", "_drawn").head(size)).to_series()
    return pairs[chosen.sort()]


def refuse_unsuited_model(model: Model) -> None:
    """Refuse a model that can't be run on corrupted pairs, since it depends on ids or parses."""
    if model.by_id:
        raise InputError(
            f"The model {model.name!r} looks predictions up by the ids of the pairs, so it can't predict corrupted "
            "pairs. Use a model that reads the texts."
        )
    parses = [column for column in model.needs if column in PARSE_COLUMNS]
    if parses:
        raise InputError(
            f"The model {model.name!r} needs the column {parses[0]!r}, and corrupted pairs have no parses. "
            "Use a model that reads the texts."
        )


def predict_corrupted_pairs(
    model: Model, sample: pl.DataFrame, names: Sequence[str], seed: int
) -> CorruptedPredictions:
    """Run a model on pairs as they are and corrupted, all at once so that their labels are compared by one rule."""
    model.precheck()
    # Parses tell the text as it was before, and tags may have the names of columns of this table.
    plain = sample.drop(*PARSE_COLUMNS, *_COMPARED, *_ADDED, strict=False)
    parts = {INTACT: plain} | {name: CORRUPTIONS[name](plain, seed) for name in names}
    whole = pl.concat(
        part.with_columns(pl.concat_str(pl.lit(f"{name}:"), "id").alias("id")) for name, part in parts.items()
    )
    predictions = predict_pairs(model, whole.drop("label")).predictions
    aligned = align_predictions(whole, predictions, rule=AUTO)
    compared = aligned.table.select(_COMPARED)
    tables = {
        name: part.hstack(compared[place * sample.height : (place + 1) * sample.height])
        for place, (name, part) in enumerate(parts.items())
    }
    clusters = find_sharing(sample).clusters
    intact, *changed = (
        _select_changed_pairs(name, table, tables[INTACT], clusters) for name, table in tables.items()
    )
    return CorruptedPredictions(
        model.name,
        intact,
        tuple(each for each in changed if each.table.height),
        tuple(each.name for each in changed if each.table.is_empty()),
        (*aligned.warnings, *warn_of_missing_labels(aligned.table)),
    )


def _select_changed_pairs(
    name: str, table: pl.DataFrame, intact: pl.DataFrame, clusters: Clusters | None
) -> CorruptedPairs:
    """Select the pairs that a corruption changes, with their texts and predictions before; of intact pairs, all."""
    before = intact.select(*TEXTS, *_COMPARED).rename(lambda column: column + _BEFORE)
    both = table.hstack(before)
    differs = pl.any_horizontal(pl.col(text) != pl.col(text + _BEFORE) for text in TEXTS)
    changed = both.select(differs | (name == INTACT)).to_series()
    return CorruptedPairs(name, both.filter(changed), None if clusters is None else clusters.filter(changed))
