"""Run a model on pairs, with checkpoints.

A model that predicts in batches gets each distinct pair once. With a journal, the plan is written before the first
batch and each prediction as it comes: after a kill, an interrupt or a failure, the same call resumes from the journal
and returns exactly the predictions of an undisturbed run.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.core.pairs import TEXTS
from rightreasons.core.parts import BatchModel
from rightreasons.core.progress import show_progress
from rightreasons.inference.batches import predict_in_batches
from rightreasons.io.alignment import align_by_id

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.core.parts import Model


@dataclass(frozen=True)
class PredictionResult:
    """Predictions in the order of the pairs, and facts about the run for its card."""

    predictions: pl.DataFrame
    facts: dict[str, Any]


class BatchedModel(BatchModel):
    """Base class of models that predict batch by batch: `predict` runs the batches."""

    def predict(self, pairs: pl.DataFrame) -> pl.DataFrame:
        """Predict a label for every pair."""
        return _run_batches(self, select_columns(self, pairs), None, f"running {self.name}").predictions


def predict_pairs(
    model: Model, pairs: pl.DataFrame, journal: Path | None = None, *, label: str | None = None
) -> PredictionResult:
    """Run a model on pairs, and check what it returns.

    Args:
        model: the model; see `rightreasons.core.parts.complete_model` for objects that have `predict` only.
        pairs: the pairs, of which the model gets ids, texts and the columns that it needs or wants.
        journal: the folder that keeps the predictions, below a name that stands for this model and these pairs.
        label: the text of the progress bar.
    """
    visible, label = select_columns(model, pairs), label or f"running {model.name}"
    if model.in_batches:
        return _run_batches(cast("BatchModel", model), visible, journal, label)
    start = time.perf_counter()
    with show_progress(label=label):
        predictions = _check_predictions(model.predict(visible), visible, model.name)
    seconds = round(time.perf_counter() - start, 4)
    return PredictionResult(predictions, {"pairs": visible.height, "seconds": seconds})


def select_columns(model: Model, pairs: pl.DataFrame) -> pl.DataFrame:
    """Select the columns that a model may see: never the gold labels."""
    columns = ("id", *TEXTS, *model.needs)
    missing = [column for column in columns if column not in pairs.columns]
    if missing:
        parses = "Generate the set with parses if it supports them, or remove the model."
        usual = parses if "parse" in missing[0] else "Add this column to the table."
        raise InputError(f"The model {model.name!r} needs the column {missing[0]!r}. {model.advice or usual}")
    wanted = [column for column in model.wants if column in pairs.columns and column not in columns]
    return pairs.select(*columns, *wanted)


def _run_batches(
    model: BatchModel, pairs: pl.DataFrame, journal: Path | None, label: str
) -> PredictionResult:
    predictions, facts = predict_in_batches(model, pairs, label, journal)
    return PredictionResult(_check_predictions(predictions, pairs, model.name), facts)


def _check_predictions(predictions: pl.DataFrame, pairs: pl.DataFrame, name: str) -> pl.DataFrame:
    """Check that a model returned one prediction, by id, for every pair."""
    if not isinstance(predictions, pl.DataFrame):
        raise InputError(f"The model {name!r} did not return a table of predictions. Fix its predict method.")
    try:
        return align_by_id(pairs, predictions)
    except InputError as error:
        raise InputError(f"The model {name!r}: {error}") from error
