from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.core import options
from rightreasons.core.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Sequence


class Part:
    name = "part"

    def __init__(
        self,
        path: Path = Path(),
        *,
        mode: Literal["faithful", "corrected"] = "corrected",
        size: int = 1,
        share: float = 0.5,
        short: bool = False,
        word: str = "",
        seed: int | None = 0,
        labels: tuple[str, ...] = (),
        names: Sequence[str] = (),
        anything: Any = None,
    ) -> None:
        values = dict(locals())
        values.pop("self")
        self.values = values


class Needy:
    def __init__(self, word: str) -> None:
        self.word = word


@dataclass(frozen=True)
class Told:
    word: str = options.option(help="What it says, which may be long.")


class Bare:
    pass


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("path", "a/b", Path("a/b")),
        ("mode", "faithful", "faithful"),
        ("size", "10_000", 10_000),
        ("share", "0.25", 0.25),
        ("share", 1, 1.0),
        ("short", "yes", True),
        ("short", "False", False),
        ("short", True, True),
        ("word", "3", "3"),
        ("word", "none", "none"),
        ("seed", "none", None),
        ("seed", "7", 7),
        ("seed", None, None),
        ("labels", "a, b", ("a", "b")),
        ("labels", ["a"], ("a",)),
        ("names", "a,b", ("a", "b")),
        ("anything", "x", "x"),
        ("anything", 3, 3),
    ],
)
def test_texts_and_values_become_what_the_annotation_asks_for(key: str, text: object, value: object) -> None:
    made = options.build_part(Part, {key: text}).values[key]
    assert made == value
    assert type(made) is type(value)


@pytest.mark.parametrize(
    ("key", "value", "allowed"),
    [
        ("mode", "fathful", "faithful or corrected"),
        ("size", "many", "a whole number"),
        ("size", True, "a whole number"),
        ("size", 1.5, "a whole number"),
        ("size", None, "a whole number"),
        ("share", "half", "a number"),
        ("short", "perhaps", "true or false"),
        ("seed", "x", "a whole number or none"),
        ("labels", 3, "comma-separated values"),
        ("word", 3, "a string"),
    ],
)
def test_a_misfit_names_key_value_and_what_is_allowed(key: str, value: object, allowed: str) -> None:
    with pytest.raises(InputError) as caught:
        options.build_part(Part, {key: value})
    assert key in str(caught.value)
    assert repr(str(value)) in str(caught.value)
    assert allowed in str(caught.value)


def test_an_unknown_key_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"'mod'.* mode"):
        options.build_part(Part, {"mod": "faithful"})


def test_a_part_without_options_refuses_options() -> None:
    with pytest.raises(InputError, match="has no options"):
        options.build_part(Bare, {"x": "1"})
    assert isinstance(options.build_part(Bare, {}), Bare)


def test_a_missing_required_option_is_named() -> None:
    with pytest.raises(InputError, match="option 'word'"):
        options.build_part(Needy, {})
    with pytest.raises(InputError, match=r"word=VALUE: What it says, which may be long\."):
        options.build_part(Told, {})


def test_hyphens_in_keys_stand_for_underscores() -> None:
    class Hyphen:
        def __init__(self, *, two_words: int = 0) -> None:
            self.two_words = two_words

    assert options.build_part(Hyphen, {"two-words": "3"}).two_words == 3


def test_required_and_schema_come_from_the_signature() -> None:
    assert options.list_required_options(Needy) == ["word"]
    assert options.list_required_options(Part) == []
    assert list(options.get_schema(Part))[:3] == ["path", "mode", "size"]
    assert options.list_allowed_words(options.get_schema(Part)["mode"]) == ("faithful", "corrected")


@pytest.mark.parametrize("share", ["nan", "inf", "-inf", float("nan"), float("inf"), 10**400])
def test_a_number_is_finite(share: object) -> None:
    with pytest.raises(InputError, match="share"):
        options.build_part(Part, {"share": share})


@given(st.integers(), st.booleans(), st.floats(allow_nan=False, allow_infinity=False))
def test_what_is_written_as_text_comes_back(size: int, short: bool, share: float) -> None:
    texts = {"size": str(size), "short": str(short), "share": repr(share)}
    made = options.build_part(Part, texts).values
    assert (made["size"], made["short"], made["share"]) == (size, short, share)
