"""Asking a model about pairs, with nothing lost.

A model that can be asked batch by batch is asked about each different pair once. With a journal, the plan is written
before the first batch and each answer is kept as it comes: whoever asks again after a kill, an interrupt or a failure
goes on by the stored plan, and gets the very same answers as if nothing had happened.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.core.pairs import TEXTS
from rightreasons.core.progress import progress
from rightreasons.inference.batches import ask_in_batches
from rightreasons.io.alignment import align

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.core.protocols import Batched


@dataclass(frozen=True)
class Answered:
    """Answers in the order of the pairs, and what is to be said of how they came about."""

    answers: pl.DataFrame
    facts: dict[str, Any]


class BatchedModel:
    """What all models that are asked batch by batch have in common."""

    def predict(self: Batched, pairs: pl.DataFrame) -> pl.DataFrame:
        """Answer every pair."""
        asked = seen(self, pairs)
        return _in_batches(self, asked, None, f"asking {name_of(self)}").answers


def ask(
    model: Any, pairs: pl.DataFrame, journal: Path | None = None, *, label: str | None = None
) -> Answered:
    """Ask a model about all the pairs, and hold it to its contract.

    Args:
        model: anything with `predict`; one with `prepare` is asked batch by batch.
        pairs: the pairs, of which the model sees ids, texts and what else it needs.
        journal: the folder that keeps what is answered, below a name that stands for this model and these pairs.
        label: what the progress bar says.
    """
    asked, shown = seen(model, pairs), label or f"asking {name_of(model)}"
    if hasattr(model, "prepare"):
        return _in_batches(model, asked, journal, shown)
    start = time.perf_counter()
    with progress(label=shown):
        answers = _checked(model.predict(asked), asked, name_of(model))
    return Answered(answers, {"pairs": asked.height, "seconds": round(time.perf_counter() - start, 4)})


def precheck(model: object) -> None:
    """Have a model say what is wrong with it before the first pair of a run is asked.

    A model may have a method `precheck`, which raises an InputError if a file, a folder, a key or an option is wrong.
    It takes a short time; what it reads or loads, it keeps.
    """
    check = getattr(model, "precheck", None)
    if callable(check):
        check()


def needs_of(model: object) -> tuple[str, ...]:
    """List the columns a model needs beside ids and texts."""
    return tuple(getattr(model, "needs", ()))


def wants_of(model: object) -> tuple[str, ...]:
    """List the columns a model reads beside ids and texts where they are there."""
    return tuple(getattr(model, "wants", ()))


def name_of(model: object) -> str:
    """Name a model: as it calls itself, or by its class."""
    return str(getattr(model, "name", None) or type(model).__name__)


def seen(model: object, pairs: pl.DataFrame) -> pl.DataFrame:
    """Choose the columns that a model may see: never the labels."""
    columns = ("id", *TEXTS, *needs_of(model))
    missing = [column for column in columns if column not in pairs.columns]
    if missing:
        parses = "Make the set with parses, if it can have them, or leave the model out."
        usual = parses if "parse" in missing[0] else "Add it to the table."
        advice = getattr(model, "advice", usual)
        raise InputError(f"The model {name_of(model)!r} needs the column {missing[0]!r}. {advice}")
    more = [column for column in wants_of(model) if column in pairs.columns and column not in columns]
    return pairs.select(*columns, *more)


def _in_batches(model: Batched, asked: pl.DataFrame, journal: Path | None, label: str) -> Answered:
    answers, facts = ask_in_batches(model, asked, name_of(model), label, journal)
    return Answered(_checked(answers, asked, name_of(model)), facts)


def _checked(answers: pl.DataFrame, asked: pl.DataFrame, name: str) -> pl.DataFrame:
    """Hold a model to its contract: one answer, by id, to every pair."""
    if not isinstance(answers, pl.DataFrame):
        raise InputError(f"The model {name!r} gave no table of answers. Mend its predict method.")
    try:
        return align(asked, answers)
    except InputError as error:
        raise InputError(f"The model {name!r}: {error}") from error
