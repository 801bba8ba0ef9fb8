"""Tables of judgements: crowd-kit's task, worker, label; batches of Mechanical Turk; a row for each judged item.

- crowd-kit: the columns task, worker and label; the label answers one question of the study.
- Mechanical Turk: WorkerId, Input.item (or Input.id), and Answer.QUESTION for each question; a HIT of several items has
  numbered columns, such as Input.item_1 and Answer.label_1. WorkTimeInSeconds is divided by the items of the HIT.
- any other table: a column that names the participant, such as PROLIFIC_PID, then item or id, and a column for each
  question; seconds is optional. It is also what `study export --to csv` writes.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rightreasons.core.errors import InputError
from rightreasons.io.csv_injection import unescape_formula
from rightreasons.people.exchange.imported_rows import ImportedRow
from rightreasons.people.simulation import SIMULATED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import polars as pl

    from rightreasons.people.study import Study

CROWD_KIT = ("task", "worker", "label")
WORKERS = (
    "prolific_pid",
    "participant id",
    "participant_id",
    "participant",
    "worker_id",
    "workerid",
    "worker",
)
ITEMS = ("item", "task", "id")
_SECONDS = ("seconds", "lead_time")
_INPUT = re.compile(r"Input\.(?:item|id)(_\d+)?")
_TURK_TIMES = ("%a %b %d %H:%M:%S %z %Y", "%Y-%m-%dT%H:%M:%S%z")
_ZONES = {
    " PST ": " -0800 ",
    " PDT ": " -0700 ",
    " UTC ": " +0000 ",
    " GMT ": " +0000 ",
}  # of Mechanical Turk


def read_crowd_table(
    study: Study, table: pl.DataFrame, path: Path, question: str | None
) -> Iterator[ImportedRow]:
    """Read the rows of a table, by the columns that it has."""
    names = {name.strip().casefold(): name for name in table.columns}
    if "WorkerId" in table.columns and any(_INPUT.fullmatch(name) for name in table.columns):
        return _read_turk_batch(study, table, path)
    if set(CROWD_KIT) <= set(names) and not _list_question_columns(study, names, but=CROWD_KIT):
        asked = question or _choose_single_question(study, path)
        columns = {part: names[part] for part in CROWD_KIT}
        return _read_crowd_kit(table, columns, path, asked)
    return _read_wide_table(study, table, names, path)


def _choose_single_question(study: Study, path: Path) -> str:
    """Return the question that a table with one label answers."""
    choices = [question.name for question in study.protocol.questions if question.kind == "choice"]
    if len(study.protocol.questions) != 1 or not choices:
        asked = ", ".join(question.name for question in study.protocol.questions)
        raise InputError(
            f"{path} has one label for each judgement, but the study asks several questions: {asked}. Import a table "
            "with a column for each question."
        )
    return choices[0]


def _list_question_columns(study: Study, names: dict[str, str], but: Sequence[str] = ()) -> dict[str, str]:
    """Return the column of each question that a table answers."""
    asked = [question.name for question in study.protocol.questions]
    return {name: names[name] for name in asked if name in names and name not in but}


def _read_crowd_kit(
    table: pl.DataFrame, columns: dict[str, str], path: Path, question: str
) -> Iterator[ImportedRow]:
    for place, row in enumerate(table.select(columns.values()).iter_rows()):
        task, worker, label = (_read_cell(value) for value in row)
        yield ImportedRow(format_place(path, place), worker, task, question, label)


def _read_wide_table(
    study: Study, table: pl.DataFrame, names: dict[str, str], path: Path
) -> Iterator[ImportedRow]:
    """Read a table with a row for each judged item, or for each answer if it has question and answer."""
    worker, item = (_find_column(names, known, path) for known in (WORKERS, ITEMS))
    seconds = next((names[name] for name in _SECONDS if name in names), None)
    source = names.get("source")
    long = {"question", "answer"} <= names.keys()
    columns = {} if long else _list_question_columns(study, names)
    if not long and not columns:
        asked = ", ".join(question.name for question in study.protocol.questions)
        raise InputError(
            f"{path} has no column of a question of the study: {asked}. Name the columns as the questions."
        )
    for place, row in enumerate(table.iter_rows(named=True)):
        where = format_place(path, place)
        time = _parse_seconds(None if seconds is None else row[seconds], where)
        pairs = (
            [(_read_cell(row[names["question"]]), row[names["answer"]])]
            if long
            else [(question, row[column]) for question, column in columns.items()]
        )
        for asked_question, answer in pairs:
            who, what = _read_cell(row[worker]), _read_cell(row[item])
            simulated = source is not None and _read_cell(row[source]) == SIMULATED
            yield ImportedRow(where, who, what, asked_question, _read_cell(answer), time, simulated=simulated)


def _find_column(names: dict[str, str], known: Sequence[str], path: Path) -> str:
    for name in known:
        if name in names:
            return names[name]
    raise InputError(
        f"{path} has none of the columns {', '.join(known)}. Add one of them, or rename a column."
    )


def _read_turk_batch(study: Study, table: pl.DataFrame, path: Path) -> Iterator[ImportedRow]:
    inputs = {match[1] or "": name for name in table.columns if (match := _INPUT.fullmatch(name))}
    answers = {
        (ending, question.name): f"Answer.{question.name}{ending}"
        for ending in inputs
        for question in study.protocol.questions
        if f"Answer.{question.name}{ending}" in table.columns
    }
    if not answers:
        raise InputError(
            f"{path} has no column such as Answer.{study.protocol.questions[0].name}. Name the fields of the HIT as "
            "the questions of the study."
        )
    for place, row in enumerate(table.iter_rows(named=True)):
        where = format_place(path, place)
        whole = _parse_seconds(row.get("WorkTimeInSeconds"), where)
        seconds = None if whole is None else whole / len(inputs)
        judged = _parse_turk_time(row.get("SubmitTime"))
        for (ending, question), column in answers.items():
            worker, item = _read_cell(row["WorkerId"]), _read_cell(row[inputs[ending]])
            yield ImportedRow(where, worker, item, question, _read_cell(row[column]), seconds, judged)


def _parse_turk_time(value: object) -> datetime | None:
    """Parse the time of a submission; an unknown form of time is left out."""
    text = str(value or "")
    for zone, offset in _ZONES.items():
        text = text.replace(zone, offset)
    for form in _TURK_TIMES:
        try:
            return datetime.strptime(text, form).astimezone(UTC)
        except ValueError:
            continue
    return None


def _parse_seconds(value: Any, where: str) -> float | None:
    text = _read_cell(value).strip()
    if not text:
        return None
    try:
        return float(text)
    except ValueError as error:
        raise InputError(
            f"{where}: {text!r} is not a number of seconds. Correct it, or leave it blank."
        ) from error


def _read_cell(value: object) -> str:
    return "" if value is None else unescape_formula(str(value))


def format_place(path: Path, row: int) -> str:
    """Name the line of a row, without reading the file again for each."""
    return f"{path}, row {row + 1}"
