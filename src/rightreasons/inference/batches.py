"""Pairs asked batch by batch: the plan first, each answer checked and kept as it comes, all put together at the end.

Whether the answers were given now or stand in a journal, they take the same road from here on.
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
from rightreasons.core.errors import InputError, MissingPredictionsError, counted
from rightreasons.core.labels import LABELS, NO_LABEL, PROBABILITIES, REFUSED, UNREADABLE
from rightreasons.core.pairs import TEXTS, digest
from rightreasons.core.parts import complete_job
from rightreasons.core.progress import progress
from rightreasons.inference.executor import Clock, outcomes
from rightreasons.inference.journal import FORMAT, UNANSWERED, BatchPlan, Columns, Notes, opened, plain
from rightreasons.io.csv_injection import write_csv
from rightreasons.io.outputs import replacing

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from rightreasons.core.parts import BatchModel, Job, Rows

# What a batch may say, in the order of the columns of the answers.
_SHARES = tuple(PROBABILITIES.values())
_TYPES: dict[str, type[pl.String | pl.Float64]] = {
    "label": pl.String,
    **dict.fromkeys(_SHARES, pl.Float64),
    "text": pl.String,
}
_ROUNDING = 1e-6
_WORDS = frozenset((*LABELS, *NO_LABEL))
_MARKED = "marked"  # the key of marked rows among the facts of a journal
# Facts that add up over all processes that took part in a job.
_SPENT = ("requests", "retries", "cost", "tokens_in", "tokens_out")


def ask_in_batches(
    model: BatchModel, asked: pl.DataFrame, label: str, place: Path | None
) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Ask a model about each different pair once; give the answers with ids, and the facts."""
    different, rows = _different(asked)
    clock = Clock()
    with _notes(model, different, place, clock) as notes:
        kept = sum(len(columns["label"]) for columns in notes.answers.values())
        if notes.facts is None:
            clock.load(model.get_ready)
            clock.start()
            job = complete_job(model.prepare(different))
            if notes.plan is None:
                notes.begin(_plan(job, different.height, model.name))
            errors = _ask_the_rest(job, notes, model.name, label, clock)
            if errors:
                raise _unanswered(notes, asked, rows, errors)
            took = {what: round(seconds, 4) for what, seconds in clock.read().items()}
            notes.finish(plain({**job.facts, **_marked(job), **_head(model), **took, **notes.spent}))
        answers = _assembled(notes, different.height)[rows].insert_column(0, asked["id"].cast(pl.String))
        facts = {
            **_counted(notes.facts or {}, rows),
            **_counts(answers, notes),
            "different": different.height,
            "kept": kept,
        }
    return answers, facts


def _different(asked: pl.DataFrame) -> tuple[pl.DataFrame, Rows]:
    """Leave out repeated pairs, and say for each pair which of the rest it is; those with other parses are others."""
    texts = asked.drop("id")
    different = texts.unique(maintain_order=True)
    if different.height == texts.height:
        return texts, np.arange(texts.height)
    numbered = different.with_row_index("row")
    found = texts.join(numbered, on=texts.columns, how="left", maintain_order="left", nulls_equal=True)
    return different, found["row"].to_numpy().astype(np.int64)


def _notes(
    model: BatchModel, different: pl.DataFrame, place: Path | None, clock: Clock
) -> AbstractContextManager[Notes]:
    """Open the journal of a job, whose key holds all that decides the answers; or notes in memory."""
    if place is None:
        return nullcontext(Notes())
    texts = digest([different])
    decides = clock.load(model.fingerprint)  # which may have to ask it about the unmistakable pairs
    key = {"format": FORMAT, "rightreasons": __version__, "model": decides, "pairs": texts}
    return opened(place, key)


def _plan(job: Job, height: int, name: str) -> BatchPlan:
    """Take over the plan of a job, in which each row must occur once."""
    batches = [np.asarray(batch).tolist() for batch in job.batches if len(batch)]
    refused = {int(row): reason for row, reason in sorted(job.refused.items())}
    plan = BatchPlan(batches, refused)
    if not plan.has_each_row_once(height):
        raise InputError(
            f"The plan of the model {name!r} does not have each pair once. Mend its prepare method."
        )
    return plan


def _ask_the_rest(
    job: Job, notes: Notes, name: str, label: str, clock: Clock
) -> dict[int, MissingPredictionsError]:
    """Ask the batches that have no answer yet; say why those that still have none have none."""
    batches = notes.plan.batches if notes.plan else []
    todo = [number for number in range(len(batches)) if number not in notes.answers]
    errors: dict[int, MissingPredictionsError] = {}
    before = dict(notes.spent)
    with progress(sum(map(len, batches)), label) as advance:
        advance(sum(len(batches[number]) for number in notes.answers))
        answered = outcomes(
            lambda number: job.predict_batch(np.array(batches[number])),
            todo,
            job.workers,
            remote=job.remote,
        )
        with closing(answered):
            for number, outcome in answered:
                if isinstance(outcome, MissingPredictionsError):
                    errors[number] = outcome
                    continue
                columns = _columns(outcome, len(batches[number]), name)
                notes.keep(number, columns, _spent(job, before, clock))
                advance(len(batches[number]))
    if errors:  # what was spent since the last answer counts as well
        notes.spend(_spent(job, before, clock))
    # After a final refusal, the batches whose turn never came share its reason.
    final = [error for error in errors.values() if error.final]
    return {number: errors.get(number) or final[0] for number in todo if number not in notes.answers}


def _head(model: BatchModel) -> dict[str, Any]:
    """Say which output was taken for which label, where the model had to find out."""
    head = model.resolved_head
    return {} if head is None else {"head": asdict(head)}


def _marked(job: Job) -> dict[str, Any]:
    """Keep which rows a job has something to say of, such as that they were cut."""
    marked = {what: np.asarray(rows).tolist() for what, rows in job.marked.items()}
    return {_MARKED: marked} if marked else {}


def _counted(facts: dict[str, Any], rows: Rows) -> dict[str, Any]:
    """Count marked rows as often as they were asked for: a repeated pair is cut each time."""
    counts = {what: int(np.isin(rows, some).sum()) for what, some in facts.get(_MARKED, {}).items()}
    return {what: fact for what, fact in facts.items() if what != _MARKED} | counts


def _spent(job: Job, before: dict[str, float], clock: Clock) -> dict[str, float]:
    """Add up what asking has cost, now and in earlier processes."""
    facts = job.facts
    now = {name: facts[name] for name in _SPENT if facts.get(name) is not None}
    now |= clock.read()
    return {name: round(before.get(name, 0) + value, 6) for name, value in now.items()}


def _columns(answers: pl.DataFrame, size: int, name: str) -> Columns:
    """Take the columns out of the answers to one batch; whatever breaks the contract is an error."""
    if not isinstance(answers, pl.DataFrame) or answers.schema.get("label") != pl.String:
        raise InputError(f"The model {name!r} gave no table of labels. Mend its answer method.")
    if answers.height != size:
        raise InputError(
            f"The model {name!r} gave {counted(answers.height, 'answer')} to {counted(size, 'pair')}. "
            "Have it give one to each."
        )
    # Plain lists: a batch is small, and for so few values a call into polars costs more than the work.
    columns = {column: answers[column].to_list() for column in _TYPES if column in answers.columns}
    wrong = set(columns["label"]) - _WORDS
    if wrong:
        raise InputError(
            f"The model {name!r} answered {min(wrong, key=str)!r}. Have it answer with {', '.join(LABELS)}."
        )
    shares = {column: _shares(columns[column], column, name) for column in _SHARES if column in columns}
    return {**columns, **shares}


def _shares(values: list[Any], column: str, name: str) -> list[float | None]:
    """Refuse what is no probability; what rounding has pushed beyond 0 or 1 is put back."""
    for value in values:
        # Written so that what is not a number is refused as well.
        if value is not None and not (
            isinstance(value, int | float) and -_ROUNDING <= value <= 1 + _ROUNDING
        ):
            raise InputError(
                f"The model {name!r} gave {value} as {column}. Have it give probabilities, from 0 to 1."
            )
    return [None if value is None else min(max(float(value), 0.0), 1.0) for value in values]


def _assembled(notes: Notes, height: int) -> pl.DataFrame:
    """Put the answers of all batches into one table, row by row."""
    plan = notes.plan or BatchPlan([], {})
    batches = [notes.answers[number] for number in range(len(plan.batches))]
    known = [name for name in _TYPES if name == "label" or any(name in batch for batch in batches)]
    order = np.empty(height, dtype=np.int64)
    order[list(chain(*plan.batches, plan.refused))] = np.arange(height)
    columns = []
    for name in known:
        parts = (batch.get(name) or [None] * len(batch["label"]) for batch in batches)
        filler = REFUSED if name == "label" else None
        columns.append(pl.Series(name, [*chain(*parts), *[filler] * len(plan.refused)], dtype=_TYPES[name]))
    return pl.DataFrame(columns)[order]


def _counts(answers: pl.DataFrame, notes: Notes) -> dict[str, Any]:
    """Count what the run's card keeps of any job."""
    plan = notes.plan or BatchPlan([], {})
    counts = {
        "pairs": answers.height,
        "batches": len(plan.batches),
        "refused": int((answers["label"] == REFUSED).sum()),
        "unreadable": int((answers["label"] == UNREADABLE).sum()),
    }
    return {**counts, "reasons": dict(Counter(plan.refused.values()))} if plan.refused else counts


def _unanswered(
    notes: Notes, asked: pl.DataFrame, rows: Rows, errors: dict[int, MissingPredictionsError]
) -> MissingPredictionsError:
    """Say how many pairs have no answer and why, and list them where there is a journal."""
    final = [error for error in errors.values() if error.final]
    first = str((final or list(errors.values()))[0]).rstrip(".")
    listed = _listed(notes, asked, rows, errors)
    some = f"{listed.height:,} of {counted(asked.height, 'pair')} {'has' if listed.height == 1 else 'have'} no answer"
    what = f"{some if notes.answers else 'No pair was answered'} ({first})"
    if notes.folder is None:
        told = f"{what}. Ask again, with a journal to keep the answers that come."
    else:
        path = notes.folder / UNANSWERED
        with replacing(path, force=True, internal=True) as part:
            write_csv(listed, part, separator="\t")
        told = f"{what}. They are listed in {path}; give the same command again to ask only these."
    return MissingPredictionsError(told, final=bool(final))


def _listed(
    notes: Notes, asked: pl.DataFrame, rows: Rows, errors: dict[int, MissingPredictionsError]
) -> pl.DataFrame:
    """List the pairs without an answer, each with the reason."""
    batches = notes.plan.batches if notes.plan else []
    why = {row: str(error) for number, error in errors.items() for row in batches[number]}
    reasons = pl.Series([why.get(row) for row in rows.tolist()], dtype=pl.String)
    return asked.select("id", *TEXTS, reason=reasons).filter(pl.col("reason").is_not_null())
