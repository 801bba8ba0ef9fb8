"""What a phrase behind a verb is: a measure or an object, a preposition or a particle, a predicate, a question."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rightreasons.language.phrase_shapes import names_measure, names_person
from rightreasons.language.verb_classes import (
    ALWAYS_MEASURES,
    FLAT_ADVERBS,
    INTERROGATIVE,
    NAMING,
    PREDICATING,
    REPORTING,
    TAKING_MEASURES,
)

if TYPE_CHECKING:
    from rightreasons.language.parse_nodes import ParseNode

_WHEN = ("when", "where")
_ADVERBIAL = (*_WHEN, "while", "whenever", "wherever", "once")
_FREE = ("what", "whatever", "who", "whoever", "whichever", "how", "why")
_COMPARATIVE_TAGS = ("JJR", "JJS", "RB", "RBR", "RBS")
_PREPOSITIONS = ("along", "across", "around", "down", "over", "past", "through")
_NO_PREPOSITIONS = ("while", "when", "if", "though", "although", "unless", "once", "than")
_PARTICLES = ("by", "around", "off", "out", "over", "along", "past", "up", "down")
_NEVER_PARTICLES = ("about", "at", "for", "from", "of", "to", "with")
_MOTION = ("run", "move", "dance")
_YEAR = re.compile(r"1[0-9]{3}|20[0-9]{2}")


def is_measure(lemma: str, phrase: ParseNode, *, second: bool) -> bool:
    """Return whether a noun phrase tells when, how far or how much, and is no object."""
    head = phrase.get_head_noun()
    word = "" if head is None or head.word is None else head.word.lower()
    words = phrase.list_words()
    if words in (["either", "way"], ["inside"], ["outside"]) or words[0] == "while":
        return True
    if lemma == "call" and word == "home" and len(words) > 1:
        return False  # call the island home
    if word in ALWAYS_MEASURES or (_YEAR.fullmatch(word) and lemma != "read"):
        return True
    named = names_measure(phrase) or (head is not None and head.label in _COMPARATIVE_TAGS)
    return named and (second or lemma not in TAKING_MEASURES)


def is_prepositional(lemma: str, node: ParseNode) -> bool:
    """Return whether this is a prepositional phrase: particles may be prepositions (along the road)."""
    words = node.list_words()
    if node.label == "PRT" and words[0] in _NEVER_PARTICLES:
        return True  # something they thought about
    if node.label == "PRT":
        follows = [sister.label for sister in node.list_after()[:1]] == ["NP"]
        place = words[0] in _PREPOSITIONS or (words[0] in ("up", "off") and lemma in _MOTION)
        return follows and place and not names_person(node.list_after()[0])
    return words[0] not in _NO_PREPOSITIONS and not (len(words) == 1 and words[0] in _PARTICLES)


def describes_object(lemma: str, words: list[str], rest: list[ParseNode]) -> bool:
    """Return whether what follows an object in a clause without a verb is said of it: made them happy."""
    reflexive = words[-1].endswith(("self", "selves"))  # believed himself an artist
    if not rest or (rest[0].label == "NP" and lemma not in NAMING and not reflexive):
        return False  # seen this before; read them a book
    if rest[0].label in ("ADJP", "PP") and lemma not in PREDICATING | NAMING:
        return False  # ate the chicken straight out of the box
    last = rest[-1].list_words()[-1]
    adverb = words[-1].endswith("thing") or last in FLAT_ADVERBS or last.endswith("ly")
    return not (rest[0].label == "ADJP" and adverb)  # saw something funny, feared them more


def is_question(lemma: str, opener: ParseNode, word: str) -> bool:
    """Return whether a clause is an embedded question or a free relative, by the word that introduces it."""
    asks = lemma in INTERROGATIVE
    if word in (*_WHEN, "if"):
        return asks
    known = asks or lemma in REPORTING or word in _FREE
    return word == "whether" or (known and opener.label.startswith("WH") and word not in _ADVERBIAL)
