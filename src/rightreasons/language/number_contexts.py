"""What a number in a text is used for: a quantity, or one of many things that only look like one.

The judgement goes by the words and marks around the number, so it needs no tags and is fast. It leans towards
saying no: a quantity that is missed costs nothing, a year or a page taken for one makes a false pair.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from rightreasons.language.number_context_words import (
    BEFORE_HOUR,
    BEFORE_TO,
    BEFORE_YEAR,
    CLOCK,
    COMPARED,
    DEFINITE,
    FRACTIONS,
    GLUED,
    MODIFIERS,
    MONTHS,
    NAMED,
    OPENERS,
    OPERATORS,
    ORDINALS,
    UNITS,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rightreasons.language.numbers import Number

Use = Literal[
    "clock", "compound", "date", "definite", "formula", "identifier", "list", "measure", "modified", "name",
    "ordinal", "ratio", "year",
]  # fmt: skip
_REACH = 48  # characters on either side whose words are looked at
_YEARS = range(1400, 2200)
_HOURS = 24
_MARKS = ".,;:!?"
_LETTERS = re.compile(r"\w+")
_LISTS = frozenset(["", ",", "and", "or", ", and", ", or", "&"])
_RATIOS = frozenset(["to", "-", ":", "/", "by", "x", "out of", "in", "in every", "out of every", "of the", "of"])


def other_use(text: str, found: Sequence[Number], which: int) -> Use | None:
    """Say what the number is used for where it is no free quantity; `found` are all numbers of the text."""
    number = found[which]
    glued = _glued(text, number)
    if glued:
        return glued
    before = text[max(0, number.start - _REACH) : number.start].split()
    after = text[number.end : number.end + _REACH].split()
    if after and not text[number.end].isspace():
        after = after[1:] if text[number.end] not in _MARKS else [text[number.end], *after[1:]]
    return (
        _by_neighbours(text, found, which)
        or (_by_word_before(number, before, after, at_start=number.start < _REACH) if before else None)
        or (_by_words_after(number, after) if after else None)
    )


def _glued(text: str, number: Number) -> Use | None:
    """Judge by the characters that touch the number."""
    if number.start and not text[number.start - 1].isspace():
        return "compound"
    if text[number.start] == "0" and number.style.decimals == 0:
        return "identifier"
    mark = text[number.end : number.end + 1]
    if not mark or mark.isspace():
        return None
    if mark in _MARKS:
        following = text[number.end + 1 : number.end + 2]
        return ("clock" if mark == ":" else "compound") if following.isalnum() else None
    letters = _LETTERS.match(text, number.end)
    return _by_letters(letters.group().lower()) if letters else ("ratio" if mark == "/" else "compound")


def _by_letters(letters: str) -> Use | None:
    """Judge by the letters that touch the end of the number."""
    if letters in GLUED:
        return None
    if letters in ORDINALS:
        return "ordinal"
    return "clock" if letters in CLOCK else "identifier"


def _by_neighbours(text: str, found: Sequence[Number], which: int) -> Use | None:
    """Judge by what stands between the number and the numbers before and after it."""
    for left, right in ((which - 1, which), (which, which + 1)):
        if left >= 0 and right < len(found):
            gap = text[found[left].end : found[right].start]
            judged = _by_gap(gap.strip().lower(), left == which) if len(gap) < _REACH else None
            if judged:
                return judged
    return None


def _by_gap(gap: str, comes_first: bool) -> Use | None:
    if gap in _LISTS:
        return "list"
    if gap in _RATIOS and (comes_first or gap != "of"):
        return "ratio"
    if gap in OPERATORS or gap in ("plus", "minus", "times", "equals"):
        return "formula"
    words = gap.replace(",", " ,").split()
    if len(words) <= 2 and words[0] in UNITS and (len(words) == 1 or words[1] in ("and", ",", "by", "x", "to")):  # noqa: PLR2004
        return "measure"
    return None


def _by_word_before(number: Number, before: list[str], after: list[str], *, at_start: bool) -> Use | None:
    """Judge by the word before the number."""
    previous = before[-1]
    word = previous.lower()
    if word in OPERATORS:
        return "formula"
    if word in MODIFIERS or (word == "to" and len(before) > 1 and before[-2].lower() in BEFORE_TO):
        return "modified"
    if word in DEFINITE or word.endswith(("'s", "s'", "\u2019s", "s\u2019")):
        return "definite"
    if word == "from":
        return "ratio"
    if word.rstrip(".") in NAMED or previous.startswith("#"):
        return "identifier"
    if word.rstrip(".") in MONTHS:
        return "date"
    if previous[0].isupper() and previous[-1] not in _MARKS and not (at_start and len(before) == 1 and previous in OPENERS):
        return "name"
    return _by_time_before(number, word, after[0].lower() if after else "")


def _by_time_before(number: Number, word: str, following: str) -> Use | None:
    """Judge by a word before the number that often has a year or an hour after it."""
    counted = following.endswith("s") and following not in ("is", "was", "has", "as", "this", "its")
    bare = number.style.kind == "plain" and not number.style.decimals and not counted and following not in UNITS
    if bare and word in BEFORE_HOUR and 0 < number.digits <= _HOURS:
        return "clock"
    return "year" if bare and word in BEFORE_YEAR and number.digits in _YEARS else None


def _by_words_after(number: Number, after: list[str]) -> Use | None:
    """Judge by the words after the number."""
    raw = after[0]
    word = raw.lower().rstrip(".,;:!?)")
    if not word:
        return "year" if _looks_like_year(number) else None
    if word in COMPARED or (word == "or" and len(after) > 1):
        return "modified"
    if word in OPERATORS:
        return "formula"
    if word in FRACTIONS or after[:3] == ["and", "a", "half"]:
        return "ratio"
    if word in ORDINALS:
        return "ordinal"
    if word in CLOCK:
        return "clock"
    if word in MONTHS or (word == "of" and len(after) > 1 and after[1].lower().rstrip(_MARKS) in MONTHS):
        return "date"
    if raw[0].isupper():
        return "name"
    return "year" if _looks_like_year(number) and not word.endswith("s") and word not in _PEOPLE else None


_PEOPLE = frozenset(["people", "men", "women", "children", "feet", "km", "kg", "sheep", "fish", "of"])


def _looks_like_year(number: Number) -> bool:
    return number.style.kind == "plain" and not number.style.commas and number.digits in _YEARS
