"""The option --force, and checks that no output overwrites an input or another output of the command."""

from __future__ import annotations

import os
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_OUTPUT_PARAMETERS = (
    "out",
    "target",
    "markdown",
    "csv_folder",
    "latex",
    "pairs",
)  # parameters that name outputs
_FOLDER_PARAMETERS = (
    "runs",
    "run",
    "what",
    "models_in",
)  # parameters whose texts may be folders without a prefix
# The data of a run; its pages and other files in its folder may be overwritten.
_RUN_FILES = (
    "card.json",
    "scores.json",
    "scores.csv",
    "leaks.json",
    "training.json",
    "manifest.json",
    "sets",
    "predictions",
)


def add_force_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --force, with the checks that no two outputs are equal and that no input is overwritten."""

    @wraps(command)
    def run_after_checks(**arguments: Any) -> Any:
        params = click.get_current_context().params
        refuse_equal_outputs(params)
        if arguments["force"]:
            refuse_overwriting_inputs(params)
        return command(**arguments)

    return click.option("--force", is_flag=True, help="Overwrite existing output.")(run_after_checks)


def refuse_equal_outputs(params: Mapping[str, Any]) -> None:
    """Refuse two outputs with the same path."""
    from rightreasons.core.errors import OutputError

    targets: set[str] = set()
    for out in map(params.get, _OUTPUT_PARAMETERS):
        if isinstance(out, str) and "\0" not in out:
            target = os.path.realpath(out)
            if target in targets:
                raise OutputError(f"{out} is the path of two outputs. Use a different path for each.")
            targets.add(target)


def refuse_overwriting_inputs(params: Mapping[str, Any]) -> None:
    """Refuse an output that is an input, contains one, or belongs to an input folder."""
    from rightreasons.core.errors import OutputError

    inputs = {
        path
        for name, value in params.items()
        if name not in _OUTPUT_PARAMETERS
        for path in _list_existing_paths(name, value)
    }
    for name in _OUTPUT_PARAMETERS:
        out = params.get(name)
        target = Path(os.path.realpath(out)) if isinstance(out, str) else None
        read = next((path for path in inputs if target and _would_destroy_input(target, path)), None)
        if read is not None:
            raise OutputError(
                f"{out} can't be overwritten, because the command reads {read}. Use another output path."
            )


def _would_destroy_input(target: Path, read: Path) -> bool:
    """Return whether overwriting the target would destroy a file or folder that is read."""
    if not target.exists():
        return False
    is_part = (
        target != read and target.is_relative_to(read) and target.relative_to(read).parts[0] in _RUN_FILES
    )
    return read.is_relative_to(target) or is_part


def _list_existing_paths(name: str, value: object) -> Iterator[Path]:
    """List the existing files and folders that a parameter names: PATH, KIND:PATH, NAME=PATH, with commas between."""
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, tuple | list):
        for item in value:
            yield from _list_existing_paths(name, item)
    elif isinstance(value, str):
        for text in {value, *value.split(",")}:
            for prefix, rest in (("", text), *_split_prefixes(text)):
                path = Path(os.path.realpath(rest)) if rest and "\0" not in rest else None
                # A bare word such as hans may be the name of a set although a folder of that name exists.
                if path and (path.is_file() or (path.is_dir() and (prefix or name in _FOLDER_PARAMETERS))):
                    yield path


def _split_prefixes(text: str) -> Iterator[tuple[str, str]]:
    """Split a text at its first colon, and at its first equals sign."""
    for separator in ":=":
        prefix, present, rest = text.partition(separator)
        if present:
            yield prefix, rest
