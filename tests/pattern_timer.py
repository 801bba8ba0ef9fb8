"""Time each regular expression of the package on texts made to slow it down; run in a process of its own.

Prints a line of JSON for each pattern: its name, whether its time grows faster than the text, and the text that shows
it. A pattern with a flaw may take for ever, so whoever runs this must be ready to stop it.
"""

from __future__ import annotations

import ast
import importlib
import json
import pkgutil
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rightreasons
from hostile_texts import texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SMALL, LARGE = 1 << 12, 1 << 14
QUICK = (
    0.004  # seconds that need no closer look: 8 million steps, as the square of SMALL has them, take longer
)
GROWTH = 2.2 * LARGE / SMALL  # a square would be 16 times as long, and a line 4 times
ANCHORED = {"match", "fullmatch"}


def patterns() -> Iterator[tuple[str, re.Pattern[str], set[str]]]:
    """List the patterns that modules hold, by themselves or in tuples and tables, and how they are used."""
    known = set()
    for info in pkgutil.walk_packages(rightreasons.__path__, "rightreasons."):
        if info.name.endswith("__main__"):
            continue
        module = importlib.import_module(info.name)
        for name, value in vars(module).items():
            for found in _held(value):
                if found not in known:
                    known.add(found)
                    yield f"{info.name}.{name}", _as_text(found), _uses(name, module)


def _held(value: Any) -> Iterable[re.Pattern[Any]]:
    if isinstance(value, dict):
        value = tuple(value.values())
    things = value if isinstance(value, tuple | list | frozenset) else (value,)
    return [thing for thing in things if isinstance(thing, re.Pattern)]


def _as_text(pattern: re.Pattern[Any]) -> re.Pattern[str]:
    """Read a pattern of bytes as one of Latin-1, which matches the same."""
    if isinstance(pattern.pattern, str):
        return pattern
    return re.compile(pattern.pattern.decode("latin-1"), pattern.flags | re.ASCII)


def _uses(name: str, module: Any) -> set[str]:
    """Find the methods of a pattern that its module calls."""
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name
    }


def seconds(pattern: re.Pattern[str], uses: set[str], text: str) -> float:
    """Measure the processor's time of those methods that are used; a search stands for all that look everywhere."""
    start = time.process_time()
    if "fullmatch" in uses or not uses:
        pattern.fullmatch(text)
    if "match" in uses:
        pattern.match(text)
    if not uses or uses - ANCHORED:
        for _ in pattern.finditer(text):
            pass
    return time.process_time() - start


def slow_text(pattern: re.Pattern[str], uses: set[str]) -> str | None:
    """Find a text on which the time grows faster than its length."""
    for small, large in zip(texts(pattern, SMALL), texts(pattern, LARGE), strict=True):
        if seconds(pattern, uses, small) < QUICK:
            continue
        before = min(seconds(pattern, uses, small) for _ in range(3))
        if before >= QUICK and min(seconds(pattern, uses, large) for _ in range(2)) > GROWTH * before:
            return small
    return None


if __name__ == "__main__":
    for name, pattern, uses in patterns():
        sys.stdout.write(f"{json.dumps({'name': name, 'done': False})}\n")
        sys.stdout.flush()
        text = slow_text(pattern, uses)
        shown = None if text is None else f"{text[:40]}...{text[-5:]}"
        sys.stdout.write(f"{json.dumps({'name': name, 'done': True, 'slow': shown})}\n")
        sys.stdout.flush()
