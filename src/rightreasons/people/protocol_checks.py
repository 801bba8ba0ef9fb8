"""What a protocol must be beyond its shape: names that are distinct, answers that exist, rules that can be read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.json_shapes import Fields, Items
from rightreasons.people.exclusion import parse_exclusion_rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rightreasons.core.json_shapes import Shape
    from rightreasons.people.protocol import PracticeItem, Protocol
    from rightreasons.people.questions import Question

_PLACEHOLDER = re.compile(r"\[[^\[\]]+\]")


def refuse_unknown_keys(values: object, shape: Shape, place: str) -> None:
    """Refuse keys that a shape doesn't name: a misspelled `exclude` would exclude nobody. Objects of any keys pass."""
    if isinstance(shape, Items) and isinstance(values, list):
        for number, value in enumerate(values, start=1):
            refuse_unknown_keys(value, shape.shape, f"{number} of {place}")
    elif isinstance(shape, Fields) and isinstance(values, dict):
        known = {**shape.required, **shape.optional}
        for name, value in values.items():
            if known and name not in known:
                raise UnknownNameError(f"key in {place}", name, known)
            if name in known:
                refuse_unknown_keys(value, known[name], f"{name} in {place}")


def check_protocol(protocol: Protocol) -> None:
    """Refuse a protocol that no study could be run with; the error names the protocol and the place."""
    place = f"In the protocol {protocol.name!r}, "
    _refuse_repeated(place, "questions have the name", [question.name for question in protocol.questions])
    for question in protocol.questions:
        _check_question(place, question)
    for number, item in enumerate(protocol.practice, start=1):
        _check_practice_item(f"{place}the practice item {number} ", item, protocol.questions)
    for rule in protocol.exclude:
        try:
            parse_exclusion_rule(rule)
        except InputError as error:
            raise InputError(f"{place}under exclude: {error}") from error
    if (protocol.identity_controls or protocol.negation_controls) and not any(
        question.gold == "label" for question in protocol.questions
    ):
        raise InputError(
            f'{place}there are controls, but no question with gold = "label" to recognise wrong answers. Add one, or '
            "remove [controls]."
        )


def find_placeholders(protocol: Protocol) -> list[str]:
    """Find what is left in [square brackets] in the texts of a protocol: participants would read it."""
    found = (place for text in protocol.texts.values() for place in _PLACEHOLDER.findall(text))
    return list(dict.fromkeys(found))


def describe_placeholders(protocol: Protocol) -> str:
    """Describe the placeholders that participants would read, and what to do; empty if there are none."""
    found = find_placeholders(protocol)
    if not found:
        return ""
    return (
        f"Participants will read text in square brackets, such as {found[0]}. Before real participants take part, "
        "replace it in a copy of the protocol, and plan the study again."
    )


def _check_question(place: str, question: Question) -> None:
    where = f"{place}choices of the question {question.name!r} have"
    if question.kind == "choice" and not question.choices:
        raise InputError(
            f"{place}the question {question.name!r} has no choices. Add choices, or set kind to text."
        )
    if question.kind == "text" and (question.choices or question.gold):
        raise InputError(
            f"{place}the question {question.name!r} asks for a text, so it can't have choices or a gold answer. "
            "Remove them, or set kind to choice."
        )
    _refuse_repeated(where, "the value", list(question.values))
    _refuse_repeated(where, "the key", [choice.key for choice in question.choices])


def _check_practice_item(place: str, item: PracticeItem, questions: Sequence[Question]) -> None:
    by_name = {question.name: question for question in questions}
    for name, answer in item.answers.items():
        if name not in by_name:
            raise InputError(
                f"{place}answers the question {name!r}, which does not exist. Choose from: {', '.join(by_name)}."
            )
        if not isinstance(answer, str) or not by_name[name].is_valid_answer(answer):
            raise InputError(
                f"{place}has the answer {answer!r} to the question {name!r}, which is not a choice. "
                f"Choose from: {', '.join(by_name[name].values)}."
            )


def _refuse_repeated(place: str, what: str, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            separator = "" if place.endswith((" ", ":")) else " "
            raise InputError(
                f"{place}{separator}several {what} {name!r}. Change all but one."
                if what.startswith("questions")
                else f"{place}{separator}{what} {name!r} more than once. Change all but one."
            )
