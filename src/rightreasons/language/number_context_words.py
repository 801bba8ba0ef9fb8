"""The words that tell what a number beside them is used for."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MONTHS = _words(
    "january february march april may june july august september october november december jan feb mar apr jun jul "
    "aug sep sept oct nov dec"
)
# Right before a number, these say that it is not exact, or not the whole, or that more words can't go between.
MODIFIERS = _words(
    "a additional against age aged all almost among amongst an another any approximately approx around as about above "
    "at-least below between beyond both circa close each either estimated even every exactly extra few fewer first full "
    "further half just last least less like many maximum maybe mere merely minimum minus more most nearly neither next "
    "no nor not only other out over past per perhaps plus precisely previous remaining roughly same say several some "
    "such than till times top twice under until up upwards well within initial final"
)
DEFINITE = _words("the these those this that my your his her its our their whose which what")
# What comes before these is close to the number that follows "to".
BEFORE_TO = _words("up close equal from next due")
# A number after one of these is its name.
NAMED = _words(
    "room no nos number numbers figure fig page pages chapter section table flight route highway bus line gate grade "
    "class version apartment apt unit lot step day week month year level size item question problem box model channel "
    "part volume type phase group team platform track act scene rule article interstate district exit floor ward zone "
    "train door house building option case form lane player sector clause verse episode season round game test exam "
    "set row column position place rank score area code zip pin id stage mark sample side point paragraph"
)
# Right after a number, these change what it says.
COMPARED = _words("more less fewer additional extra other others plus or-so")
ORDINALS = _words("st nd rd th")
CLOCK = _words("am pm a.m p.m o'clock oclock sharp noon midnight")
FRACTIONS = _words(
    "third thirds fourth fourths fifth fifths sixth sixths eighth eighths tenth tenths half halves quarter"
)
# Prepositions that a year often follows.
BEFORE_YEAR = _words("in since by of from until till during before after through year early late mid around circa")
# Prepositions that an hour of the day often follows.
BEFORE_HOUR = _words("at by until till before after from around past")

_SINGULAR = _words(
    "second minute hour day week month year inch foot yard mile meter metre centimeter centimetre kilometer kilometre "
    "millimeter gram kilogram ounce pound ton liter litre gallon pint quart dollar cent euro degree acre percent rupee "
    "penny dime nickel"
)
UNITS_SINGULAR = _SINGULAR
UNITS = _SINGULAR | {f"{unit}s" for unit in _SINGULAR} | {"inches", "feet", "pennies"}
SPANS = _words(
    "seconds minutes hours days weeks months years decades second minute hour day week month year decade"
)
# Letters that may stand right at a number, as in "5km"; a new number takes them over.
GLUED = _words("km cm mm kg mg ml mph kmph kph lb lbs ft oz gb mb hz kw")
OPERATORS = _words("= + - * / × ÷ ^ < > ≤ ≥ : x & @ #")  # noqa: RUF001 - the sign of multiplication is meant
# Words whose capital comes from the start of a sentence.
OPENERS = _words("For With On")
