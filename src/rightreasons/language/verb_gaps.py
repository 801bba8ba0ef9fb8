"""Where the object or clause of a verb stands elsewhere: in relative clauses, questions and quotations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.language.parse_nodes import CLAUSES, NOUN_PHRASES, SUBORDINATE, TO
from rightreasons.language.verb_classes import (
    ADVERBIAL_NOUNS,
    CLAUSE_NOUNS,
    MEASURES,
    NEVER_TRANSITIVE,
    TAKING_MEASURES,
    TOUGH_ADJECTIVES,
)
from rightreasons.language.verb_voice import get_topmost_phrase

if TYPE_CHECKING:
    from rightreasons.language.parse_nodes import ParseNode

_QUOTABLE = ("S", "SINV", "SQ", "SBARQ", "FRAG")
_OPINIONS = ("believe", "guess", "hope", "say", "suppose", "think")
_SAYING = (
    *("add", "argue", "claim", "explain", "note", "observe", "reply", "report", "say", "suggest", "warn"),
    "write",
)
_FEELING = ("feel", "hear", "know", "learn", "read", "remember", "see", "understand")
_DEFINITE = ("the", "this", "that", "my", "your", "his", "her", "its", "our", "their")
_STRANDED = ("about", "against", "at", "by", "for", "from", "in", "into", "of", "on", "through", "to", "with")
_TEXTS = ("message", "messages", "news", "report", "reports", "request", "story", "word", "words")
_BEFORE_QUOTATION = (":", "``", "`", "--")
_AFTER_QUOTATION = (",", "?", "!", "''", "'")
_COMPARING = ("as", "than")
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
        return False if _has_complete_conjunct(node) else _has_tough_adjective(node, tough=tough) or None
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
    return noun not in CLAUSE_NOUNS | ADVERBIAL_NOUNS


def _has_tough_adjective(node: ParseNode, *, tough: bool) -> bool:
    """Return whether an infinitive stands behind what its object is said by: hard to read, nothing to say."""
    first = node.get_first_verb() if node.label in ("VP", *CLAUSES) else None
    before = node.list_before()
    nothing = bool(before) and bool(
        set(before[-1].list_words()[-2:]) & set(_THINGS[:4])
    )  # anything else to say
    return first is not None and first.label == TO and (nothing or (tough and _is_tough(before)))


def _is_tough(before: list[ParseNode]) -> bool:
    return any(
        word in TOUGH_ADJECTIVES for one in before if one.label in ("ADJP", "JJ") for word in one.list_words()
    )


def is_parenthetical(verb: ParseNode, lemma: str) -> bool:
    """Return whether the clause that a verb reports stands before or around it, or is left to the context."""
    top = get_topmost_phrase(verb)
    clause = top.parent
    if clause is None or clause.label not in CLAUSES:
        return False
    subject = any(one.label in NOUN_PHRASES for one in clause.children)
    if subject and (
        clause.parent_label == "PRN" or (clause.parent_label == "SBAR" and _is_comparison(clause))
    ):
        return True
    before = top.list_before()
    quoted = any(one.label == "''" for one in before) and lemma not in _FEELING
    labels = (*_QUOTABLE, "SBAR", "INTJ") if lemma in _SAYING else _QUOTABLE
    return quoted or any(one.label in labels and _is_complete(one) for one in before)


def is_between_commas(verb: ParseNode) -> bool:
    """Return whether a verb with its subject stands inside another clause: experience, they discover, is valuable."""
    clause = get_topmost_phrase(verb).parent
    return clause is not None and clause.parent_label == "PRN" and clause.find_subject() is not None


def is_before_main_clause(verb: ParseNode) -> bool:
    """Return whether a clause without that was parsed as the main clause: when he didn't know I was in the room."""
    inner = None
    node = verb
    while node.parent is not None and not node.list_after():
        node = node.parent
        inner = node if inner is None and node.label in ("SBAR", "PRN") else inner
    if inner is None or node.label not in ("SBAR", "PRN") or inner.children[0].label == "WHNP":
        return False
    opener = (inner.list_leaves()[0].word or "").lower()
    return opener != _COMPARING[0] and [one.label for one in node.list_after()[:2]] == ["NP", "VP"]


def is_beside_quotation(verb: ParseNode, lemma: str) -> bool:
    """Return whether punctuation separates a verb of saying from what is said: they said, stop; stop, said the man."""
    if lemma == "see":
        return verb.next_word == "," and verb.previous_word.lower() == "you"
    subject = _get_word_before_subject(verb)
    if verb.next_word == ",":
        return lemma in ("say", "remember") or subject == ","  # experience, they will discover, is valuable
    past = lemma in _SAYING and verb.label in ("VBD", "VBZ")
    if past and (verb.previous_word in _AFTER_QUOTATION or (lemma == "say" and subject in _AFTER_QUOTATION)):
        return True
    return verb.next_word in _BEFORE_QUOTATION and lemma in (*_SAYING, "read", "shout")


def _get_word_before_subject(verb: ParseNode) -> str:
    """Return the word before the subject of a verb, empty without a subject right before the verb."""
    node = next(iter(get_topmost_phrase(verb).list_before()[-1:]), None)
    if node is None or node.label not in NOUN_PHRASES:
        return ""
    while node.word is None:
        node = node.children[0]
    return node.previous_word


def is_afterthought(verb: ParseNode, lemma: str) -> bool:
    """Return whether this is `I think` or `they say` behind another clause."""
    if lemma == "say" and verb.label in ("VBD", "VBZ"):
        return True
    top = get_topmost_phrase(verb)
    subject = [one for one in top.list_before() if one.label in NOUN_PHRASES][-1:]
    if (
        lemma not in _OPINIONS
        or verb.parent is not top
        or not subject
        or verb.label not in ("VBP", "VBD", "VBZ")
    ):
        return False
    return subject[0].list_words() == ["i"] or (lemma == "say" and _follows_clause(verb))


def _follows_clause(verb: ParseNode) -> bool:
    """Return whether there is a finite verb before this one."""
    node = verb
    while node.parent is not None:
        if any(one.is_finite() for one in node.list_before() if one.label in ("VP", *CLAUSES)):
            return True
        node = node.parent
    return False


def _is_comparison(clause: ParseNode) -> bool:
    before = [(one.word or "").lower() for one in clause.list_before()]
    return before[:1] in ([_COMPARING[0]], [_COMPARING[1]]) or (
        clause.parent is not None and clause.parent.parent_label == "PRN"
    )


def _is_complete(clause: ParseNode) -> bool:
    """Return whether a clause before the subject could be what is reported: not an adjunct without a subject."""
    if clause.label in ("FRAG", "INTJ"):
        return any(one.label in (",", "''") for one in clause.list_after()[:2])
    if any(child.label in CLAUSES for child in clause.children) and clause.find_verb_phrase() is None:
        return True  # several clauses
    phrase = clause.find_verb_phrase()
    return clause.label != "S" or (phrase is not None and phrase.is_finite())
