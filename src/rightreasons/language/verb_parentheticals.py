"""Verbs beside the clause that they report: in quotations, afterthoughts and asides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.language.parse_nodes import CLAUSES, NOUN_PHRASES
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
_BEFORE_QUOTATION = (":", "``", "`", "--")
_AFTER_QUOTATION = (",", "?", "!", "''", "'")
_COMPARING = ("as", "than")


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


def is_set_off(verb: ParseNode) -> bool:
    """Return whether a comma stands before the subject, and no about or of behind the verb: before, I think on TV."""
    return _get_word_before_subject(verb) == "," and verb.next_word not in (
        "about",
        "for",
        "in",
        "of",
        "like",
    )


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
