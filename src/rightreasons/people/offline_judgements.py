"""Judgements of an expert who works offline: the items of their page, and the file that the page saves.

The file is JSON: the digest of the plan, the name of the expert, and a list of judgements, each with a sign of its
item, the answers by question, the seconds it took, and when it was made. Signs stand for items, because the name of an
item could reveal that it is a control.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rightreasons.core.errors import InputError
from rightreasons.core.json_shapes import (
    NONEMPTY_TEXT,
    NONNEGATIVE,
    SIZE,
    TEXT,
    Fields,
    Items,
    ShapeMismatchError,
    Values,
)
from rightreasons.people.exchange.imported_rows import ImportedRow
from rightreasons.people.identifiers import hash_identifier, sign_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rightreasons.people.store import StudyStore
    from rightreasons.people.study import Study

OFFLINE_FORMAT = "rightreasons-offline-judgements"
VERSION = 1
OFFLINE_SHAPE = Fields(
    {
        "format": NONEMPTY_TEXT,
        "version": SIZE,
        "digest": NONEMPTY_TEXT,
        "participant": NONEMPTY_TEXT,
        "judgements": Items(
            Fields(
                {
                    "item": NONEMPTY_TEXT,
                    "answers": Values(TEXT),
                    "seconds": NONNEGATIVE,
                    "judged": NONEMPTY_TEXT,
                }
            )
        ),
    }
)


def is_offline_file(values: Any) -> bool:
    """Return whether the content of a JSON file is that of an offline page."""
    return isinstance(values, dict) and values.get("format") == OFFLINE_FORMAT


def read_offline_judgements(study: Study, values: Any, path: Path) -> Iterator[ImportedRow]:
    """Read the answers in the file of an offline page."""
    try:
        OFFLINE_SHAPE.check(values, "")
    except ShapeMismatchError as error:
        raise InputError(
            f"In the file {str(path)!r}, {error}. Save it again from the offline page."
        ) from error
    if values["version"] != VERSION:
        raise InputError(
            f"The file {str(path)!r} has version {values['version']}, but this version reads {VERSION}. "
            "Use the version that wrote the page."
        )
    if values["digest"] != study.digest:
        raise InputError(
            f"The file {str(path)!r} belongs to another plan than {str(study.folder)!r}. "
            "Import it into the study whose page it was saved from."
        )
    items = {sign_item(study, name): name for name in study.items["item"].to_list()}
    for number, judgement in enumerate(values["judgements"], start=1):
        where = f"{path}, judgement {number}"
        item = items.get(judgement["item"])
        if item is None:
            raise InputError(f"{where}: there is no such item. Save the file again from the offline page.")
        for question, answer in judgement["answers"].items():
            seconds, judged = float(judgement["seconds"]), _parse_moment(judgement["judged"], where)
            yield ImportedRow(where, values["participant"], item, question, answer, seconds, judged)


def _parse_moment(text: str, where: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise InputError(f"{where}: {text!r} is not a date and time with a time zone. Save the file again.")
    return moment.astimezone(UTC)


def sign_item(study: Study, item: str) -> str:
    """Return the sign of an item in an offline page."""
    return sign_text(study.secrets.salt, "offline", item)[:22]


def reserve_offline_items(store: StudyStore, name: str) -> list[str]:
    """Reserve the items of an expert for as long as they need; return those that are not judged yet, in their order."""
    from rightreasons.people.allocation import OFFLINE

    participant = hash_identifier(store.study.secrets.salt, name)
    store.create_participant(participant, OFFLINE, None)
    if store.start_participant(participant) == "invited":
        raise InputError(
            f"No items are free for {name!r}: all are judged or reserved, or the study is paused or closed. "
            "Look at the researchers' page of study serve."
        )
    items = store.list_open_items(participant)
    if not items:
        raise InputError(f"{name!r} has no items left to judge in this study.")
    return items
