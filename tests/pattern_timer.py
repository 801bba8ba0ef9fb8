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
    from collections.abc import Callable, Iterable, Iterator, Sequence

SIZES = (1 << 12, 1 << 14, 1 << 16)  # lengths of texts, each four times the one before
QUICK = (
    0.004  # seconds that need no closer look: quadratic time is at least 8 million steps at the first size
)
REPEATS = 3  # of a measurement that looks superlinear
LONG = 0.5  # seconds of measuring after which no pause matters
GROWTH = 8.8  # from one size to the next; linear time grows by 4, quadratic time by 16
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


def is_superlinear(measure: Callable[[str], float], variants: Sequence[str]) -> bool:
    """Decide whether time grows faster than the text from each size to the next.

    One step is not enough on a shared machine: a pause, or a text that no longer fits the processor's cache, can make
    linear time look quadratic once. Superlinear time grows too fast at every step.
    """
    before = measure(variants[0])
    if before < QUICK:
        return False
    for text in variants:
        enough = QUICK if text is variants[0] else max(QUICK, GROWTH * before)
        times: list[float] = []
        while len(times) < REPEATS and sum(times) < LONG:
            times.append(measure(text))
            if times[-1] < enough:
                return False
        before = min(times)
    return True


def slow_text(pattern: re.Pattern[str], uses: set[str]) -> str | None:
    """Find a text on which the time grows faster than its length."""
    for variants in zip(*(texts(pattern, size) for size in SIZES), strict=True):
        if is_superlinear(lambda text: seconds(pattern, uses, text), variants):
            return variants[0]
    return None


if __name__ == "__main__":
    for name, pattern, uses in patterns():
        sys.stdout.write(f"{json.dumps({'name': name, 'done': False})}\n")
        sys.stdout.flush()
        text = slow_text(pattern, uses)
        shown = None if text is None else f"{text[:40]}...{text[-5:]}"
        sys.stdout.write(f"{json.dumps({'name': name, 'done': True, 'slow': shown})}\n")
        sys.stdout.flush()
