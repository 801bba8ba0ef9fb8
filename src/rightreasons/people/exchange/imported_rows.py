"""From rows of another system to judgements of a study: items found, answers checked, identifiers hashed.

A row is one answer: who gave it, to which item and question. Items are named by their number in the study, such as
i0001, or by the id of their pair. An answer is the value or the text of a choice, or a word for a label.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.core.labels import find_label
from rightreasons.people.identifiers import hash_identifier
from rightreasons.people.judgements import (
    ANSWER_COLUMNS,
    COMPLETED,
    PARTICIPANT_COLUMNS,
    STARTED,
    Judgements,
)
from rightreasons.people.simulation import SIMULATED

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from rightreasons.people.questions import Question
    from rightreasons.people.study import Study

SOURCE = "import"
LONGEST_TEXT = 10_000  # characters of an answer in free text
_MOST_SECONDS = 7 * 24 * 3600.0


@dataclass(frozen=True)
class ImportedRow:
    """One answer of another system, and where in the file it is, for error messages."""

    where: str
    worker: str
    item: str
    question: str
    answer: str
    seconds: float | None = None
    judged: datetime | None = None
    simulated: bool = False  # exported from a study with simulated participants


def build_judgements(study: Study, rows: Sequence[ImportedRow], path: Path) -> Judgements:
    """Build the judgements that rows stand for; the first wrong row is an error that names it."""
    if not rows:
        raise InputError(f"{path} has no judgements. Export them again from the other system.")
    reader = _RowReader(study)
    answers = [reader.read_row(row) for row in rows]
    table = pl.DataFrame(answers, schema=ANSWER_COLUMNS, orient="row")
    _refuse_incomplete_items(study, table, rows, path)
    return Judgements(study, _make_participants(study, table, reader.simulated), table)


class _RowReader:
    """Reads rows one after the other, and remembers what was answered."""

    def __init__(self, study: Study) -> None:
        items = study.items
        self.salt = study.secrets.salt
        self.items = {name: name for name in items["item"].to_list()}
        ids = items["id"].cast(pl.String)
        unique = items.filter(ids.is_first_distinct() & ids.is_last_distinct())
        self.items = dict(zip(unique["id"].cast(pl.String), unique["item"], strict=True)) | self.items
        self.questions = {question.name: question for question in study.protocol.questions}
        self.seen: dict[tuple[str, str, str], str] = {}
        self.simulated: set[str] = set()
        self.now = datetime.now(UTC)

    def read_row(self, row: ImportedRow) -> tuple[object, ...]:
        """Return the answer of a row in the order of ANSWER_COLUMNS."""
        if not row.worker.strip():
            raise InputError(f"{row.where}: the participant is blank. Give every judgement a participant.")
        item = self.items.get(row.item.strip())
        if item is None:
            raise InputError(
                f"{row.where}: {row.item!r} is neither an item of the study nor the id of one of its pairs. Import "
                "judgements about the items of this study."
            )
        question = self.questions.get(row.question)
        if question is None:
            raise InputError(
                f"{row.where}: the study asks no question {row.question!r}. Its questions are "
                f"{', '.join(self.questions)}."
            )
        answer = _read_answer(row, question)
        person = hash_identifier(self.salt, row.worker.strip())
        key = (person, item, question.name)
        if key in self.seen:
            raise InputError(
                f"{row.where}: this participant answered the question {question.name!r} about {row.item!r} already "
                f"({self.seen[key]}). Keep one of the two answers."
            )
        self.seen[key] = row.where
        if row.simulated:
            self.simulated.add(person)
        seconds = _check_seconds(row)
        return (person, None, None, item, question.name, answer, seconds, row.judged or self.now)


def _read_answer(row: ImportedRow, question: Question) -> str:
    """Return the value of an answer: a choice by its value, its text, or a word for a label."""
    answer = row.answer.strip()
    if question.kind == "text":
        if len(answer) > LONGEST_TEXT or "\0" in answer:
            raise InputError(f"{row.where}: the text is too long or has a null character. Shorten it.")
        valid = answer
    elif answer in question.values or not answer:
        valid = answer
    else:
        by_text = {choice.text.casefold(): choice.value for choice in question.choices}
        label = find_label(answer)
        valid = by_text.get(answer.casefold(), label if label in question.values else "")
        if not valid:
            raise InputError(
                f"{row.where}: {answer!r} is not an answer to the question {question.name!r}. Use one of "
                f"{', '.join(question.values)}."
            )
    if not question.is_valid_answer(valid):
        raise InputError(
            f"{row.where}: the question {question.name!r} has no answer. Remove the row, or complete it."
        )
    return valid


def _check_seconds(row: ImportedRow) -> float | None:
    if row.seconds is None:
        return None
    if not 0 <= row.seconds <= _MOST_SECONDS:
        raise InputError(
            f"{row.where}: {row.seconds} is not a time in seconds. Correct it, or leave it blank."
        )
    return float(row.seconds)


def _refuse_incomplete_items(
    study: Study, table: pl.DataFrame, rows: Sequence[ImportedRow], path: Path
) -> None:
    """Refuse a judgement without an answer to each required question: the study would count it as judged."""
    required = [question.name for question in study.protocol.questions if question.required]
    asked = table.with_columns(where=pl.Series([row.where for row in rows]))
    whole = asked.group_by("participant", "item", maintain_order=True).agg(
        "question", pl.col("where").first()
    )
    for question in required:
        lacking = whole.filter(~pl.col("question").list.contains(question))
        if lacking.height:
            more = f" ({lacking.height:,} judgements lack it)" if lacking.height > 1 else ""
            raise InputError(
                f"{lacking['where'][0]}: the judgement of {lacking['item'][0]!r} has no answer to the question "
                f"{question!r}{more}. Import all questions of the study together from {path}."
            )


def _make_participants(study: Study, answers: pl.DataFrame, simulated: Collection[str]) -> pl.DataFrame:
    """List the participants; one with as many items as planned has completed the study."""
    planned = study.protocol.items_per_participant
    found = answers.group_by("participant", maintain_order=True).agg(
        started=pl.col("judged").min(), finished=pl.col("judged").max(), n=pl.col("item").n_unique()
    )
    done = pl.col("n") >= planned
    table = found.with_columns(
        source=pl.when(pl.col("participant").is_in(list(simulated)))
        .then(pl.lit(SIMULATED))
        .otherwise(pl.lit(SOURCE)),
        status=pl.when(done).then(pl.lit(COMPLETED)).otherwise(pl.lit(STARTED)),
        finished=pl.when(done).then("finished").otherwise(None),
    )
    return table.select(pl.col(name).cast(kind) for name, kind in PARTICIPANT_COLUMNS.items())
