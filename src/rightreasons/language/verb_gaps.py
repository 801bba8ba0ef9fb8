"""Where the object or clause of a verb stands elsewhere: in relative clauses, questions and quotations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.language.parse_nodes import CLAUSES, NOUN_PHRASES, SUBORDINATE, TO
from rightreasons.language.verb_classes import (
    ADVERBIAL_NOUNS,
    CLAUSE_NOUNS,
    DONE_BY_PEOPLE,
    MEASURES,
    MOSTLY_INTRANSITIVE,
    NEEDING_OBJECT,
    NEVER_TRANSITIVE,
    OBJECT_INFINITIVE,
    TAKING_MEASURES,
    TOUGH_ADJECTIVES,
)
from rightreasons.language.verb_forms import find_verb_lemma
from rightreasons.language.verb_voice import get_topmost_phrase
from rightreasons.language.wordnet import wordnet

if TYPE_CHECKING:
    from rightreasons.language.parse_nodes import ParseNode

_DEFINITE = ("the", "this", "that", "my", "your", "his", "her", "its", "our", "their")
_STRANDED = (
    "about",
    "against",
    "at",
    "by",
    "for",
    "from",
    "in",
    "into",
    "like",
    "of",
    "on",
    "through",
    "to",
    "with",
)
_TEXTS = ("message", "messages", "news", "report", "reports", "request", "story", "word", "words")
_INANIMATE = ("noun.artifact", "noun.communication", "noun.food", "noun.object", "noun.substance")
_THINGS = ("nothing", "something", "anything", "everything", "thing", "things")


def has_object_gap(verb: ParseNode, lemma: str, *, tough: bool = True) -> bool:
    """Return whether the object of a verb without one stands elsewhere: the book that they wrote."""
    if lemma in NEVER_TRANSITIVE or lemma == "wait" or has_stranded_preposition(verb):
        return False
    node, answer = verb, None
    while node.parent is not None and answer is None:
        answer = _look_above(node, node.parent, lemma, tough=tough)
        node = node.parent
    return bool(answer)


def _look_above(node: ParseNode, above: ParseNode, lemma: str, *, tough: bool) -> bool | None:
    """Return whether the object stands just above a node; None if that is decided further up."""
    if above.label == "VP":
        return (
            False if _has_complete_conjunct(node) else _has_tough_adjective(node, lemma, tough=tough) or None
        )
    if above.label in CLAUSES:
        answer = _check_clause(above, node, lemma)
        return False if above.parent_label == "ADJP" and not tough else answer
    # Out of the complement of another verb: the book that they said they wrote.
    return None if above.label in SUBORDINATE and above.parent_label in ("VP", "S") else False


def _has_complete_conjunct(phrase: ParseNode) -> bool:
    """Return whether a verb phrase is coordinated with one that has its object: take them on and win."""
    before = phrase.list_before() if phrase.label == "VP" else []
    joined = any(one.label == "CC" for one in before)
    return joined and any(
        child.label == "NP" for one in before if one.label == "VP" for child in one.children
    )


def has_stranded_preposition(verb: ParseNode) -> bool:
    """Return whether a preposition lacks its noun phrase, so that the gap is there."""
    after = verb.list_after()
    subordinate = [one.children for one in after if one.label == "SBAR" and len(one.children) > 1]
    if any(one[0].word == "for" and one[1].find_subject() is None for one in subordinate):
        return True  # what they paid for is theirs, with is parsed as if it followed for
    return any(
        one.label == "PP" and len(one.children) == 1 and one.children[0].word is not None for one in after
    ) or any(
        one.label in ("IN", TO, "PRT", "ADVP", "RB", "RP") and one.list_words()[0] in _STRANDED
        for one in after
    )


def _check_clause(clause: ParseNode, phrase: ParseNode, lemma: str) -> bool | None:
    """Return whether a clause has its object outside; None if the clause above decides."""
    has_subject = any(one.label in NOUN_PHRASES for one in phrase.list_before())
    first = phrase.get_first_verb()
    infinitive = first is not None and first.label == TO
    outer = clause.parent_label
    if outer in SUBORDINATE:
        return _check_subordinate(clause, lemma, has_subject=has_subject, infinitive=infinitive)
    if outer in NOUN_PHRASES:
        return _check_modified_noun(clause, lemma, has_subject=has_subject, infinitive=infinitive)
    if infinitive and has_subject and lemma in DONE_BY_PEOPLE and _is_consumed(clause, phrase):
        return True  # food to eat, with food parsed as the subject
    if outer == "ADJP":
        return infinitive and _is_tough(clause.list_before())
    if outer == "VP":
        # Had nice things to say, with things parsed as the subject of to say.
        things = has_subject and phrase.list_before()[-1].list_words()[-1] in _THINGS
        comma = any(one.label == "," for one in clause.list_before())
        return True if infinitive and things else False if comma else None
    joined = outer == "S" and any(
        one.label == "CC" for one in (clause.parent.children if clause.parent else ())
    )
    return None if joined else False


def _check_subordinate(clause: ParseNode, lemma: str, *, has_subject: bool, infinitive: bool) -> bool | None:
    before = clause.list_before()
    question = next((one for one in before if one.label.startswith("WH")), None)
    if question is not None:
        head = question.get_head_noun()
        measure = head is not None and (head.word or "").lower() in MEASURES
        noun = question.label == "WHNP" or question.list_words()[-1] == "what"  # in what they see
        return noun and not measure and (has_subject or infinitive)
    above = clause.parent
    opener = next((one for one in before if one.label == "IN"), None)
    if above is None or (opener is not None and (opener.word or "").lower() != "that"):
        return False
    if above.parent_label == "ADJP" and has_subject:
        return any(
            word in ("more", "much", "little", "enough")
            for one in above.list_before()
            for word in one.list_words()
        )
    if above.parent_label in NOUN_PHRASES:
        return _check_modified_noun(above, lemma, has_subject=has_subject, infinitive=infinitive)
    if above.parent_label == "VP" and has_subject and opener is not None and _follows_noun_phrase(above):
        return _check_modified_noun(above, lemma, has_subject=has_subject, infinitive=infinitive)
    return None if above.parent_label == "VP" else False


def _follows_noun_phrase(clause: ParseNode) -> bool:
    """Return whether a noun phrase, and no pronoun, stands right before a clause: is the first sign that they saw."""
    before = clause.list_before()
    head = before[-1].get_head_noun() if before and before[-1].label == "NP" else None
    return head is not None and head.label.startswith("NN")


def _check_modified_noun(clause: ParseNode, lemma: str, *, has_subject: bool, infinitive: bool) -> bool:
    """Return whether a clause behind a noun lacks its object: the book they wrote, but not the day they wrote."""
    before = clause.list_before()
    nouns = [one for one in before if one.label in NOUN_PHRASES or one.label.startswith("NN")]
    head = (nouns[-1].get_head_noun() or nouns[-1]) if nouns else None
    if head is None or head.word is None or not (has_subject or infinitive):
        return False
    noun = head.word.lower()
    if noun in ("place", "places"):
        return lemma in TAKING_MEASURES  # the places they saw, but the place they danced
    words = [word for one in before if one is nouns[-1] or one.word is not None for word in one.list_words()]
    definite = any(word in _DEFINITE for word in words)
    if infinitive and not has_subject and definite and not noun.endswith(("thing", "things")):
        return False  # time from their work to eat
    if noun in _TEXTS:
        return lemma in ("hear", "read", "say", "see", "send", "write")  # but not: the report they left
    if has_subject and lemma in NEEDING_OBJECT and noun not in ADVERBIAL_NOUNS:
        return True  # the idea that they introduced
    return noun not in CLAUSE_NOUNS | ADVERBIAL_NOUNS


def _is_consumed(clause: ParseNode, phrase: ParseNode) -> bool:
    """Return whether the subject of an infinitive is a thing, and the verb above does not ask it to do anything."""
    above = clause.list_before()[:1]
    asking = find_verb_lemma(above[0].word) if above and above[0].word else None
    if asking in OBJECT_INFINITIVE:
        return False
    head = phrase.list_before()[-1].get_head_noun()
    if head is None or not head.label.startswith("NN"):
        return False
    senses = wordnet().synsets((head.word or "").lower(), "n")
    return any(sense.lexfile in _INANIMATE for sense in senses[:3])


def _has_tough_adjective(node: ParseNode, lemma: str, *, tough: bool) -> bool:
    """Return whether an infinitive stands behind what has its object: hard to read, nothing to say, worth seeing."""
    first = node.get_first_verb() if node.label in ("VP", *CLAUSES) else None
    before = node.list_before()
    more = bool(before) and before[-1].label == "ADVP" and before[-1].list_leaves()[0].label == "RBR"
    words = [word for one in before[-2 if more else -1 :] for word in one.list_words()[-2:]]
    nothing = not set(words).isdisjoint(_THINGS[:4])  # anything else to say, nothing further to say
    if first is not None and first.label == "VBG":
        return lemma not in MOSTLY_INTRANSITIVE and any(one.list_words() == ["worth"] for one in before[-1:])
    return first is not None and first.label == TO and (nothing or (tough and _is_tough(before)))


def _is_tough(before: list[ParseNode]) -> bool:
    return any(
        word in TOUGH_ADJECTIVES for one in before if one.label in ("ADJP", "JJ") for word in one.list_words()
    )


def modifies_as_infinitive(verb: ParseNode) -> bool:
    """Return whether an infinitive without a subject modifies a noun: a crowd to hide from them."""
    top = get_topmost_phrase(verb)
    first = top.get_first_verb()
    inside = (
        top.parent is not None and top.parent_label in CLAUSES and top.parent.parent_label in NOUN_PHRASES
    )
    return inside and first is not None and first.label == TO and not top.list_before()
