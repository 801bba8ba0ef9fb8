"""Options of a part: the fields of its dataclass, each declared once with type, default and help.

    @dataclass(frozen=True, kw_only=True)
    class Shuffled:
        seed: int = option(0, help="Seed of the shuffle.")

The command line, the Python API, `list`, the reference and the card read them from there. A part of a plugin may be a
plain class or function instead: then the signature of its constructor declares the options.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from rightreasons.core.errors import InputError, UnknownNameError

T = TypeVar("T")

_TRUE_WORDS = ("true", "yes", "on", "1")
_FALSE_WORDS = ("false", "no", "off", "0")
_NONE_WORDS = ("none", "null")
_LIST_TYPES = (tuple, list, Sequence)
# Parts may import these names for type checking only; their annotations are texts that still need them.
_ANNOTATION_NAMES = {"Path": Path, "Literal": Literal, "Sequence": Sequence, "Mapping": Mapping, "Any": Any}


def option(default: Any = dataclasses.MISSING, *, help: str) -> Any:  # noqa: A002 - argparse and click call it so
    """Declare an option as a field of a dataclass: its default and one line of help; no default makes it required."""
    return dataclasses.field(default=default, metadata={"help": help})


def require_at_least(name: str, value: float, minimum: float) -> None:
    """Refuse a value of an option that is below the minimum, not finite, or a number that no table can have."""
    if not minimum <= value < math.inf:
        raise InputError(f"The option {name} is {value}. Use at least {minimum:g}.")
    if isinstance(value, int) and value > sys.maxsize:
        raise InputError(f"The option {name} is {value}. Use at most {sys.maxsize}.")


def get_option_help(part: Callable[..., object]) -> dict[str, str]:
    """Return the line of help of each option, by name; options without one are left out."""
    if not dataclasses.is_dataclass(part):
        return {}
    return {item.name: item.metadata["help"] for item in dataclasses.fields(part) if "help" in item.metadata}


def get_options(part: object) -> dict[str, Any]:
    """Return the options of a part in order, as its card records them: tuples as lists, paths as texts."""
    return {name: convert_option_to_json(getattr(part, name)) for name in get_schema(type(part))}


def convert_option_to_json(value: object) -> object:
    """Convert the value of an option to JSON: a tuple to a list, a path to a text, a model to its name."""
    if isinstance(value, Path):
        return str(value)
    if hasattr(value, "predict"):
        return str(getattr(value, "name", type(value).__name__))
    return list(value) if isinstance(value, tuple) else value


class _OptionMismatchError(Exception):
    """A value that does not fit an annotation; never leaves this file."""


def build_part(part: Callable[..., T], given: Mapping[str, object], *, title: str = "") -> T:
    """Make a part from options; strings are converted by the annotations of its constructor.

    `title` names the part in messages where it has no name of its own.
    """
    schema = get_schema(part)
    title = title or _get_part_title(part)
    values: dict[str, object] = {}
    for key, value in given.items():
        name = key.replace("-", "_")
        if name not in schema:
            raise _build_unknown_option_error(title, key, schema)
        values[name] = _convert_option_value(key, value, schema[name])
    for name in list_required_options(part):
        if name not in values:
            wanted = get_option_help(part).get(name, "").rstrip(".") or describe_type(schema[name])
            raise InputError(f"{title} needs the option {name!r}. Pass {name}=VALUE: {wanted}.")
    return part(**values)


def normalize_option_key(key: str) -> str:
    """Write an option in a key as its part declares it, batch_size for batch-size; the owner before a dot stays."""
    owner, dot, name = key.rpartition(".")
    return f"{owner}{dot}{name.replace('-', '_')}"


def get_schema(part: Callable[..., object]) -> dict[str, Any]:
    """List the options of a part with their annotations, in order."""
    if dataclasses.is_dataclass(part):
        hints = get_type_hints(part, localns=_ANNOTATION_NAMES)
        return {name: hints[name] for name in inspect.signature(part).parameters}  # required ones come first
    function = getattr(part, "__init__", part) if inspect.isclass(part) else part
    if function is object.__init__:
        return {}
    hints = get_type_hints(function, localns=_ANNOTATION_NAMES)
    return {name: hints.get(name, Any) for name in inspect.signature(part).parameters}


def list_required_options(part: Callable[..., object]) -> list[str]:
    """List the options of a part that have no default."""
    parameters = inspect.signature(part).parameters.values()
    return [parameter.name for parameter in parameters if parameter.default is inspect.Parameter.empty]


def list_allowed_words(annotation: Any) -> tuple[str, ...]:
    """List the words an annotation allows, when it is a closed list of them, or that or nothing."""
    if get_origin(annotation) in (Union, types.UnionType):
        members = [member for member in get_args(annotation) if member is not types.NoneType]
        return list_allowed_words(members[0]) if len(members) == 1 else ()
    return tuple(str(value) for value in get_args(annotation)) if get_origin(annotation) is Literal else ()


def _build_unknown_option_error(title: str, key: str, schema: Mapping[str, Any]) -> InputError:
    if not schema:
        return InputError(f"{title} has no options, but {key!r} was given. Remove it.")
    return UnknownNameError(f"option of {title}", key, schema)


def _get_part_title(part: Callable[..., object]) -> str:
    return str(getattr(part, "name", None) or getattr(part, "__name__", "this part"))


def _convert_option_value(key: str, value: object, annotation: Any) -> object:
    try:
        return _convert_value(value, annotation)
    except _OptionMismatchError:
        raise InputError(
            f"The option {key} can't be {str(value)!r}. Use {describe_type(annotation)}."
        ) from None


def _convert_value(value: object, annotation: Any) -> object:
    """Convert a string to the type of the annotation; values of other types must fit as they are."""
    origin = get_origin(annotation)
    if origin is Literal:
        return _match_choice(value, get_args(annotation))
    if origin in (Union, types.UnionType):
        return _convert_to_union_member(value, get_args(annotation))
    if (origin or annotation) in _LIST_TYPES:
        return _convert_list_items(value, annotation)
    if value is None or annotation is types.NoneType:
        return _convert_none_word(value, annotation)
    return (
        _parse_scalar(value, annotation) if isinstance(value, str) else _check_value_type(value, annotation)
    )


def _match_choice(value: object, allowed: tuple[object, ...]) -> object:
    for choice in allowed:
        if value == choice or (isinstance(value, str) and value == str(choice)):
            return choice
    raise _OptionMismatchError


def _convert_to_union_member(value: object, members: tuple[Any, ...]) -> object:
    # A text must not shadow the narrower members: "none" and "3" fit str as well.
    for member in sorted(members, key=lambda member: member in (str, Path)):
        try:
            return _convert_value(value, member)
        except _OptionMismatchError:
            continue
    raise _OptionMismatchError


def _convert_list_items(value: object, annotation: Any) -> object:
    inner = next((member for member in get_args(annotation) if member is not Ellipsis), str)
    if not isinstance(value, Sequence):
        raise _OptionMismatchError
    parts = [part.strip() for part in value.split(",")] if isinstance(value, str) else value
    converted = [_convert_value(part, inner) for part in parts]
    return converted if (get_origin(annotation) or annotation) is list else tuple(converted)


def _convert_none_word(value: object, annotation: Any) -> object:
    word = value.lower() if isinstance(value, str) else value
    if annotation in (types.NoneType, Any) and word in (None, *_NONE_WORDS):
        return None
    raise _OptionMismatchError


def _parse_scalar(text: str, annotation: Any) -> object:
    try:
        if annotation is bool:
            return _parse_bool(text.lower())
        if annotation is float:
            return _check_value_type(float(text), float)
        if annotation in (int, str, Path):
            return annotation(text)
    except ValueError:
        raise _OptionMismatchError from None
    return text


def _parse_bool(word: str) -> bool:
    if word not in _TRUE_WORDS + _FALSE_WORDS:
        raise _OptionMismatchError
    return word in _TRUE_WORDS


def _check_value_type(value: object, annotation: Any) -> object:
    if annotation is Any:
        return value
    if annotation is float and type(value) is int:
        value = _convert_int_to_float(value)
    if annotation is float and isinstance(value, float) and not math.isfinite(value):
        raise _OptionMismatchError
    if isinstance(value, bool) and annotation is not bool:
        raise _OptionMismatchError
    if inspect.isclass(annotation) and not isinstance(value, annotation):
        raise _OptionMismatchError
    return value


def _convert_int_to_float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        raise _OptionMismatchError from None


def describe_type(annotation: Any) -> str:
    """Describe in words what an annotation allows."""
    origin = get_origin(annotation)
    if origin is Literal:
        return " or ".join(list_allowed_words(annotation))
    if origin in (Union, types.UnionType):
        return " or ".join(describe_type(member) for member in get_args(annotation))
    words = {
        Any: "any value",
        int: "a whole number",
        float: "a number",
        bool: "true or false",
        str: "a string",
        Path: "a path",
    }
    if (origin or annotation) in _LIST_TYPES:
        return "comma-separated values"
    return "none" if annotation is types.NoneType else words.get(annotation, str(annotation))
