"""Parts of other packages: found through entry points, and loaded so that a broken one harms itself alone."""

from __future__ import annotations

import importlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rightreasons import options
from rightreasons.errors import InputError, RightReasonsError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LONGEST = 200  # characters of a foreign message


def find_entry_points(group: str) -> list[tuple[str, str]]:
    """List the names and targets that installed packages declare; looking through them all takes milliseconds."""
    from importlib.metadata import entry_points

    try:
        return sorted((found.name, found.value) for found in entry_points(group=group))
    except Exception:  # noqa: BLE001 - the metadata of one package can't be read: it may be anything
        return sorted(set(_one_by_one(group)))


def _one_by_one(group: str) -> Iterator[tuple[str, str]]:
    """Go through the installed packages, and leave out those whose metadata can't be read."""
    from importlib.metadata import distributions

    for distribution in distributions():
        try:
            yield from [(found.name, found.value) for found in distribution.entry_points.select(group=group)]
        except Exception:  # noqa: BLE001, S112 - as above
            continue


def load_part(kind: str, name: str, target: str, *, foreign: bool) -> Callable[..., Any]:
    """Load the part behind a name; whatever goes wrong in the code of a plugin is an InputError that names it."""
    module, _, attribute = target.partition(":")
    if foreign:
        with guarded(f"The {kind} {name!r} can't be loaded from {target}"):
            part: Callable[..., Any] = getattr(importlib.import_module(module), attribute)
            options.schema_of(part)  # so that all that follows can rely on its options being readable
            return part
    try:
        part = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise InputError(
            f"The {kind} {name!r} can't be loaded from {target}: {error}. Install what it needs."
        ) from error
    return part


@contextmanager
def guarded(what: str) -> Iterator[None]:
    """Turn whatever the code of a plugin raises, even an exit, into one sentence."""
    try:
        yield
    except RightReasonsError:
        raise
    except (Exception, SystemExit) as error:
        words = str(error).strip().splitlines()[:1]
        said = ": ".join([type(error).__name__, *words])[:_LONGEST].rstrip(". ")
        advice = "Install what it needs, or remove the package that it belongs to."
        raise InputError(f"{what}: {said}. {advice}") from error
