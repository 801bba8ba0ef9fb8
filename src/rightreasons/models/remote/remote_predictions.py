"""The answers that a server sent, read into a table."""

from __future__ import annotations

from typing import Any

import polars as pl

from rightreasons.core import labels
from rightreasons.core.errors import InputError, MissingPredictionsError, counted
from rightreasons.io.predictions import check_probabilities
from rightreasons.models.remote.failures import TransientError

# Single precision is no better than this.
ROUNDING = 1e-6


def read_answers(reply: dict[str, Any], wanted: int, address: str) -> pl.DataFrame:
    """Read one answer for each pair; too few or too many may be a slip, a word that is no label is not."""
    answers = reply.get("answers")
    if not isinstance(answers, list) or not all(isinstance(answer, dict) for answer in answers):
        raise TransientError(f"{address} sent no list of answers", paid=True)
    if len(answers) != wanted:
        raise TransientError(
            f"{address} sent {counted(len(answers), 'answer')} to {counted(wanted, 'pair')}", paid=True
        )
    columns: dict[str, Any] = {"label": [_label(answer.get("label"), address) for answer in answers]}
    odds = [_probabilities(answer.get("probabilities"), address) for answer in answers]
    for label, name in labels.PROBABILITIES.items():
        if any(label in some for some in odds):
            columns[name] = pl.Series([some.get(label) for some in odds], dtype=pl.Float64)
    if any("text" in answer for answer in answers):
        columns["text"] = pl.Series([_text(answer.get("text")) for answer in answers], dtype=pl.String)
    return _checked(pl.DataFrame(columns), address)


def _checked(answers: pl.DataFrame, address: str) -> pl.DataFrame:
    """Hold probabilities to what they must be; what rounding has pushed beyond 1 is put back first."""
    numbers = pl.selectors.float()
    rounded = pl.when(numbers.is_between(1, 1 + ROUNDING)).then(1.0).otherwise(numbers).name.keep()
    table = answers.with_columns(rounded)
    try:
        check_probabilities(table, None)
    except InputError as error:
        raise InputError(f"{address}: {error}") from error
    return table


def _label(word: Any, address: str) -> str:
    found = word if word in labels.NO_LABEL else labels.look_up(word) if isinstance(word, str) else None
    if found is None:
        raise MissingPredictionsError(
            f"{address} answers {word!r:.100}, which is no label. Have it answer {', '.join(labels.LABELS)}.",
            final=True,
        )
    return str(found)


def _probabilities(given: Any, address: str) -> dict[str, float]:
    """Read the probabilities by the names of their labels; there need not be any."""
    if given is None:
        return {}
    found = {}
    for word, value in given.items() if isinstance(given, dict) else [(None, given)]:
        label = labels.look_up(word) if isinstance(word, str) else None
        number = _number(value)
        if label is None or number is None:
            raise MissingPredictionsError(
                f"{address} gives the probability {value!r:.100} to {word!r:.100}. "
                'Have it send an object such as {"entailment": 0.9, "non-entailment": 0.1}.',
                final=True,
            )
        found[label] = number
    return found


def _number(value: Any) -> float | None:
    """Read a number; a whole one of several hundred digits is none."""
    try:
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
    except OverflowError:
        return None


def _text(text: Any) -> str | None:
    # Half of a surrogate pair can stand in JSON, and in no file.
    return text.encode(errors="replace").decode() if isinstance(text, str) else None
