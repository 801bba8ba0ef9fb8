"""Asking a model about pairs, with nothing lost.

A model that can be asked batch by batch is asked about each different pair once. With a journal, the plan is written
before the first batch and each answer is kept as it comes: whoever asks again after a kill, an interrupt or a failure
goes on by the stored plan, and gets the very same answers as if nothing had happened.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.core.pairs import TEXTS
from rightreasons.core.parts import BatchModel
from rightreasons.core.progress import progress
from rightreasons.inference.batches import ask_in_batches
from rightreasons.io.alignment import align_by_id

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.core.parts import Model


@dataclass(frozen=True)
class Answered:
    """Answers in the order of the pairs, and what is to be said of how they came about."""

    answers: pl.DataFrame
    facts: dict[str, Any]


class BatchedModel(BatchModel):
    """Base class of models that predict batch by batch: `predict` runs the batches."""

    def predict(self, pairs: pl.DataFrame) -> pl.DataFrame:
        """Predict a label for every pair."""
        return _in_batches(self, seen(self, pairs), None, f"asking {self.name}").answers


def ask(
    model: Model, pairs: pl.DataFrame, journal: Path | None = None, *, label: str | None = None
) -> Answered:
    """Ask a model about all the pairs, and hold it to its contract.

    Args:
        model: the model; see `rightreasons.core.parts.complete_model` for objects that have `predict` only.
        pairs: the pairs, of which the model sees ids, texts and what else it needs.
        journal: the folder that keeps what is answered, below a name that stands for this model and these pairs.
        label: what the progress bar says.
    """
    asked, shown = seen(model, pairs), label or f"asking {model.name}"
    if model.in_batches:
        return _in_batches(cast("BatchModel", model), asked, journal, shown)
    start = time.perf_counter()
    with progress(label=shown):
        answers = _checked(model.predict(asked), asked, model.name)
    return Answered(answers, {"pairs": asked.height, "seconds": round(time.perf_counter() - start, 4)})


def seen(model: Model, pairs: pl.DataFrame) -> pl.DataFrame:
    """Choose the columns that a model may see: never the labels."""
    columns = ("id", *TEXTS, *model.needs)
    missing = [column for column in columns if column not in pairs.columns]
    if missing:
        parses = "Make the set with parses, if it can have them, or leave the model out."
        usual = parses if "parse" in missing[0] else "Add it to the table."
        raise InputError(f"The model {model.name!r} needs the column {missing[0]!r}. {model.advice or usual}")
    more = [column for column in model.wants if column in pairs.columns and column not in columns]
    return pairs.select(*columns, *more)


def _in_batches(model: BatchModel, asked: pl.DataFrame, journal: Path | None, label: str) -> Answered:
    answers, facts = ask_in_batches(model, asked, label, journal)
    return Answered(_checked(answers, asked, model.name), facts)


def _checked(answers: pl.DataFrame, asked: pl.DataFrame, name: str) -> pl.DataFrame:
    """Hold a model to its contract: one answer, by id, to every pair."""
    if not isinstance(answers, pl.DataFrame):
        raise InputError(f"The model {name!r} gave no table of answers. Mend its predict method.")
    try:
        return align_by_id(asked, answers)
    except InputError as error:
        raise InputError(f"The model {name!r}: {error}") from error
