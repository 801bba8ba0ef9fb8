"""What a number in a text is used for: a quantity, or something that only looks like one, such as a year.

The words and marks around the number decide, so no tags are needed. In doubt, a number is not a quantity: a missed
quantity costs nothing, but a year or a page taken for one makes a wrong pair.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rightreasons.language.numbers import Number

Use = Literal[
    "clock", "compound", "date", "definite", "formula", "identifier", "list", "measure", "modified", "name",
    "ordinal", "ratio", "year",
]  # fmt: skip
_MONTHS = (
    "january february march april may june july august september october november december jan feb mar apr jun jul "
    "aug sep sept oct nov dec"
)
_OPERATORS = "= + - * / × ÷ ^ < > ≤ ≥ : x & @ #"  # noqa: RUF001 - the sign of multiplication is meant
# Right before a number: it is not exact, or not the whole, or no more words can go between.
_LARGE = "hundred thousand million billion trillion dozen"
_MODIFIERS = (
    "a about above additional against age aged all almost among amongst an another any approx approximately around as "
    "below between beyond both circa close each either estimated even every exactly extra few fewer final first full "
    "further half initial just last least less like many maximum maybe mere merely minimum minus more most nearly "
    "neither next no nor not only other out over past per perhaps plus precisely previous remaining roughly same say "
    "several some such than till times top twice under until up upwards well within"
)
_DEFINITE = "the these those this that my your his her its our their whose which what"
# A number after one of these is a part of its name.
_NAMED = (
    "room no. nos. number numbers figure fig page pages chapter section table flight route highway bus line gate grade "
    "class version apartment apt unit lot step day week month year level size item question problem box model channel "
    "part volume type phase group team platform track act scene rule article interstate district exit floor ward zone "
    "train door house building option case form lane player sector clause verse episode season round game test exam "
    "set row column position place rank score area code zip pin id stage mark sample side point paragraph"
)
_COMPARED = "more less fewer additional extra other others plus"
_FRACTIONS = (
    "third thirds fourth fourths fifth fifths sixth sixths eighth eighths tenth tenths half halves quarter"
)
LISTS = frozenset(["", ", and", ", or"])
RATIOS = frozenset(["out of", "in every", "out of every", "of", "of the"])
_REACH = 48  # characters on either side whose words are looked at
_YEARS = range(1000, 2200)
_OUR_YEARS = range(1900, 2040)
_CENTURY = 100
_HOURS = 24
_MARKS = ".,;:!?"
_LETTERS = re.compile(r"\w+")
_JOINED = ("and", ",", "by", "x", "to")  # between two measures that make one


def _split_word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _map_words_to_uses(kinds: dict[Use, str]) -> dict[str, Use]:
    return {word: use for use, words in kinds.items() for word in words.split()}


# The last kind that a word is listed under counts.
BEFORE = _map_words_to_uses(
    {
        "identifier": _NAMED,
        "date": _MONTHS,
        "ratio": "from",
        "modified": f"{_MODIFIERS} {_LARGE}",
        "definite": _DEFINITE,
        "formula": _OPERATORS,
    }
)
AFTER = _map_words_to_uses(
    {
        "date": _MONTHS,
        "ratio": _FRACTIONS,
        "ordinal": "st nd rd th",
        "clock": "am pm a.m p.m o'clock oclock sharp noon midnight",
        "modified": _COMPARED,
        "formula": _OPERATORS,
    }
)
# What stands between two numbers.
BETWEEN = _map_words_to_uses(
    {"formula": f"{_OPERATORS} plus minus times equals", "ratio": "to - : / by x in", "list": ", and or"}
)
# Before "and" these begin a number that goes on: "several hundred and twenty".
BEFORE_AND = _split_word_set(_LARGE)
# Words after which "to" comes close to a number, or ends a range.
BEFORE_TO = _split_word_set("up close equal from next due")
# Words that a year, or an hour of the day, often follows.
BEFORE_YEAR = _split_word_set(
    "in since by of from until till during before after through year early late mid around circa"
)
BEFORE_HOUR = _split_word_set("at by until till before after from around past")

UNITS_SINGULAR = _split_word_set(
    "second minute hour day week month year inch foot yard mile meter metre centimeter centimetre kilometer kilometre "
    "millimeter millimetre gram kilogram ounce pound ton liter litre gallon pint quart dollar cent euro degree acre "
    "percent rupee paise pence penny dime nickel"
)
UNITS = UNITS_SINGULAR | {f"{unit}s" for unit in UNITS_SINGULAR} | {"inches", "feet", "pennies"}
SPANS = _split_word_set(
    "seconds minutes hours days weeks months years decades second minute hour day week month year decade"
)
# Letters that may stand right at a number, as in "5km"; a new number takes them over.
GLUED = _split_word_set("km cm mm kg mg ml mph kmph kph lb lbs ft oz gb mb hz kw")
# Plurals and others that tell a count of things from a year.
COUNTED = _split_word_set("people men women children feet km kg sheep fish of")
# Words whose capital comes from the start of a sentence.
OPENERS = _split_word_set("For With On")


def find_other_use(text: str, numbers: Sequence[Number], which: int) -> Use | None:
    """Return what a number is used for if it is not a free quantity; `which` is its index among all."""
    number = numbers[which]
    glued = _find_use_by_adjacent_characters(text, number)
    if glued:
        return glued
    before = text[number.start - _REACH if number.start > _REACH else 0 : number.start].split()
    after = _list_words_after(text, number.end)
    return (
        _find_use_by_neighbours(text, numbers, which)
        or _find_use_by_word_before(
            number, before, after, is_first=len(before) == 1 and number.start < _REACH
        )
        or _find_use_by_words_after(number, after)
    )


def _list_words_after(text: str, end: int) -> list[str]:
    """List the words after a number; a mark right at it counts as one, letters right at it are left out."""
    words = text[end : end + _REACH].split()
    if not words or text[end].isspace():
        return words
    return [text[end], *words[1:]] if text[end] in _MARKS else words[1:]


def _find_use_by_adjacent_characters(text: str, number: Number) -> Use | None:
    """Return the use of a number by the characters that touch it."""
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


def _find_use_by_neighbours(text: str, numbers: Sequence[Number], which: int) -> Use | None:
    """Return the use of a number by the text between it and the numbers before and after it."""
    for left, right in ((which - 1, which), (which, which + 1)):
        if left >= 0 and right < len(numbers):
            gap = text[numbers[left].end : numbers[right].start]
            judged = (
                _find_use_by_gap(gap.strip().lower(), comes_first=left == which)
                if len(gap) < _REACH
                else None
            )
            if judged:
                return judged
    return None


def _find_use_by_gap(gap: str, *, comes_first: bool) -> Use | None:
    """Return the use of a number by the words between two numbers: they may belong together."""
    if gap in LISTS:
        return "list"
    if gap in RATIOS or (comes_first and gap.startswith("of ")):
        return "ratio"
    if gap in BETWEEN:
        return BETWEEN[gap]
    first, *more = gap.replace(",", " ,").split()
    return "measure" if first in UNITS and (not more or (len(more) == 1 and more[0] in _JOINED)) else None


def _find_use_by_word_before(
    number: Number, before: list[str], after: list[str], *, is_first: bool
) -> Use | None:
    """Return the use of a number by the word before it."""
    if not before:
        return None
    previous = before[-1]
    word = previous.lower()
    judged = BEFORE.get(word) or BEFORE.get(word.rstrip("."))
    if judged:
        return judged
    joined = _find_use_by_two_words_before(before[-2].lower(), word) if len(before) > 1 else None
    if joined:
        return joined
    if word.endswith(("'s", "s'", "\u2019s", "s\u2019")):
        return "definite"
    if previous[0].isupper() and previous[-1] not in _MARKS and not (is_first and previous in OPENERS):
        return "name"
    return _find_use_by_time_word_before(number, word, after[0].lower().rstrip(_MARKS) if after else "")


def _find_use_by_two_words_before(first: str, second: str) -> Use | None:
    """Return the use of a number by the two words before it."""
    if second == "of":
        return "ratio" if AFTER.get(first) == "ratio" else None
    words = {"to": BEFORE_TO, "and": BEFORE_AND}.get(second, ())
    return "modified" if first in words else None


def _find_use_by_time_word_before(number: Number, word: str, following: str) -> Use | None:
    """Return the use of a number after a word that often precedes a year or an hour."""
    counted = following.endswith("s") and following not in ("is", "was", "has", "as", "this", "its")
    bare = number.style.kind == "plain" and not number.style.decimals
    if not bare or counted or following in UNITS or following in COUNTED:
        return None
    if word in BEFORE_HOUR and 0 < number.digits <= _HOURS:
        return "clock"
    return "year" if word in BEFORE_YEAR and number.digits in _YEARS else None


def _find_use_by_words_after(number: Number, after: list[str]) -> Use | None:
    """Return the use of a number by the words after it."""
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
    """Return whether a number looks like a year: a recent one unless it is round, any other unless a plural follows."""
    style, year = number.style, number.digits
    if style.kind != "plain" or style.commas or style.decimals or year not in _YEARS:
        return False
    recent = year in _OUR_YEARS and year % _CENTURY != 0
    return recent or not (word.endswith("s") or word in COUNTED)
