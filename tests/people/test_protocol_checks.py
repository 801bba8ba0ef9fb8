from __future__ import annotations

from dataclasses import replace

import pytest
from study_pairs_maker import LABEL, SENSE, make_protocol

from rightreasons.core.errors import InputError
from rightreasons.people.protocol import PracticeItem, load_protocol
from rightreasons.people.protocol_checks import check_protocol, describe_placeholders, find_placeholders
from rightreasons.people.questions import Choice, Question

NOTE = Question("note", "Anything else?", kind="text", required=False)
PRACTICE = PracticeItem("It rained.", "It was wet.", {"label": "entailment"}, "Rain is wet.")


def test_a_sound_protocol_passes() -> None:
    check_protocol(make_protocol(questions=(LABEL, SENSE, NOTE), practice=(PRACTICE,), identity_controls=1))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"questions": (LABEL, LABEL)}, "several questions have the name 'label'"),
        ({"questions": (replace(LABEL, choices=()),)}, "'label' has no choices"),
        ({"questions": (replace(NOTE, gold="label"),)}, "'note' asks for a text"),
        ({"questions": (replace(SENSE, choices=SENSE.choices * 2),)}, "the value 'yes' more than once"),
        (
            {"questions": (replace(SENSE, choices=(*SENSE.choices, Choice("odd", "Odd", "y"))),)},
            "the key 'y' more than once",
        ),
        ({"practice": (replace(PRACTICE, answers={"odd": "yes"}),)}, "practice item 1 .*'odd'"),
        ({"practice": (PRACTICE, replace(PRACTICE, answers={"label": "no"}))}, "practice item 2 .*'no'"),
        ({"practice": (replace(PRACTICE, answers={"label": 3}),)}, "the answer 3"),
        ({"exclude": ("odd > 1",)}, "'odd'"),
        ({"questions": (SENSE,), "negation_controls": 1}, "there are controls"),
    ],
)
def test_what_is_wrong_is_named_with_the_protocol(changes: dict[str, object], says: str) -> None:
    with pytest.raises(InputError, match=says) as raised:
        check_protocol(make_protocol(**changes))
    assert "'tests'" in str(raised.value)


def test_placeholders_that_participants_would_read_are_found_once_each() -> None:
    texts = {
        "consent": "By [name], for [amount].",
        "instructions": "Read.",
        "debriefing": "Ask [name]. a[0] = []",
    }
    protocol = make_protocol(texts=texts)
    assert find_placeholders(protocol) == ["[name]", "[amount]", "[0]"]
    assert "[name]" in describe_placeholders(protocol)
    assert describe_placeholders(make_protocol()) == ""


def test_every_builtin_protocol_has_places_to_fill_in() -> None:
    assert "[name and institution]" in find_placeholders(load_protocol("hans")[0])
