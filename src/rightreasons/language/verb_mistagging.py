"""Nouns, adjectives and participles that parsers take for verbs in the past or the present tense."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.language.parse_nodes import CLAUSES, NOUN_PHRASES, SUBORDINATE
from rightreasons.language.verb_classes import (
    BE,
    GET,
    HAVE,
    MODIFIED_NOUNS,
    MOSTLY_INTRANSITIVE,
    NEEDING_OBJECT,
)
from rightreasons.language.verb_voice import find_auxiliary, get_topmost_phrase, is_naming_past
from rightreasons.language.wordnet import wordnet

if TYPE_CHECKING:
    from rightreasons.language.parse_nodes import ParseNode

_NOUNS, _PREPOSITIONS = ("hiding", "thought", "understanding", "writing"), ("in", "into", "of", "with")
_WRITING = frozenset(["learn", "read", "write"])
_TAKING_OF = ("hear", "know", "learn", "read", "say", "think", "warn", "write")
_NAMING_ADVERBS = ("commonly", "generally", "internationally", "nationally", "newly", "widely")
_DETERMINERS = ("a", "an", "the", "his", "its", "my", "our", "their", "your", "no")
_TAKING_BARE = (
    "be",
    "been",
    "came",
    "com",
    "dar",
    "did",
    "do",
    "go",
    "had",
    "hav",
    "help",
    "let",
    "ma",
    "was",
    "went",
)
_BEFORE_SIDES = ("at", "from", "on", "to")
_BEFORE_SLEEP = ("go", "goes", "going", "went", "gone", "off", "back")
# What one performs, and what can do so, by the lexicographers' files of WordNet.
_PERFORMED = ("noun.act", "noun.event")
_ACTING = ("noun.animal", "noun.group", "noun.person")


def modifies_noun(verb: ParseNode, lemma: str) -> bool:
    """Return whether a participle modifies a noun, whatever it is parsed as: the lowest paid, running shoes."""
    shoes = verb.next_word in MODIFIED_NOUNS and lemma in MOSTLY_INTRANSITIVE | _WRITING
    superlative = verb.label in ("VBG", "VBN") and verb.previous_label == "JJS"
    if verb.label == "VBG" and verb.next_word == "of" and lemma not in _TAKING_OF and verb.list_after():
        return True  # the running of the bulls
    return superlative or (verb.label == "VBG" and shoes) or _follows_naming_adverb(verb)


def _follows_naming_adverb(verb: ParseNode) -> bool:
    """Return whether an adverb and a participle modify the noun that follows: newly arrived people."""
    if verb.label not in ("VBD", "VBN") or verb.previous_word.lower() not in _NAMING_ADVERBS:
        return False
    after = verb.list_after() or ([] if verb.parent is None else verb.parent.list_after())
    first = after[0].list_leaves()[:1] if after else []
    return bool(first) and first[0].label in ("JJ", "NN", "NNS", "NNP", "VBG")


def is_mistagged_noun(verb: ParseNode, lemma: str) -> bool:
    """Return whether a noun was tagged as a verb: deep in thought, a winter feel, opening presents, go to sleep."""
    if verb.word in _NOUNS and verb.previous_word in _PREPOSITIONS and not _has_complement_behind(verb):
        return True
    if verb.word == "left" and _is_direction(verb):
        return True
    if _has_determiner(verb):
        return True
    auxiliary = verb.previous_word.lower() in ("do", "did", "does")
    behind_verb = verb.previous_label in ("VB", "VBD", "VBG", "VBN") and not auxiliary
    if behind_verb and (verb.label in ("VBZ", "VBP") or _is_bare_noun(verb)):
        return True  # laid claim, opening presents
    if _is_noun_by_neighbours(verb, lemma):
        return True
    above = [] if verb.parent is None else verb.parent.list_before()[-1:]
    return lemma == "sleep" and any(one.previous_word in _BEFORE_SLEEP for one in above)


def _is_noun_by_neighbours(verb: ParseNode, lemma: str) -> bool:
    """Return whether the words around a verb make it a noun: a heard of sheep, look and feel, throwing leaves."""
    before = _list_words_before(verb)
    word, label, further = verb.previous_word.lower(), verb.previous_label, before[-2:-1]
    if verb.label in ("VBN", "VBD") and word in ("a", "an") and verb.next_word == "of":
        return True
    if lemma == "feel" and word == "and" and verb.label in ("VB", "VBP"):
        return bool(further) and further[0].label in ("NN", "NNS")
    if lemma == "leave" and verb.label == "VBZ" and word.endswith("ing") and label == "NN":
        return bool(further) and further[0].label in ("NN", "IN", "WRB") and not _has_complement_behind(verb)
    if verb.label == "VBG" and word in ("has", "have", "had"):
        return not _has_complement_behind(verb)  # paper that has writing on it
    article = bool(further) and (further[0].word or "").lower() in ("a", "an")
    article = article and not is_naming_past(verb) and lemma != "dance" and not _has_complement_behind(verb)
    if article and label == "JJ" and verb.label not in ("VBG", "VBN"):
        return True  # an industrial saw
    # At a bus stop, of compounds that are in WordNet.
    return (
        article
        and label == "NN"
        and verb.label == "VBP"
        and wordnet().has(f"{word}_{verb.word}".lower(), "n")
    )


def _list_words_before(verb: ParseNode) -> list[ParseNode]:
    root = verb
    while root.parent is not None:
        root = root.parent
    return root.list_leaves()[: verb.number]


def _has_determiner(verb: ParseNode) -> bool:
    thought = verb.word == "thought" and verb.previous_label in ("JJ", "PRP$", "DT")
    if thought and not _has_complement_behind(verb):
        return True
    return verb.previous_word.lower() in _DETERMINERS and verb.label not in ("VBG", "VBN")


def _has_complement_behind(verb: ParseNode) -> bool:
    return any(sister.label in (*NOUN_PHRASES, *CLAUSES, *SUBORDINATE) for sister in verb.list_after())


def _is_direction(verb: ParseNode) -> bool:
    """Return whether left is an adverb behind another verb: turning left, but was left and had left."""
    if verb.previous_word in (*_BEFORE_SIDES, "far") and not verb.list_after():
        return True
    auxiliary = verb.previous_word.lower() in BE | HAVE | GET
    return verb.previous_label in ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ") and not auxiliary


def _is_bare_noun(verb: ParseNode) -> bool:
    """Return whether a bare verb follows a verb that takes no infinitive: playing hide and seek, but helping build."""
    word = verb.previous_word.lower()
    return verb.label == "VB" and verb.previous_label != "VB" and not word.startswith(_TAKING_BARE)


def lacks_object(verb: ParseNode, lemma: str) -> bool:
    """Return whether a past tense must be a participle, because its verb needs an object: paper presented in 1983.

    Parsers take phrases without a verb, such as titles, for clauses. Subjects that can act are left alone.
    """
    if verb.label not in ("VBD", "VBN") or lemma not in NEEDING_OBJECT or find_auxiliary(verb) is not None:
        return False
    top = get_topmost_phrase(verb)
    outermost = top.parent is not None and top.parent.parent_label in ("ROOT", "")
    subjects = [one for one in top.list_before() if one.label == "NP"]
    leaves = subjects[-1].list_leaves() if subjects else []
    noun = leaves[-1] if leaves else None
    if noun is None or not noun.label.startswith("NN") or not outermost:
        return False
    senses = wordnet().synsets((noun.word or "").lower(), "n")
    kinds = [sense.lexfile for sense in senses[:2]]
    if lemma == "perform":
        return any(kind in _PERFORMED for kind in kinds)
    return bool(kinds) and kinds[0] not in _ACTING
