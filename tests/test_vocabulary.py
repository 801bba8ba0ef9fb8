"""A name means one thing in the package: classes occur once, functions in two files at most."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import rightreasons

PACKAGE = Path(rightreasons.__file__).parent
MANY_FILES = 3
PARTICIPLES = {"told", "said", "shown", "found", "made", "listed", "gathered"}
SOURCES = {str(path.relative_to(PACKAGE)): path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}


def repeated_classes(sources: dict[str, str]) -> dict[str, list[str]]:
    """Find the class names, leading underscores aside, that several files define."""
    files: dict[str, set[str]] = defaultdict(set)
    for path, source in sources.items():
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ClassDef):
                files[node.name.lstrip("_")].add(path)
    return {name: sorted(paths) for name, paths in files.items() if len(paths) > 1}


def shared_functions(sources: dict[str, str]) -> dict[str, list[str]]:
    """Find the names, leading underscores aside, of module functions that three or more files define."""
    files: dict[str, set[str]] = defaultdict(set)
    for path, source in sources.items():
        for node in ast.parse(source).body:
            if isinstance(node, ast.FunctionDef):
                files[node.name.lstrip("_")].add(path)
    return {name: sorted(paths) for name, paths in files.items() if len(paths) >= MANY_FILES}


def participles(sources: dict[str, str]) -> list[str]:
    """Find the functions whose whole name is a participle such as told or found."""
    return sorted(
        node.name
        for source in sources.values()
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef) and node.name.strip("_") in PARTICIPLES
    )


def test_every_class_name_is_defined_in_one_file() -> None:
    assert repeated_classes(SOURCES) == {}


def test_a_repeated_class_name_is_reported() -> None:
    sources = {
        "a.py": "class Word: ...\nclass Once: ...",
        "b.py": "def f():\n    class _Word: ...",
        "c.py": "",
    }
    assert repeated_classes(sources) == {"Word": ["a.py", "b.py"]}


def test_a_function_name_is_shared_by_two_files_at_most() -> None:
    assert shared_functions(SOURCES) == {}


def test_a_widely_shared_function_name_is_reported() -> None:
    sources = {
        "a.py": "def look(): ...",
        "b.py": "def _look(): ...",
        "c.py": "def look(): ...\ndef once(): ...",
    }
    assert shared_functions(sources) == {"look": ["a.py", "b.py", "c.py"]}
    assert shared_functions({**sources, "c.py": "class A:\n    def look(self): ..."}) == {}


def test_no_function_is_named_after_a_participle() -> None:
    assert participles(SOURCES) == []
    assert participles({"a.py": "class A:\n    def _told(self): ...\ndef find_found(): ..."}) == ["_told"]
