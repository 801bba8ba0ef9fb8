"""A study folder: the card with the protocol, the items, the forms that participants get, and the secrets.

A form is the list of items of one participant. The card has the digest of each file, so that a study whose plan was
changed after the first judgement is refused.
"""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.errors import InputError, OutputError
from rightreasons.core.json_shapes import ANY, COUNT, NONEMPTY_TEXT, TEXT, Fields, Items, Values, read_json
from rightreasons.corpora.corpus_source import hash_file
from rightreasons.io.outputs import write_folder_atomically
from rightreasons.io.polars_io import read_parquet, write_parquet
from rightreasons.people.protocol import PROTOCOL_SHAPE, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

CARD, ITEMS, FORMS, SECRETS = "study.json", "items.parquet", "forms.parquet", "secrets.json"
DATABASE = "study.db"
FORMAT = 1
# The kinds of items: to be judged, and with a known answer, to recognise careless participants.
ITEM, CONTROL = "item", "control"
ITEM_COLUMNS = ("item", "kind", "id", "premise", "hypothesis", "label", "group", "stratum")
FORM_COLUMNS = {"form": pl.Int64, "position": pl.Int64, "item": pl.String}
_CARD_SHAPE = Fields(
    {
        "format": COUNT,
        "name": NONEMPTY_TEXT,
        "version": NONEMPTY_TEXT,
        "protocol": Fields({"name": NONEMPTY_TEXT, "content": PROTOCOL_SHAPE}),
        "files": Values(NONEMPTY_TEXT),
    },
    {
        "created": NONEMPTY_TEXT,
        "command": NONEMPTY_TEXT,
        "seed": ANY,
        "set": ANY,
        "counts": Values(COUNT),
        "remarks": Items(TEXT),
    },
)
_SECRETS_SHAPE = Fields({"salt": NONEMPTY_TEXT, "researcher": NONEMPTY_TEXT, "study": NONEMPTY_TEXT})
_ADVICE = "Check the path, or plan a study with: rightreasons study plan."


@dataclass(frozen=True)
class StudySecrets:
    """What must not be published: the salt of participants' identifiers, and two tokens."""

    salt: str
    researcher: str  # the token of the researchers' page
    study: str  # the token in the link that participants share

    @classmethod
    def generate(cls) -> StudySecrets:
        """Draw new secrets."""
        return cls(*(secrets.token_urlsafe(24) for _ in range(3)))


@dataclass(frozen=True)
class Study:
    """A study folder. Items and forms are read on first use."""

    folder: Path
    card: Mapping[str, Any]
    protocol: Protocol

    @cached_property
    def items(self) -> pl.DataFrame:
        """The items and controls: ITEM_COLUMNS, then the tags of the set."""
        return read_parquet(self.folder / ITEMS)

    @cached_property
    def forms(self) -> pl.DataFrame:
        """FORM_COLUMNS: the items of each form, controls included, in the order of their positions."""
        return read_parquet(self.folder / FORMS)

    @cached_property
    def secrets(self) -> StudySecrets:
        """The secrets of the study."""
        return StudySecrets(**read_json(self.folder / SECRETS, _SECRETS_SHAPE, _ADVICE))

    @property
    def digest(self) -> str:
        """The SHA-256 of the card, which has the digests of items and forms: it identifies the plan."""
        return hash_file(self.folder / CARD)


def refuse_begun_study(out: str | Path) -> None:
    """Refuse to replace a study that has a database: judgements can't be collected again."""
    if (Path(out) / DATABASE).exists():
        raise OutputError(
            f"{out} has a database of judgements ({DATABASE}), so it is not replaced. Choose another path, or delete "
            "the study yourself."
        )


def write_study(
    out: str | Path,
    *,
    protocol_name: str,
    protocol_content: Mapping[str, Any],
    items: pl.DataFrame,
    forms: pl.DataFrame,
    card: Mapping[str, Any],
    force: bool = False,
) -> Study:
    """Write a study folder, whole or not at all; `card` has name, version, created, command, seed, set and counts."""
    refuse_begun_study(out)
    with write_folder_atomically(out, force=force, marker=CARD) as folder:
        write_parquet(items, folder / ITEMS)
        write_parquet(forms, folder / FORMS)
        files = {name: hash_file(folder / name) for name in (ITEMS, FORMS)}
        whole = {
            "format": FORMAT,
            **card,
            "protocol": {"name": protocol_name, "content": dict(protocol_content)},
            "files": files,
        }
        text = json.dumps(whole, indent=2, ensure_ascii=False) + "\n"
        (folder / CARD).write_text(text, encoding="utf-8")
        _write_secrets(folder / SECRETS, StudySecrets.generate())
    return open_study(out)


def _write_secrets(path: Path, drawn: StudySecrets) -> None:
    """Write the secrets, readable by the owner only."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        json.dump(vars(drawn), file, indent=2)


def open_study(folder: str | Path) -> Study:
    """Open a study folder; a folder whose files differ from its card is refused."""
    path = Path(folder)
    card = read_json(path / CARD, _CARD_SHAPE, _ADVICE)
    if card["format"] != FORMAT:
        raise InputError(
            f"The study {str(path)!r} has format {card['format']}, but this version reads {FORMAT}. {_ADVICE}"
        )
    for name, digest in card["files"].items():
        if not (path / name).is_file():
            raise InputError(
                f"There is no {name} in {str(path)!r}. Restore the file, or plan the study again."
            )
        if hash_file(path / name) != digest:
            raise InputError(
                f"The file {name} in {str(path)!r} was changed after the study was planned. "
                "Restore the file, or plan a new study."
            )
    return Study(path, card, Protocol.from_dict(card["protocol"]["name"], card["protocol"]["content"]))
