"""A class name means one thing in the package."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import rightreasons

PACKAGE = Path(rightreasons.__file__).parent
SOURCES = {str(path.relative_to(PACKAGE)): path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}


def repeated_classes(sources: dict[str, str]) -> dict[str, list[str]]:
    """Find the class names, leading underscores aside, that several files define."""
    files: dict[str, set[str]] = defaultdict(set)
    for path, source in sources.items():
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ClassDef):
                files[node.name.lstrip("_")].add(path)
    return {name: sorted(paths) for name, paths in files.items() if len(paths) > 1}


def test_every_class_name_is_defined_in_one_file() -> None:
    assert repeated_classes(SOURCES) == {}


def test_a_repeated_class_name_is_reported() -> None:
    sources = {
        "a.py": "class Word: ...\nclass Once: ...",
        "b.py": "def f():\n    class _Word: ...",
        "c.py": "",
    }
    assert repeated_classes(sources) == {"Word": ["a.py", "b.py"]}
