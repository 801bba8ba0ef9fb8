"""The option --force, and what no output may be: an input of the same command, or another of its outputs."""

from __future__ import annotations

import os
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_OUTPUTS = (
    "out",
    "target",
    "markdown",
    "csv_folder",
    "latex",
    "pairs",
)  # parameters that name what is written
_FOLDERS = ("runs", "run", "what", "models_in")  # parameters whose texts may be folders without a prefix
# What a run is made of; its pages, and what else lies in its folder, may be made anew.
_RUN = ("card.json", "scores.json", "scores.csv", "leaks.json", "manifest.json", "sets", "predictions")


def force(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --force; with it, outputs that are an input of the same command are refused, and always equal outputs."""

    @wraps(command)
    def guarded(**given: Any) -> Any:
        params = click.get_current_context().params
        refuse_equal_outputs(params)
        if given["force"]:
            refuse_inputs(params)
        return command(**given)

    return click.option("--force", is_flag=True, help="Overwrite existing output.")(guarded)


def refuse_equal_outputs(params: Mapping[str, Any]) -> None:
    """Refuse two outputs of which one would replace the other."""
    from rightreasons.core.errors import OutputError

    found: set[str] = set()
    for out in map(params.get, _OUTPUTS):
        if isinstance(out, str) and "\0" not in out:
            target = os.path.realpath(out)
            if target in found:
                raise OutputError(f"{out} is named for two outputs. Give each of them a path of its own.")
            found.add(target)


def refuse_inputs(params: Mapping[str, Any]) -> None:
    """Refuse an output that is one of the inputs, holds one, or is a file of a folder that is one."""
    from rightreasons.core.errors import OutputError

    inputs = {path for name, value in params.items() if name not in _OUTPUTS for path in _paths(name, value)}
    for name in _OUTPUTS:
        out = params.get(name)
        target = Path(os.path.realpath(out)) if isinstance(out, str) else None
        read = next((path for path in inputs if target and _destroys(target, path)), None)
        if read is not None:
            raise OutputError(
                f"{out} can't be overwritten: the command reads {read} as well. Name another output."
            )


def _destroys(target: Path, read: Path) -> bool:
    """Tell whether replacing the target would lose a file or folder that is read."""
    if not target.exists():
        return False
    is_part = target != read and target.is_relative_to(read) and target.relative_to(read).parts[0] in _RUN
    return read.is_relative_to(target) or is_part


def _paths(name: str, value: object) -> Iterator[Path]:
    """List the existing files and folders that a parameter names: PATH, KIND:PATH, NAME=PATH, with commas between."""
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, tuple | list):
        for one in value:
            yield from _paths(name, one)
    elif isinstance(value, str):
        for text in {value, *value.split(",")}:
            for start, path in (("", text), *_tails(text)):
                found = Path(os.path.realpath(path)) if path and "\0" not in path else None
                # A bare word such as hans may be a set as well as a folder that happens to be there.
                if found and (found.is_file() or (found.is_dir() and (start or name in _FOLDERS))):
                    yield found


def _tails(text: str) -> Iterator[tuple[str, str]]:
    """Cut what stands before the first colon or equals sign."""
    for sign in ":=":
        start, found, rest = text.partition(sign)
        if found:
            yield start, rest
