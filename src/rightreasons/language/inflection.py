"""Forms of words: number of nouns, degrees of adjectives, a or an, and the case of letters."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rightreasons.language.wordnet import WordNet

PLURAL_TAGS = ("NNS", "NNPS")
# Everyday nouns for which the list of irregular forms has a rare plural only, or none.
_EVERYDAY = """
    person people, brother brothers, bus buses, gas gases, fish fish, colon colons, penny pennies, cow cows, real reals,
    cry cries, guild guilds, money money, die dice, sheep sheep, deer deer, series series, species species,
    aircraft aircraft, offspring offspring, stadium stadiums, forum forums
"""
_PLURALS = dict(noun.split() for noun in _EVERYDAY.split(","))
_DEGREES = {"good": ("better", "best"), "bad": ("worse", "worst"), "far": ("farther", "farthest")}
_TAKES_ENDING = re.compile(
    r"(?:[^aeiou]*[aeiou]+[^aeiouy]*e?|[^aeiouy]*[aeiouy]+[^aeiouy]+y|dry|narrow|shallow|quiet|simple|gentle|clever|humble)$"
)
_DOUBLED = re.compile(r"[^aeiou][aeiou][bdgmnpt]$")
_NO_MAN = re.compile(r"(?:hu|superhu|ger|ro|sha|talis|otto|nor|cai|cay|brah|turko|mussul)man$")
_SIBILANT = re.compile(r"(?:s|x|z|ch|sh)$")
_CONSONANT_Y = re.compile(r"[^aeiou]y$")
_CONSONANT_O = re.compile(r"(?:hero|potato|tomato|echo|veto|torpedo)$")
# A vowel letter that sounds as a consonant: "you" or "w"; and an h that does not sound.
_LIKE_CONSONANT = re.compile(
    r"(?:uni(?!mag|mp|mm|n[a-z]|d[ei])|u(?:s[aeiu]|tili|tens|top|ter[iu]|biq|rani|rin|krain|kulel|gand|tah)|u$|u[.-]|"
    r"eu(?!o)|ew|on(?:e(?!r)|ce)|ouija)",
)
_SILENT_H = re.compile(r"(?:hour|honest|hono|heir(?!l?o?o)|heirloom|herb(?!ert|ivor|icid))")
_LETTERS_WITH_VOWEL = "AEFHILMNORSX"
_EIGHTS = re.compile(r"(?:8|11(?:$|\D|\d\d(?:$|\D))|18(?:$|\D|\d\d(?:$|\D)))|11,|18,")
_SPELLED = re.compile(r"(?:[A-Z]{2,3}|[B-DF-HJ-NP-TV-Z]{2,})(?:s|'s)?$")


def pluralise(noun: str, wordnet: WordNet) -> str:
    """Return the plural of a noun in lower case."""
    irregular = _PLURALS.get(noun) or wordnet.irregular_plurals.get(noun)
    if irregular:
        return irregular
    if noun.endswith("man") and not _NO_MAN.match(noun):
        return f"{noun[:-2]}en"
    if _CONSONANT_Y.search(noun):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if _SIBILANT.search(noun) or _CONSONANT_O.search(noun) else f"{noun}s"


def singularise(noun: str, wordnet: WordNet) -> str:
    """Return the singular of a noun in lower case; a noun without one is returned unchanged."""
    if noun == "people":
        return "person"
    forms = wordnet.base_forms(noun, "n")
    return next((form for form in forms if form != noun), noun)


def is_plural(tag: str) -> bool:
    """Return whether a Penn tag is that of a plural noun."""
    return tag in PLURAL_TAGS


def inflect_degree(adjective: str, tag: str) -> str:
    """Inflect an adjective to the degree of a Penn tag: JJ positive, JJR comparative, JJS superlative."""
    ending = {"JJR": "er", "JJS": "est"}.get(tag)
    if ending is None:
        return adjective
    if adjective in _DEGREES:
        return _DEGREES[adjective][tag == "JJS"]
    if not _TAKES_ENDING.match(adjective):
        return f"{'more' if tag == 'JJR' else 'most'} {adjective}"
    if adjective.endswith("e"):
        return adjective + ending[1:]
    if _CONSONANT_Y.search(adjective):
        return f"{adjective[:-1]}i{ending}"
    return adjective + (adjective[-1] if _DOUBLED.search(adjective) else "") + ending


def choose_article(word: str) -> str:
    """Choose a or an by the sound that the word begins with."""
    if word[:1].isdigit():
        return "an" if _EIGHTS.match(word) else "a"
    if _SPELLED.match(word) or len(word) == 1 or word[1:2] == "-":
        return "an" if word[0].upper() in _LETTERS_WITH_VOWEL else "a"
    lower = word.lower()
    if lower.startswith("h"):
        return "an" if _SILENT_H.match(lower) else "a"
    return "an" if lower[:1] in tuple("aeiou") and not _LIKE_CONSONANT.match(lower) else "a"


def copy_case(model: str, word: str) -> str:
    """Write a word with capitals where the model has them: all letters, the first one, or as it is."""
    if len(model) > 1 and model.isupper():
        return word.upper()
    return word[:1].upper() + word[1:] if model[:1].isupper() else word
