"""Predict batch by batch: the plan first, then each batch, checked and kept as it comes, all joined at the end.

Predictions of this process and of the journal take the same path.
"""

from __future__ import annotations

from collections import Counter
from contextlib import closing, nullcontext
from dataclasses import asdict
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rightreasons import __version__
from rightreasons.core.errors import InputError, MissingPredictionsError, format_count
from rightreasons.core.labels import LABELS, NO_LABEL, PROBABILITIES, REFUSED, UNREADABLE
from rightreasons.core.pairs import TEXTS, compute_digest
from rightreasons.core.parts import complete_job
from rightreasons.core.progress import show_progress
from rightreasons.inference.executor import Clock, execute_batches
from rightreasons.inference.journal import (
    FORMAT,
    MISSING_FILE,
    BatchPlan,
    Columns,
    JobRecord,
    normalise_json,
    open_journal,
)
from rightreasons.io.csv_injection import write_csv
from rightreasons.io.outputs import write_atomically

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from rightreasons.core.parts import BatchModel, Job, Rows

# What a batch may have, in the order of the columns of the predictions.
_PROBABILITY_COLUMNS = tuple(PROBABILITIES.values())
_COLUMN_TYPES: dict[str, type[pl.String | pl.Float64]] = {
    "label": pl.String,
    **dict.fromkeys(_PROBABILITY_COLUMNS, pl.Float64),
    "text": pl.String,
}
_ROUNDING = 1e-6
_LABEL_WORDS = frozenset((*LABELS, *NO_LABEL))
_MARKED = "marked"  # the key of marked rows among the facts of a journal
# Facts that add up over all processes that took part in a job.
_COST_FACTS = ("requests", "retries", "cost", "tokens_in", "tokens_out")


def predict_in_batches(
    model: BatchModel, pairs: pl.DataFrame, label: str, journal: Path | None
) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Run a model on each distinct pair once; return the predictions with ids, and the facts."""
    distinct, rows = _drop_duplicates(pairs)
    clock = Clock()
    with _open_job_record(model, distinct, journal, clock) as record:
        kept = sum(len(columns["label"]) for columns in record.predictions.values())
        if record.facts is None:
            clock.time_loading(model.get_ready)
            clock.start()
            job = complete_job(model.prepare(distinct))
            if record.plan is None:
                record.set_plan(_make_batch_plan(job, distinct.height, model.name))
            errors = _predict_missing_batches(job, record, model.name, label, clock)
            if errors:
                raise _build_missing_predictions_error(record, pairs, rows, errors)
            took = {what: round(seconds, 4) for what, seconds in clock.get_seconds().items()}
            record.finish(
                normalise_json(
                    {
                        **job.facts,
                        **_list_marked_rows(job),
                        **_describe_classifier_head(model),
                        **took,
                        **record.costs,
                    }
                )
            )
        predictions = _join_batch_predictions(record, distinct.height)[rows].insert_column(
            0, pairs["id"].cast(pl.String)
        )
        facts = {
            **_count_marked_rows(record.facts or {}, rows),
            **_count_outcomes(predictions, record),
            "different": distinct.height,
            "kept": kept,
        }
    return predictions, facts


def _drop_duplicates(pairs: pl.DataFrame) -> tuple[pl.DataFrame, Rows]:
    """Drop repeated pairs, and map each pair to the one that was kept; pairs with other parses are different."""
    texts = pairs.drop("id")
    distinct = texts.unique(maintain_order=True)
    if distinct.height == texts.height:
        return texts, np.arange(texts.height)
    numbered = distinct.with_row_index("row")
    matched = texts.join(numbered, on=texts.columns, how="left", maintain_order="left", nulls_equal=True)
    return distinct, matched["row"].to_numpy().astype(np.int64)


def _open_job_record(
    model: BatchModel, distinct: pl.DataFrame, journal: Path | None, clock: Clock
) -> AbstractContextManager[JobRecord]:
    """Open the journal of a job, whose key holds all that decides the predictions; or notes in memory."""
    if journal is None:
        return nullcontext(JobRecord())
    texts = compute_digest([distinct])
    decides = clock.time_loading(model.fingerprint)  # which may run the model on the probe pairs
    key = {"format": FORMAT, "rightreasons": __version__, "model": decides, "pairs": texts}
    return open_journal(journal, key)


def _make_batch_plan(job: Job, height: int, name: str) -> BatchPlan:
    """Return the plan of a job, in which each row must occur once."""
    batches = [np.asarray(batch).tolist() for batch in job.batches if len(batch)]
    refused = {int(row): reason for row, reason in sorted(job.refused.items())}
    plan = BatchPlan(batches, refused)
    if not plan.has_each_row_once(height):
        raise InputError(
            f"The plan of the model {name!r} does not contain each pair exactly once. Fix its prepare method."
        )
    return plan


def _predict_missing_batches(
    job: Job, record: JobRecord, name: str, label: str, clock: Clock
) -> dict[int, MissingPredictionsError]:
    """Run the batches without predictions; return why some still have none."""
    batches = record.plan.batches if record.plan else []
    todo = [number for number in range(len(batches)) if number not in record.predictions]
    errors: dict[int, MissingPredictionsError] = {}
    before = dict(record.costs)
    with show_progress(sum(map(len, batches)), label) as advance:
        advance(sum(len(batches[number]) for number in record.predictions))
        outcomes = execute_batches(
            lambda number: job.predict_batch(np.array(batches[number])),
            todo,
            job.workers,
            remote=job.remote,
        )
        with closing(outcomes):
            for number, outcome in outcomes:
                if isinstance(outcome, MissingPredictionsError):
                    errors[number] = outcome
                    continue
                columns = _check_batch_predictions(outcome, len(batches[number]), name)
                record.add_batch(number, columns, _add_costs(job, before, clock))
                advance(len(batches[number]))
    if errors:  # costs since the last prediction count as well
        record.record_costs(_add_costs(job, before, clock))
    # After a final refusal, the batches whose turn never came share its reason.
    final = [error for error in errors.values() if error.final]
    return {number: errors.get(number) or final[0] for number in todo if number not in record.predictions}


def _describe_classifier_head(model: BatchModel) -> dict[str, Any]:
    """Describe which output stands for which label, if the model had to resolve it."""
    head = model.resolved_head
    return {} if head is None else {"head": asdict(head)}


def _list_marked_rows(job: Job) -> dict[str, Any]:
    """Keep which rows a job has marked, for example as truncated."""
    marked = {what: np.asarray(rows).tolist() for what, rows in job.marked.items()}
    return {_MARKED: marked} if marked else {}


def _count_marked_rows(facts: dict[str, Any], rows: Rows) -> dict[str, Any]:
    """Count marked rows for each requested pair: a repeated pair counts each time."""
    counts = {what: int(np.isin(rows, some).sum()) for what, some in facts.get(_MARKED, {}).items()}
    return {what: fact for what, fact in facts.items() if what != _MARKED} | counts


def _add_costs(job: Job, before: dict[str, float], clock: Clock) -> dict[str, float]:
    """Add up the costs of this process and of earlier ones."""
    facts = job.facts
    now = {name: facts[name] for name in _COST_FACTS if facts.get(name) is not None}
    now |= clock.get_seconds()
    return {name: round(before.get(name, 0) + value, 6) for name, value in now.items()}


def _check_batch_predictions(predictions: pl.DataFrame, size: int, name: str) -> Columns:
    """Check the predictions of one batch and return their columns as lists."""
    if not isinstance(predictions, pl.DataFrame) or predictions.schema.get("label") != pl.String:
        raise InputError(
            f"The model {name!r} did not return a table of labels. Fix its predict_batch method."
        )
    if predictions.height != size:
        raise InputError(
            f"The model {name!r} returned {format_count(predictions.height, 'prediction')} "
            f"for {format_count(size, 'pair')}. Return one prediction per pair."
        )
    # Plain lists: a batch is small, and for so few values a call into polars costs more than the work.
    columns = {
        column: predictions[column].to_list() for column in _COLUMN_TYPES if column in predictions.columns
    }
    wrong = set(columns["label"]) - _LABEL_WORDS
    if wrong:
        raise InputError(
            f"The model {name!r} predicted {min(wrong, key=str)!r}. Return one of {', '.join(LABELS)}."
        )
    shares = {
        column: _check_batch_probabilities(columns[column], column, name)
        for column in _PROBABILITY_COLUMNS
        if column in columns
    }
    return {**columns, **shares}


def _check_batch_probabilities(values: list[Any], column: str, name: str) -> list[float | None]:
    """Check probabilities; rounding errors beyond 0 and 1 are clipped."""
    for value in values:
        # Written so that what is not a number is refused as well.
        if value is not None and not (
            isinstance(value, int | float) and -_ROUNDING <= value <= 1 + _ROUNDING
        ):
            raise InputError(
                f"The model {name!r} returned {value} as {column}. Return probabilities from 0 to 1."
            )
    return [None if value is None else min(max(float(value), 0.0), 1.0) for value in values]


def _join_batch_predictions(record: JobRecord, height: int) -> pl.DataFrame:
    """Put the predictions of all batches into one table, row by row."""
    plan = record.plan or BatchPlan([], {})
    batches = [record.predictions[number] for number in range(len(plan.batches))]
    known = [name for name in _COLUMN_TYPES if name == "label" or any(name in batch for batch in batches)]
    order = np.empty(height, dtype=np.int64)
    order[list(chain(*plan.batches, plan.refused))] = np.arange(height)
    columns = []
    for name in known:
        parts = (batch.get(name) or [None] * len(batch["label"]) for batch in batches)
        filler = REFUSED if name == "label" else None
        columns.append(
            pl.Series(name, [*chain(*parts), *[filler] * len(plan.refused)], dtype=_COLUMN_TYPES[name])
        )
    return pl.DataFrame(columns)[order]


def _count_outcomes(predictions: pl.DataFrame, record: JobRecord) -> dict[str, Any]:
    """Count what the run's card keeps of any job."""
    plan = record.plan or BatchPlan([], {})
    counts = {
        "pairs": predictions.height,
        "batches": len(plan.batches),
        "refused": int((predictions["label"] == REFUSED).sum()),
        "unreadable": int((predictions["label"] == UNREADABLE).sum()),
    }
    return {**counts, "reasons": dict(Counter(plan.refused.values()))} if plan.refused else counts


def _build_missing_predictions_error(
    record: JobRecord, pairs: pl.DataFrame, rows: Rows, errors: dict[int, MissingPredictionsError]
) -> MissingPredictionsError:
    """Count the pairs without predictions, with the reason, and list them in the journal if there is one."""
    final = [error for error in errors.values() if error.final]
    first = str((final or list(errors.values()))[0]).rstrip(".")
    missing = _list_missing_pairs(record, pairs, rows, errors)
    verb = "has" if missing.height == 1 else "have"
    some = f"{missing.height:,} of {format_count(pairs.height, 'pair')} {verb} no prediction"
    what = f"{some if record.predictions else 'No pair has a prediction'} ({first})"
    if record.folder is None:
        message = f"{what}. Run the model again with a journal, which keeps the predictions."
    else:
        path = record.folder / MISSING_FILE
        with write_atomically(path, force=True, internal=True) as part:
            write_csv(missing, part, separator="\t")
        message = f"{what}. The missing pairs are listed in {path}; run the same command again to predict only those."
    return MissingPredictionsError(message, final=bool(final))


def _list_missing_pairs(
    record: JobRecord, pairs: pl.DataFrame, rows: Rows, errors: dict[int, MissingPredictionsError]
) -> pl.DataFrame:
    """List the pairs without a prediction, each with the reason."""
    batches = record.plan.batches if record.plan else []
    why = {row: str(error) for number, error in errors.items() for row in batches[number]}
    reasons = pl.Series([why.get(row) for row in rows.tolist()], dtype=pl.String)
    return pairs.select("id", *TEXTS, reason=reasons).filter(pl.col("reason").is_not_null())
