"""The names that config.json gives to the outputs of a model: `id2label`, checked for gaps and contradictions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from rightreasons.core import labels
from rightreasons.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

NUMBERED = re.compile(r"(label|class|output)?[ _-]?\d+|", re.IGNORECASE)  # names that say nothing
_PLACE = re.compile(r"0|[1-9]\d{0,8}", re.ASCII)


def output_names(
    settings: Mapping[str, Any], path: Path, given: Sequence[str] | None = None
) -> tuple[str, ...] | None:
    """Name the outputs in their order by `id2label`; None where settings don't name them.

    An ambiguous map is an error, unless the option `labels` says what the outputs are: then these are the names.
    """
    try:
        names = _names(settings)
    except _AmbiguousMapError as error:
        if given is None:
            raise InputError(
                f"{path} does not say which output is which label: {error}. Give the order of the outputs, "
                f"such as -o labels={','.join(sorted(labels.THREE))}, or correct the file."
            ) from error
        names = None
    return tuple(given) if names is None and given is not None else names


def is_ambiguous(settings: Mapping[str, Any]) -> bool:
    """Tell whether the names of the outputs can't be used as they are."""
    try:
        return _names(settings) is None
    except _AmbiguousMapError:
        return True


class _AmbiguousMapError(Exception):
    """What is wrong with a label map."""


def _names(settings: Mapping[str, Any]) -> tuple[str, ...] | None:
    found = settings.get("id2label")
    if found is None or found == {}:
        return None
    if not isinstance(found, dict):
        raise _AmbiguousMapError(f"its id2label is {found!r:.80}, not a map from numbers to names")
    names = {_place(key): _name(value) for key, value in found.items()}
    if sorted(names) != [*range(len(names))]:
        listed = ", ".join(map(str, sorted(names)))
        raise _AmbiguousMapError(
            f"the keys of id2label are {listed}, not 0 to {len(names) - 1} without a gap"
        )
    ordered = tuple(names[place] for place in range(len(names)))
    _check_count(settings.get("num_labels"), ordered)
    _check_inverse(settings.get("label2id"), ordered)
    return ordered


def _place(key: object) -> int:
    """Read the number of an output, as JSON writes it."""
    if not _PLACE.fullmatch(str(key)):
        raise _AmbiguousMapError(f"id2label has the key {key!r:.60}, not the number of an output")
    return int(str(key))


def _name(value: object) -> str:
    if not isinstance(value, str | int) or isinstance(
        value, bool
    ):  # numbers say nothing, but contradict nothing
        raise _AmbiguousMapError(f"id2label has the value {value!r:.60}, not a name")
    return str(value)


def _check_count(count: object, names: Sequence[str]) -> None:
    if count is not None and count != len(names):
        raise _AmbiguousMapError(f"num_labels is {count!r:.60}, but id2label has {len(names)} names")


def _check_inverse(inverse: object, names: Sequence[str]) -> None:
    """Hold `label2id` against the names; those that say nothing, such as LABEL_0, contradict nothing."""
    if inverse is None:
        return
    if not isinstance(inverse, dict):
        raise _AmbiguousMapError(f"its label2id is {inverse!r:.80}, not a map from names to numbers")
    for name, place in inverse.items():
        if NUMBERED.fullmatch(name):
            continue
        if not _PLACE.fullmatch(str(place)) or int(str(place)) >= len(names):
            raise _AmbiguousMapError(
                f"label2id has {name!r:.60} at {place!r:.60}, which id2label does not have"
            )
        other = names[int(str(place))]
        if not NUMBERED.fullmatch(other) and not _is_same(name, other):
            raise _AmbiguousMapError(
                f"label2id has {name!r:.60} at {place}, where id2label has {other!r:.60}"
            )


def _is_same(name: str, other: str) -> bool:
    known = labels.look_up(name)
    return name.casefold() == other.casefold() or (known is not None and known == labels.look_up(other))
