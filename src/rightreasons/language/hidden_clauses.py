"""Clauses that were parsed as noun phrases, because their verb was tagged as a noun or a preposition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.language.verb_classes import BARE_INFINITIVE, HAPPENING, OPINION
from rightreasons.language.wordnet import wordnet

if TYPE_CHECKING:
    from rightreasons.language.parse_nodes import ParseNode

_SUBJECTS = ("i", "they", "we", "you")
_HELD = ("noun.artifact", "noun.communication", "noun.event", "noun.group", "noun.time")
_POSSIBLE_OBJECTS = ("things", "words", "stories", "stuff", "something", "nothing", "anything", "everything")


def holds_hidden_clause(verb: ParseNode, lemma: str) -> bool:
    """Return whether the object of a verb of saying or thinking is a clause: they said (employees) like it."""
    if lemma not in OPINION:
        return False
    return _has_like_behind_noun(verb, lemma) or _ends_in_past_tense(verb)


def holds_hidden_verb(verb: ParseNode, lemma: str) -> bool:
    """Return whether the last noun of the object is what the object does: they saw the water rise."""
    phrase = _get_object(verb)
    leaves = [] if phrase is None else phrase.list_leaves()
    if phrase is not None and lemma in BARE_INFINITIVE and _has_base_form(phrase):
        return True
    if lemma not in BARE_INFINITIVE or len(leaves) < 3 or any(one.label == "CC" for one in leaves):  # noqa: PLR2004
        return False  # the, water and rise
    definite = leaves[0].label in ("DT", "PRP$")
    last = (leaves[-1].word or "").lower()
    return definite and leaves[-2].label.startswith("NN") and (last in HAPPENING or _is_going_on(last))


def _is_going_on(word: str) -> bool:
    """Return whether an -ing form is rather a participle than a noun: see a show playing, but a church building."""
    nouns = wordnet().synsets(word, "n")
    verbal = word.endswith("ing") and bool(wordnet().base_forms(word, "v"))
    return verbal and not (nouns and nouns[0].lexfile in _HELD)


def _has_base_form(phrase: ParseNode) -> bool:
    """Return whether an infinitive was parsed as a participle that modifies the noun: see rivers run."""
    if [child.label for child in phrase.children] != ["NP", "VP"]:
        return False
    first = phrase.children[1].get_first_verb()
    return first is not None and first.label == "VBN" and (first.word or "").lower() in HAPPENING


def _has_like_behind_noun(verb: ParseNode, lemma: str) -> bool:
    """Return whether like behind a plural is the verb; one knows and believes people like them."""
    after = verb.list_after()
    if lemma in ("believe", "know") or [one.label for one in after[:2]] != ["NP", "PP"]:
        return False
    head = after[0].get_head_noun()
    if head is None or after[1].list_words()[0] != "like":
        return False
    subject = (head.word or "").lower() in _SUBJECTS
    plural = head.label == "NNS" and head.word not in _POSSIBLE_OBJECTS
    return plural or subject


def _ends_in_past_tense(verb: ParseNode) -> bool:
    """Return whether an object ends in what looks like a past tense behind its subject: they claimed his wife lied."""
    phrase = _get_object(verb)
    last = [] if phrase is None else phrase.list_leaves()[-2:]
    return (
        len(last) > 1
        and last[0].label.startswith("NN")
        and last[1].label in ("NN", "NNS", "JJ")
        and (last[1].word or "").endswith("ed")
    )


def _get_object(verb: ParseNode) -> ParseNode | None:
    return next((one for one in verb.list_after()[:1] if one.label == "NP"), None)
