"""Protocols of studies: what is asked about how many items, by how many people, with which controls and exclusions.

A protocol is a TOML file. Those of the four published studies are built in and loaded by name.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.json_shapes import (
    COUNT,
    NONEMPTY_TEXT,
    NONNEGATIVE,
    SIZE,
    TEXT,
    Fields,
    Items,
    ShapeMismatchError,
    make_choice_kind,
)
from rightreasons.core.resources import DATA_FOLDER
from rightreasons.people.protocol_checks import check_protocol, refuse_unknown_keys
from rightreasons.people.questions import QUESTION_SHAPE, Question

if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = DATA_FOLDER / "people"
NO_CHANGES: Mapping[str, int] = MappingProxyType({})
Show = Literal["together", "one-by-one"]
PRACTICE_SHAPE = Fields(
    {"premise": NONEMPTY_TEXT, "hypothesis": NONEMPTY_TEXT, "answers": Fields({}), "feedback": NONEMPTY_TEXT}
)
PROTOCOL_SHAPE = Fields(
    {
        "about": NONEMPTY_TEXT,
        "judgements": SIZE,
        "items_per_participant": SIZE,
        "questions": Items(QUESTION_SHAPE, least=1),
        "texts": Fields(
            {"consent": NONEMPTY_TEXT, "instructions": NONEMPTY_TEXT, "debriefing": NONEMPTY_TEXT},
            {"title": NONEMPTY_TEXT},
        ),
    },
    {
        "strata": Fields({"by": Items(NONEMPTY_TEXT), "each": SIZE}),
        "controls": Fields({}, {"identity": COUNT, "negation": COUNT}),
        "exclude": Items(NONEMPTY_TEXT),
        "show": make_choice_kind("together", "one-by-one"),
        "pause_seconds": NONNEGATIVE,
        "timeout_minutes": NONNEGATIVE,
        "payment": TEXT,
        "practice": Items(PRACTICE_SHAPE),
    },
)


@dataclass(frozen=True)
class PracticeItem:
    """An item with feedback that every participant sees first; `answers` are the gold answers by question."""

    premise: str
    hypothesis: str
    answers: dict[str, str]
    feedback: str


@dataclass(frozen=True)
class Protocol:
    """A protocol. `exclude` are rules such as `controls_wrong > 0`, fixed before the first judgement."""

    name: str
    about: str
    judgements: int  # of each item
    items_per_participant: int  # without controls
    questions: tuple[Question, ...]
    texts: dict[str, str]  # consent, instructions, debriefing, title
    strata: tuple[str, ...] = ()  # columns whose combinations are the strata that items are drawn from
    per_stratum: int = 0  # 0: as many items as the set has
    identity_controls: int = 0
    negation_controls: int = 0
    exclude: tuple[str, ...] = ()
    show: Show = "together"
    pause_seconds: float = 1.0
    timeout_minutes: float = 60.0
    payment: str = ""
    practice: tuple[PracticeItem, ...] = ()

    @classmethod
    def from_dict(cls, name: str, values: dict[str, Any]) -> Protocol:
        """Read a protocol that has PROTOCOL_SHAPE."""
        strata, controls = values.get("strata", {}), values.get("controls", {})
        return cls(
            name,
            values["about"],
            values["judgements"],
            values["items_per_participant"],
            tuple(Question.from_dict(each) for each in values["questions"]),
            dict(values["texts"]),
            tuple(strata.get("by", ())),
            strata.get("each", 0),
            controls.get("identity", 0),
            controls.get("negation", 0),
            tuple(values.get("exclude", ())),
            values.get("show", "together"),
            float(values.get("pause_seconds", 1.0)),
            float(values.get("timeout_minutes", 60.0)),
            values.get("payment", ""),
            tuple(PracticeItem(**each) for each in values.get("practice", ())),
        )

    def find_question(self, name: str) -> Question:
        """Find a question by its name."""
        for question in self.questions:
            if question.name == name:
                return question
        raise UnknownNameError("question of the study", name, [each.name for each in self.questions])


def list_protocols() -> list[str]:
    """List the built-in protocols."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def describe_protocols() -> dict[str, str]:
    """Describe the built-in protocols, a line each."""
    return {name: load_protocol(name)[0].about for name in list_protocols()}


def read_protocol_text(name: str) -> str:
    """Read the TOML of a built-in protocol, with its comments."""
    if name not in list_protocols():
        raise UnknownNameError("protocol", name, list_protocols())
    return (FOLDER / f"{name}.toml").read_text(encoding="utf-8")


def load_protocol(
    name: str | Path, changes: Mapping[str, int] = NO_CHANGES
) -> tuple[Protocol, dict[str, Any]]:
    """Load a protocol by its name, or by the path of a TOML file; and its content, for the card of the study.

    `changes` are numbers to use instead of those in the file: judgements, items_per_participant, each.
    """
    text = str(name)
    if text.endswith(".toml"):
        path = Path(text)
    elif text in list_protocols():
        path = FOLDER / f"{text}.toml"
    elif Path(text).is_file():
        raise InputError(
            f"The file {text!r} is not a protocol. Protocols are TOML files; rename it to end in .toml."
        )
    else:
        raise UnknownNameError("protocol", text, list_protocols())
    values = _change_numbers(_read_toml(path), changes)
    protocol = Protocol.from_dict(path.stem, values)
    check_protocol(protocol)
    return protocol, values


def _change_numbers(values: dict[str, Any], changes: Mapping[str, int]) -> dict[str, Any]:
    for key, number in changes.items():
        if number < 1:
            raise InputError(f"The number {key} of a study can't be {number}. The minimum is 1.")
        if key == "each":
            values = {**values, "strata": {"by": [], **values.get("strata", {}), "each": number}}
        else:
            values = {**values, key: number}
    return values


def _read_toml(path: Path) -> dict[str, Any]:
    advice = "Compare it with a built-in protocol (rightreasons study protocol hans)."
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
        PROTOCOL_SHAPE.check(values, "")
    except OSError as error:
        raise InputError(f"The protocol {str(path)!r} can't be read: {error.strerror}.") from error
    except ShapeMismatchError as error:
        raise InputError(f"In the protocol {str(path)!r}, {error}. {advice}") from error
    except ValueError as error:
        raise InputError(f"The protocol {str(path)!r} is not valid TOML: {error}. {advice}") from error
    refuse_unknown_keys(values, PROTOCOL_SHAPE, f"the protocol {str(path)!r}")
    return values
