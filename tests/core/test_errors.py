"""The tree of errors in the docstring of `core/errors.py` is that of the classes."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import rightreasons
from rightreasons.core import errors

ROOT = "RightReasonsError"


def read_drawing() -> dict[str, str | None]:
    """Read the parent of each error off the drawing: four characters a level."""
    parents: dict[str, str | None] = {}
    open_levels: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        drawn = re.fullmatch(r" {4}([│├└─ ]*)(\w+Error)  .+", line)
        if drawn:
            level = len(drawn[1]) // 4
            del open_levels[level:]
            parents[drawn[2]] = open_levels[-1] if open_levels else None
            open_levels.append(drawn[2])
    return parents


def read_classes() -> dict[str, str | None]:
    """Read the parent of each error off the sources, so that no heavy library is imported."""
    bases: dict[str, str] = {}
    for path in Path(rightreasons.__path__[0]).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and node.bases and isinstance(node.bases[0], ast.Name):
                bases[node.name] = node.bases[0].id

    def is_ours(name: str) -> bool:
        return name == ROOT or (name in bases and is_ours(bases[name]))

    return {name: None if name == ROOT else base for name, base in bases.items() if is_ours(name)}


def test_the_drawing_has_every_error_in_its_place() -> None:
    assert read_drawing() == read_classes()
    assert next(iter(read_drawing())) == ROOT


def test_every_error_of_the_module_can_be_imported_from_the_package() -> None:
    own = {name for name, value in vars(errors).items() if isinstance(value, type)}
    assert own <= set(rightreasons.__all__)
