from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest

from rightreasons.audits.error_analysis import CATEGORIES
from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.people.exclusion import parse_exclusion_rule
from rightreasons.people.protocol import (
    describe_protocols,
    list_protocols,
    load_protocol,
    read_protocol_text,
)

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.every_case
PROTOCOLS = ["antonym-types", "error-types", "hans", "nps", "random-pair", "stress"]


def test_the_built_in_protocols() -> None:
    assert list_protocols() == PROTOCOLS
    assert list(describe_protocols()) == PROTOCOLS


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_built_in_protocol_is_complete(name: str) -> None:
    protocol, content = load_protocol(name)
    assert protocol.name == name
    assert content == tomllib.loads(read_protocol_text(name))
    assert {"title", "consent", "instructions", "debriefing"} <= set(protocol.texts)
    for needed in ("[contact]", "[name and institution]", "[amount]"):
        assert needed in protocol.texts["consent"]
    assert "Not in the paper" in read_protocol_text(name)
    assert protocol.payment
    assert 2 <= len(protocol.practice) <= 4
    for item in protocol.practice:
        assert item.feedback
        assert set(item.answers) <= {question.name for question in protocol.questions}
    for rule in protocol.exclude:
        parse_exclusion_rule(rule)


def test_numbers_of_the_papers() -> None:
    numbers = {
        name: (
            each.per_stratum,
            each.judgements,
            each.items_per_participant,
            each.identity_controls,
            each.exclude,
        )
        for name in PROTOCOLS[2:]
        for each in [load_protocol(name)[0]]
    }
    assert numbers == {
        "hans": (20, 5, 57, 5, ("controls_wrong > 0",)),
        "nps": (50, 3, 50, 2, ("controls_wrong > 1",)),
        "random-pair": (40, 5, 40, 0, ()),
        "stress": (100, 3, 100, 0, ()),
    }
    assert load_protocol("hans")[0].negation_controls == 5
    assert "$2.00 for 67" in load_protocol("hans")[0].payment


def test_questions_of_the_papers() -> None:
    asked = {
        name: {question.name: question.values for question in load_protocol(name)[0].questions}
        for name in PROTOCOLS
    }
    three = ("entailment", "neutral", "contradiction")
    two = ("entailment", "non-entailment")
    assert asked["hans"] == {"label": two}
    assert asked["nps"] == {"label": two, "sense": ("yes", "no")}
    assert asked["random-pair"] == {"label": three}
    assert asked["stress"] == {"label": three, "grammatical": ("yes", "no"), "trivial": ("yes", "no")}
    assert asked["antonym-types"]["antonym-type"][:3] == ("gradable", "relational", "complementary")
    assert asked["error-types"]["error-type"] == CATEGORIES


def test_numbers_can_be_changed() -> None:
    protocol, content = load_protocol("hans", {"judgements": 3, "each": 1, "items_per_participant": 114})
    assert (protocol.judgements, protocol.per_stratum, protocol.items_per_participant) == (3, 1, 114)
    assert (content["judgements"], content["strata"]) == (3, {"by": ["category"], "each": 1})
    assert load_protocol("hans")[1]["judgements"] == 5


@pytest.mark.parametrize("key", ["judgements", "each", "items_per_participant"])
def test_a_number_below_1_is_refused(key: str) -> None:
    with pytest.raises(InputError, match=f"{key}.* 0"):
        load_protocol("hans", {key: 0})


def test_a_protocol_is_a_name_or_a_toml_file(tmp_path: Path) -> None:
    copy = tmp_path / "mine.toml"
    copy.write_text(read_protocol_text("nps"), encoding="utf-8")
    assert load_protocol(copy)[0].name == "mine"
    with pytest.raises(UnknownNameError, match="Did you mean hans"):
        load_protocol("hand")
    with pytest.raises(UnknownNameError):
        read_protocol_text("mine")
    other = tmp_path / "mine.txt"
    other.write_text("x", encoding="utf-8")
    with pytest.raises(InputError, match=r"\.toml"):
        load_protocol(other)
    with pytest.raises(InputError, match="can't be read"):
        load_protocol(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("judgements = 5", 'judgements = "5"', "judgements is '5'"),
        ("judgements = 5", "judgements = ", "not valid TOML"),
        ("judgements = 5", "", "judgements is missing"),
        ('show = "together"', 'show = "twice"', "together or one-by-one"),
        ('by = ["category"]', "by = 3", r"strata\.by"),
        ('name = "label"', 'name = "My label"', r"questions\[0\]\.name"),
        ("controls_wrong > 0", "controls_wrong", "under exclude"),
        ("exclude = [", "exlude = [", "'exlude'.* exclude"),
        ("identity = 5", "identities = 5", "key in controls in .*'identities'"),
        ('gold = "label"', 'golden = "label"', "key in 1 of questions in .*'golden'"),
        ("consent = ", 'consemt = "x"\nconsent = ', "key in texts in .*'consemt'"),
    ],
)
def test_a_broken_file_is_refused_with_its_name_and_the_place(
    tmp_path: Path, old: str, new: str, says: str
) -> None:
    path = tmp_path / "broken.toml"
    path.write_text(read_protocol_text("hans").replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError, match=says) as raised:
        load_protocol(path)
    assert "broken" in str(raised.value)


def test_bytes_that_are_not_utf_8_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "latin.toml"
    path.write_bytes('about = "é"'.encode("latin-1"))
    with pytest.raises(InputError, match="latin"):
        load_protocol(path)
