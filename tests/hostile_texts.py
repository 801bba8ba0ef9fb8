"""Texts that make a regular expression with a flaw slow: repetitions of what its own parts match."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice, product
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

SPACES = (" ", "\n", "\t", " \n")
CATEGORIES = {
    codes.CATEGORY_SPACE: " ",
    codes.CATEGORY_NOT_SPACE: "x",
    codes.CATEGORY_WORD: "a",
    codes.CATEGORY_NOT_WORD: "-",
    codes.CATEGORY_DIGIT: "7",
    codes.CATEGORY_NOT_DIGIT: "x",
}
TRIED = "ax7 -.,'A\n!"  # what may be outside of a set
MOST_UNITS = 24
MOST_PREFIXES = 5


def texts(pattern: re.Pattern[str], size: int) -> Iterator[str]:
    """Make texts of some length: a start of a match, or nothing, then one thing again and again, then an odd end."""
    tree = parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    match = _sample(tree)
    starts = ["", *dict.fromkeys(match[:end] for end in range(1, len(match) + 1))]
    units = dict.fromkeys((*SPACES, *_units(tree), *_slices(match), "a", "!", "\u0300\u0316"))
    for unit in islice(units, MOST_UNITS):
        yield unit * (size // len(unit))
        for start, end in product(_spread(starts, MOST_PREFIXES), ("", "!")):
            yield start + unit * ((size - len(start)) // len(unit)) + end


def _spread(things: list[str], most: int) -> list[str]:
    """Take some of many, from all over the list."""
    step = max(1, len(things) // most)
    return things[::step]


def _slices(text: str) -> list[str]:
    """Take the parts of a match: its starts, its ends, and it all with a gap after it."""
    return (
        [text, f"{text} ", f"{text}\n", *(text[:end] for end in (1, 2, 3, 5, 8)), text[-1:], text[-3:]]
        if text
        else []
    )


def _units(tree: Any) -> Iterator[str]:
    """List what each part of a pattern matches."""
    for code, argument in tree:
        if code in (codes.LITERAL, codes.IN, codes.ANY, codes.NOT_LITERAL):
            yield _one((code, argument))
        elif code is codes.BRANCH:
            for branch in argument[1]:
                yield from _units(branch)
                yield _sample(branch) or "a"
        else:
            for inner in _inner(code, argument):
                yield from _units(inner)
                yield _sample(inner) or "a"


def _inner(code: Any, argument: Any) -> list[Any]:
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
        return [argument[2]]
    if code is codes.SUBPATTERN:
        return [argument[3]]
    if code in (codes.ASSERT, codes.ASSERT_NOT):
        return [argument[1]]
    return [argument] if code is codes.ATOMIC_GROUP else []


def _sample(tree: Any) -> str:
    """Write a text that a pattern matches, or nearly so; what may be left out is there once."""
    return "".join(_written(code, argument) for code, argument in tree)


def _written(code: Any, argument: Any) -> str:
    if code in (codes.LITERAL, codes.IN, codes.ANY, codes.NOT_LITERAL):
        return _one((code, argument))
    if code is codes.BRANCH:
        return _sample(argument[1][0])
    if code is codes.ASSERT_NOT:
        return ""
    times = max(argument[0], 1) if code in (codes.MAX_REPEAT, codes.MIN_REPEAT) else 1
    return "".join(_sample(inner) for inner in _inner(code, argument)) * times


def _one(part: tuple[Any, Any]) -> str:
    """Find a character that a part matches."""
    code, argument = part
    if code is codes.LITERAL:
        return chr(argument)
    if code is codes.ANY:
        return "a"
    if code is codes.NOT_LITERAL:
        return "b" if argument == ord("a") else "a"
    return _of_set(tuple(argument))


@lru_cache(maxsize=1000)
def _of_set(items: tuple[Any, ...]) -> str:
    negated = items[0][0] is codes.NEGATE
    for code, argument in items[negated:]:
        if negated:
            break
        return (
            CATEGORIES[argument]
            if code is codes.CATEGORY
            else chr(argument if code is codes.LITERAL else argument[0])
        )
    return next((sign for sign in TRIED if not _is_in(sign, items[1:])), "a")


def _is_in(sign: str, items: tuple[Any, ...]) -> bool:
    for code, argument in items:
        if code is codes.CATEGORY and (
            CATEGORIES[argument] == sign or (CATEGORIES[argument] == "a" and sign.isalnum())
        ):
            return True
        if code is codes.CATEGORY and argument is codes.CATEGORY_SPACE and sign.isspace():
            return True
        if code is codes.LITERAL and ord(sign) == argument:
            return True
        if code is codes.RANGE and argument[0] <= ord(sign) <= argument[1]:
            return True
    return False
