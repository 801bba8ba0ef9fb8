"""Shapes of noun phrases and clauses behind a verb that decide what they are to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.language.frame_names import BARE_CLAUSE, INFINITIVE, ING_CLAUSE
from rightreasons.language.parse_nodes import NOUN_PHRASES, SUBORDINATE, TO
from rightreasons.language.verb_classes import MEASURES

if TYPE_CHECKING:
    from rightreasons.language.parse_nodes import ParseNode

OBLIQUE = ("him", "her", "it", "me", "us", "them")
_CONTRACTIONS = (["PRP", "POS"], ["DT", "POS"], ["EX", "POS"])
_POSSESSIVES = frozenset(["my", "your", "his", "her", "its", "our", "their"])
_AMOUNTS = ("lot", "lots", "bit", "ton", "tons", "deal")


def names_person(phrase: ParseNode) -> bool:
    """Return whether a noun phrase is a name or a pronoun, so that no preposition of place is before it."""
    head = phrase.get_head_noun()
    return head is not None and (head.label == "NNP" or (head.label == "PRP" and head.word != "it"))


def is_name_with_participle(phrase: ParseNode, *, any_noun: bool = False) -> bool:
    """Return whether a participle is parsed as a modifier of a name or a pronoun, which can't have one."""
    if [child.label for child in phrase.children] != ["NP", "VP"]:
        return False
    first = phrase.children[1].get_first_verb()
    name = [child.label for child in phrase.children[0].children]
    return (any_noun or name in (["NNP"], ["PRP"])) and first is not None and first.label == "VBG"


def names_measure(phrase: ParseNode) -> bool:
    """Return whether a noun phrase names a time, a distance or a degree."""
    head = phrase.get_head_noun()
    word = "" if head is None or head.word is None else head.word.lower()
    if word == "way" and set(phrase.list_words()) & _POSSESSIVES:
        return False  # fought their way
    if word in _AMOUNTS and "of" in phrase.list_words():
        return False  # a lot of people
    proper = head is not None and head.label.startswith("NNP") and word in ("times", "may", "march", "post")
    return word in MEASURES and not proper


def is_contraction(phrase: ParseNode) -> bool:
    """Return whether a noun phrase is really a clause: it's time, with 's parsed as a possessive."""
    while phrase.children and phrase.children[0].label in NOUN_PHRASES:
        phrase = phrase.children[0]
    return [child.label for child in phrase.children[:2]] in _CONTRACTIONS


def is_imperative(node: ParseNode) -> bool:
    """Return whether a clause begins with a bare verb, so that it is quoted: they said just wait."""
    while len(node.children) == 1 and node.label in SUBORDINATE:
        node = node.children[0]
    headed = node.label == "VP" or (node.label == "S" and node.find_subject() is None)
    first = node.get_first_verb() if headed else None
    return first is not None and first.label == "VB"


def has_singular_subject(subject: ParseNode, verb: ParseNode) -> bool:
    """Return whether a verb that is tagged as a plural has a singular subject: it is an infinitive (saw him go)."""
    head = subject.get_head_noun()
    if verb.label != "VBP" or head is None:
        return False
    return head.label in ("NN", "NNP") or (head.word or "").lower() in OBLIQUE


def classify_verb_phrase(phrase: ParseNode) -> str | None:
    """Classify a clause without a subject by its first verb."""
    first = phrase.get_first_verb()
    if first is None:
        return None
    return {TO: INFINITIVE, "VB": INFINITIVE, "VBG": ING_CLAUSE, "VBN": None}.get(first.label, BARE_CLAUSE)
