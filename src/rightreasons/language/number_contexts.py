"""What a number in a text is used for: a quantity, or one of many things that only look like one.

The judgement goes by the words and marks around the number, so it needs no tags and is fast. It leans towards
saying no: a quantity that is missed costs nothing, a year or a page taken for one makes a false pair.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rightreasons.language.number_context_words import (
    AFTER,
    BEFORE,
    BEFORE_AND,
    BEFORE_HOUR,
    BEFORE_TO,
    BEFORE_YEAR,
    BETWEEN,
    COUNTED,
    GLUED,
    LISTS,
    OPENERS,
    RATIOS,
    UNITS,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rightreasons.language.number_context_words import Use
    from rightreasons.language.numbers import Number

_REACH = 48  # characters on either side whose words are looked at
_YEARS = range(1000, 2200)
_OUR_YEARS = range(1900, 2040)
_CENTURY = 100
_HOURS = 24
_MARKS = ".,;:!?"
_LETTERS = re.compile(r"\w+")
_JOINED = ("and", ",", "by", "x", "to")  # between two measures that make one


def other_use(text: str, found: Sequence[Number], which: int) -> Use | None:
    """Say what the number is used for where it is no free quantity; `found` are all numbers of the text."""
    number = found[which]
    glued = _by_touching(text, number)
    if glued:
        return glued
    before = text[number.start - _REACH if number.start > _REACH else 0 : number.start].split()
    after = _words_after(text, number.end)
    return (
        _by_neighbours(text, found, which)
        or _by_word_before(number, before, after, is_first=len(before) == 1 and number.start < _REACH)
        or _by_words_after(number, after)
    )


def _words_after(text: str, end: int) -> list[str]:
    """List the words after a number; a mark right at it counts as one, letters right at it are left out."""
    words = text[end : end + _REACH].split()
    if not words or text[end].isspace():
        return words
    return [text[end], *words[1:]] if text[end] in _MARKS else words[1:]


def _by_touching(text: str, number: Number) -> Use | None:
    """Judge by the characters that touch the number."""
    if number.start and not text[number.start - 1].isspace():
        return "compound"
    if text[number.start] == "0" and not number.style.decimals:
        return "identifier"
    mark = text[number.end : number.end + 1]
    if not mark or mark.isspace():
        return None
    if mark in _MARKS:
        following = text[number.end + 1 : number.end + 2]
        return ("clock" if mark == ":" else "compound") if following.isalnum() else None
    letters = _LETTERS.match(text, number.end)
    if letters is None:
        return "ratio" if mark == "/" else "compound"
    word = letters.group().lower()
    return None if word in GLUED else AFTER.get(word, "identifier")


def _by_neighbours(text: str, found: Sequence[Number], which: int) -> Use | None:
    """Judge by what stands between the number and the numbers before and after it."""
    for left, right in ((which - 1, which), (which, which + 1)):
        if left >= 0 and right < len(found):
            gap = text[found[left].end : found[right].start]
            judged = _by_gap(gap.strip().lower(), comes_first=left == which) if len(gap) < _REACH else None
            if judged:
                return judged
    return None


def _by_gap(gap: str, *, comes_first: bool) -> Use | None:
    """Judge by the words between two numbers: they may belong together."""
    if gap in LISTS:
        return "list"
    if gap in RATIOS or (comes_first and gap.startswith("of ")):
        return "ratio"
    if gap in BETWEEN:
        return BETWEEN[gap]
    first, *more = gap.replace(",", " ,").split()
    return "measure" if first in UNITS and (not more or (len(more) == 1 and more[0] in _JOINED)) else None


def _by_word_before(number: Number, before: list[str], after: list[str], *, is_first: bool) -> Use | None:
    """Judge by the word before the number."""
    if not before:
        return None
    previous = before[-1]
    word = previous.lower()
    judged = BEFORE.get(word) or BEFORE.get(word.rstrip("."))
    if judged:
        return judged
    joined = _by_two_before(before[-2].lower(), word) if len(before) > 1 else None
    if joined:
        return joined
    if word.endswith(("'s", "s'", "\u2019s", "s\u2019")):
        return "definite"
    if previous[0].isupper() and previous[-1] not in _MARKS and not (is_first and previous in OPENERS):
        return "name"
    return _by_time_before(number, word, after[0].lower().rstrip(_MARKS) if after else "")


def _by_two_before(first: str, second: str) -> Use | None:
    """Judge by two words before the number that only together say something of it."""
    if second == "of":
        return "ratio" if AFTER.get(first) == "ratio" else None
    words = {"to": BEFORE_TO, "and": BEFORE_AND}.get(second, ())
    return "modified" if first in words else None


def _by_time_before(number: Number, word: str, following: str) -> Use | None:
    """Judge by a word before the number that often has a year or an hour after it."""
    counted = following.endswith("s") and following not in ("is", "was", "has", "as", "this", "its")
    bare = number.style.kind == "plain" and not number.style.decimals
    if not bare or counted or following in UNITS or following in COUNTED:
        return None
    if word in BEFORE_HOUR and 0 < number.digits <= _HOURS:
        return "clock"
    return "year" if word in BEFORE_YEAR and number.digits in _YEARS else None


def _by_words_after(number: Number, after: list[str]) -> Use | None:
    """Judge by the words after the number."""
    word = after[0].lower().rstrip(_MARKS + ")") if after else ""
    if word in AFTER:
        return AFTER[word]
    if word == "or" or after[:3] == ["and", "a", "half"]:
        return "modified"
    if (
        word == "of"
        and len(after) > 1
        and after[1].istitle()
        and AFTER.get(after[1].lower().rstrip(_MARKS)) == "date"
    ):
        return "date"
    if word and after[0][0].isupper():
        return "name"
    return "year" if _looks_like_year(number, word) else None


def _looks_like_year(number: Number, word: str) -> bool:
    """Tell a year by its figures: one of our time unless it is round, and any other where no plural follows."""
    style, year = number.style, number.digits
    if style.kind != "plain" or style.commas or style.decimals or year not in _YEARS:
        return False
    recent = year in _OUR_YEARS and year % _CENTURY != 0
    return recent or not (word.endswith("s") or word in COUNTED)
