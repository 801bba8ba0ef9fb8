"""Declared shapes of JSON files, and one checker: what doesn't fit is an InputError with the file and the key.

A shape is a kind of value (TEXT, COUNT, SHARE, ...) or made of shapes: `Items` is a list, `Values` an object with any
keys, `Fields` an object with known keys, `Maybe` also allows null. Keys that a shape doesn't name are left alone, so
that a file of a newer version can be read.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rightreasons.core.errors import InputError
from rightreasons.core.text_errors import refuse_repeated_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

_MAX_SAFE_INTEGER = 2**53  # beyond it, a float and a whole number may differ
_MAX_VALUE_LENGTH = 60  # characters of a value in a message


class ShapeMismatchError(ValueError):
    """A value that does not fit its shape: where it is, and what should be there."""

    def __init__(self, key: str, wanted: str, value: object) -> None:
        """Note the place, the shape and the value."""
        super().__init__(f"{key or 'the top level'} is {_describe_value(value)}, but must be {wanted}")


@dataclass(frozen=True)
class Kind:
    """A single value, recognised by a test."""

    description: str
    is_valid: Callable[[Any], bool]

    def check(self, value: object, key: str) -> None:
        """Refuse a value that fails the test."""
        if not self.is_valid(value):
            raise ShapeMismatchError(key, self.description, value)


@dataclass(frozen=True)
class Items:
    """A list of values of one shape."""

    shape: Shape
    least: int = 0

    def check(self, value: object, key: str) -> None:
        """Refuse what is not a list, is too short, or has an item that doesn't fit."""
        if not isinstance(value, list) or len(value) < self.least:
            raise ShapeMismatchError(key, "a list" + (f" of at least {self.least}" * bool(self.least)), value)
        for place, item in enumerate(value):
            self.shape.check(item, f"{key}[{place}]")


@dataclass(frozen=True)
class Values:
    """An object with any keys, whose values are of one shape."""

    shape: Shape

    def check(self, value: object, key: str) -> None:
        """Refuse what is not an object, or has a value that doesn't fit."""
        if not isinstance(value, dict):
            raise ShapeMismatchError(key, "an object", value)
        for name, item in value.items():
            TEXT.check(name, f"a key of {key or 'the top level'}")
            self.shape.check(item, _join_keys(key, name))


@dataclass(frozen=True)
class Fields:
    """An object with known keys, some of which may be missing."""

    required: Mapping[str, Shape]
    optional: Mapping[str, Shape] = field(default_factory=dict)

    def check(self, value: object, key: str) -> None:
        """Refuse what is not an object, lacks a key, or has a value that doesn't fit."""
        if not isinstance(value, dict):
            raise ShapeMismatchError(key, "an object", value)
        for name, shape in self.required.items():
            if name not in value:
                raise ShapeMismatchError(_join_keys(key, name), "present", None)
            shape.check(value[name], _join_keys(key, name))
        for name, shape in self.optional.items():
            if name in value:
                shape.check(value[name], _join_keys(key, name))


@dataclass(frozen=True)
class Maybe:
    """A shape, or null."""

    shape: Shape

    def check(self, value: object, key: str) -> None:
        """Refuse what neither fits nor is null."""
        if value is not None:
            self.shape.check(value, key)


Shape = Kind | Items | Values | Fields | Maybe


def make_choice_kind(*words: str) -> Kind:
    """Make the kind of a text that is one of some words."""
    return Kind(" or ".join(words), lambda value: isinstance(value, str) and value in words)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= _MAX_SAFE_INTEGER  # which NaN and infinity are not


def _is_storable_number(value: Any) -> bool:
    """Return whether a value is a number that a column of a table can hold: 64 bits, or a float."""
    return (type(value) is int and -(2**63) <= value < 2**64) or (
        type(value) is float and math.isfinite(value)
    )


TEXT = Kind("a string", lambda value: isinstance(value, str) and _is_encodable(value))
NONEMPTY_TEXT = Kind("a non-empty string", lambda value: TEXT.is_valid(value) and bool(value))
FLAG = Kind("true or false", lambda value: isinstance(value, bool))
INTEGER = Kind("a whole number", lambda value: type(value) is int)  # of any size, such as a seed
SAFE_INTEGER = Kind("a whole number", lambda value: type(value) is int and _is_number(value))
COUNT = Kind("a whole number of at least 0", lambda value: SAFE_INTEGER.is_valid(value) and value >= 0)
SIZE = Kind("a whole number of at least 1", lambda value: SAFE_INTEGER.is_valid(value) and value >= 1)
NONNEGATIVE = Kind("a number of at least 0", lambda value: _is_number(value) and value >= 0)
NUMBER = Kind("a number", lambda value: _is_number(value) and math.isfinite(value))
SHARE = Kind("a number from 0 to 1", lambda value: _is_number(value) and 0 <= value <= 1)
SCALAR = Kind(
    "a string, a number or null",
    lambda value: value is None or TEXT.is_valid(value) or _is_storable_number(value),
)
ANY = Kind("a value", lambda _: True)


def parse_json(text: str, shape: Shape) -> Any:
    """Read JSON that must have a shape; what is wrong with it is a ValueError."""
    try:
        value = json.loads(
            text,
            parse_float=_parse_finite_float,
            parse_constant=_parse_finite_float,
            object_pairs_hook=refuse_repeated_keys,
        )
    except RecursionError as error:
        raise ValueError("the values are nested too deeply") from error
    shape.check(value, "")
    return value


def read_json(path: Path, shape: Shape, advice: str, check: Callable[[Any], None] | None = None) -> Any:
    """Read a JSON file that must have a shape, and pass a further check; the advice says what to do if it doesn't."""
    try:
        value = parse_json(path.read_text(encoding="utf-8"), shape)
        if check is not None:
            check(value)
    except FileNotFoundError:
        raise InputError(f"There is no {path.name} in {str(path.parent)!r}. {advice}") from None
    except OSError as error:
        raise InputError(f"The file {str(path)!r} can't be read: {error.strerror}. {advice}") from error
    except ShapeMismatchError as error:
        raise InputError(f"In the file {str(path)!r}, {error}. {advice}") from error
    except ValueError as error:  # also for bytes that are not UTF-8
        raise InputError(f"The file {str(path)!r} is not valid JSON: {error}. {advice}") from error
    return value


def _parse_finite_float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:20]} is not a finite number")
    return value


def _is_encodable(text: str) -> bool:
    """Return whether a string can be written: JSON may contain lone surrogates."""
    return text.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in text)


def _join_keys(key: str, name: str) -> str:
    return f"{key}.{name}" if key else str(name)


def _describe_value(value: object) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else f"a list of {len(value)}"
    shown = "missing or null" if value is None else ascii(value)
    return shown if len(shown) <= _MAX_VALUE_LENGTH else f"{shown[:_MAX_VALUE_LENGTH]}..."
