"""The words that tell what a number beside them is used for."""

from __future__ import annotations

from typing import Literal

Use = Literal[
    "clock", "compound", "date", "definite", "formula", "identifier", "list", "measure", "modified", "name",
    "ordinal", "ratio", "year",
]  # fmt: skip


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


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


def _uses(kinds: dict[Use, str]) -> dict[str, Use]:
    return {word: use for use, words in kinds.items() for word in words.split()}


# The last kind that a word is listed under counts.
BEFORE = _uses(
    {
        "identifier": _NAMED,
        "date": _MONTHS,
        "ratio": "from",
        "modified": f"{_MODIFIERS} {_LARGE}",
        "definite": _DEFINITE,
        "formula": _OPERATORS,
    }
)
AFTER = _uses(
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
BETWEEN = _uses(
    {"formula": f"{_OPERATORS} plus minus times equals", "ratio": "to - : / by x in", "list": ", and or"}
)
LISTS = frozenset(["", ", and", ", or"])
RATIOS = frozenset(["out of", "in every", "out of every", "of", "of the"])
# Before "and" these begin a number that goes on: "several hundred and twenty".
BEFORE_AND = _words(_LARGE)
# Words after which "to" comes close to a number, or ends a range.
BEFORE_TO = _words("up close equal from next due")
# Words that a year, or an hour of the day, often follows.
BEFORE_YEAR = _words(
    "in since by of from until till during before after through year early late mid around circa"
)
BEFORE_HOUR = _words("at by until till before after from around past")

UNITS_SINGULAR = _words(
    "second minute hour day week month year inch foot yard mile meter metre centimeter centimetre kilometer kilometre "
    "millimeter millimetre gram kilogram ounce pound ton liter litre gallon pint quart dollar cent euro degree acre "
    "percent rupee paise pence penny dime nickel"
)
UNITS = UNITS_SINGULAR | {f"{unit}s" for unit in UNITS_SINGULAR} | {"inches", "feet", "pennies"}
SPANS = _words(
    "seconds minutes hours days weeks months years decades second minute hour day week month year decade"
)
# Letters that may stand right at a number, as in "5km"; a new number takes them over.
GLUED = _words("km cm mm kg mg ml mph kmph kph lb lbs ft oz gb mb hz kw")
# Plurals and others that tell a count of things from a year.
COUNTED = _words("people men women children feet km kg sheep fish of")
# Words whose capital comes from the start of a sentence.
OPENERS = _words("For With On")
