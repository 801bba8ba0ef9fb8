"""Import judgements from a file into a study, and export a study to a file."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rightreasons.core.errors import InputError
from rightreasons.io.csv_injection import write_csv
from rightreasons.io.inputs import get_spooled_path
from rightreasons.io.outputs import check_output_path, write_atomically
from rightreasons.io.tables import read_table
from rightreasons.people.exchange.crowd_tables import read_crowd_table
from rightreasons.people.exchange.exported_tables import (
    list_exported_answers,
    make_export_table,
    make_task_table,
)
from rightreasons.people.exchange.imported_rows import build_judgements
from rightreasons.people.exchange.label_studio import (
    read_label_studio,
    render_label_studio_tasks,
    render_labeling_config,
)
from rightreasons.people.offline_judgements import is_offline_file, read_offline_judgements
from rightreasons.people.study import open_study

if TYPE_CHECKING:
    from rightreasons.people.judgements import Judgements
    from rightreasons.people.study import Study

ExportTarget = Literal["label-studio", "prolific", "csv"]
TARGETS: tuple[ExportTarget, ...] = ("label-studio", "prolific", "csv")
CONFIG_ENDING = ".xml"  # of the labeling configuration beside the tasks of Label Studio
_MOST_BYTES = 1 << 30


@dataclass(frozen=True)
class ImportSummary:
    """How many participants and judgements a file has, and how many of the judgements were new."""

    participants: int
    judgements: int
    added: int


def import_judgements(
    folder: str | Path, path: str | Path, *, question: str | None = None, database: str | None = None
) -> ImportSummary:
    """Add the judgements of a file to a study, all or nothing."""
    study = open_study(folder)
    judgements = read_judgement_file(study, Path(path), question)
    from rightreasons.people.store import open_store

    with closing(open_store(study, database)) as store:
        before = _count_judged_items(store.read_judgements())
        store.add_judgements(judgements)
        added = _count_judged_items(store.read_judgements()) - before
    return ImportSummary(judgements.participants.height, _count_judged_items(judgements), added)


def _count_judged_items(judgements: Judgements) -> int:
    return judgements.answers.select("participant", "item").unique().height


def read_judgement_file(study: Study, path: Path, question: str | None = None) -> Judgements:
    """Read a file of judgements; its format is detected from its content."""
    if question is not None:
        study.protocol.find_question(question)
    values = _read_json(path)
    if isinstance(values, list):
        rows = list(read_label_studio(values, path))
    elif is_offline_file(values):
        rows = list(read_offline_judgements(study, values, path))
    elif values is not None:
        raise InputError(
            f"{path} is a JSON object, but neither a list of Label Studio's tasks nor a file saved from an offline "
            "page. Export the project of Label Studio as JSON."
        )
    else:
        rows = list(read_crowd_table(study, read_table(path), path, question))
    return build_judgements(study, rows, path)


def _read_json(path: Path) -> Any:
    """Read a file of one JSON value; None if it is a table, such as CSV or JSON lines."""
    try:
        with get_spooled_path(path).open("rb") as file:
            start = file.read(4096).lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
            if start not in (b"[", b"{"):
                return None
            file.seek(0)
            data = file.read(_MOST_BYTES)
    except OSError as error:
        raise InputError(f"{path} can't be read: {error.strerror}. Check the path.") from error
    try:
        return json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        if start == b"{" and path.suffix.lower() in (".jsonl", ".ndjson"):
            return None
        raise InputError(f"{path} is not valid JSON: {error}. Export it again.") from error


def export_study(
    folder: str | Path,
    target: ExportTarget,
    out: str | Path,
    *,
    database: str | None = None,
    force: bool = False,
) -> list[Path]:
    """Write a study for another system, without identifiers of participants; return the files that were written."""
    study, path = open_study(folder), Path(out)
    check_output_path(path, force=force)
    if target == "prolific":
        with write_atomically(path, force=force) as part:
            write_csv(make_task_table(study), part)
        return [path]
    judgements = _load_judgements_if_any(study, database, required=target == "csv")
    if target == "csv":
        with write_atomically(path, force=force) as part:
            write_csv(make_export_table(judgements), part)
        return [path]
    config = path.with_suffix(CONFIG_ENDING)
    check_output_path(config, force=force)
    tasks = render_label_studio_tasks(study.items, list_exported_answers(judgements))
    for file, text in ((path, tasks), (config, render_labeling_config(study))):
        with write_atomically(file, force=force) as part:
            part.write_text(text, encoding="utf-8")
    return [path, config]


def _load_judgements_if_any(study: Study, database: str | None, *, required: bool) -> Judgements:
    """Load the judgements; a study without any has empty tables, unless judgements are required."""
    import polars as pl

    from rightreasons.people.judgements import ANSWER_COLUMNS, PARTICIPANT_COLUMNS, Judgements
    from rightreasons.people.retained import load_judgements
    from rightreasons.people.study import DATABASE

    if required or database is not None or (study.folder / DATABASE).is_file():
        return load_judgements(study.folder, database)
    return Judgements(study, pl.DataFrame(schema=PARTICIPANT_COLUMNS), pl.DataFrame(schema=ANSWER_COLUMNS))
