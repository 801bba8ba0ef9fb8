"""Where an antonym makes a contradiction: the sentence asserts something, and the word says it of one thing.

A sentence is a list of `Token`s. `is_plain` refuses sentences that only suppose, doubt, deny, ask, compare or report
something; `frame` says in which of a few safe places a word stands, so that its opposite can't be true as well.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Token(NamedTuple):
    """A token with its place, its tag and its lower-case form."""

    start: int
    end: int
    text: str
    tag: str
    lower: str


_DENY = "not n't never no none nobody nothing neither nor nowhere without hardly scarcely barely rarely seldom cannot"
_DOUBT = "can could may might must should shall would ought 'd ca if unless whether or either perhaps maybe possibly"
_DOUBT_MORE = "probably supposedly allegedly apparently seemingly potentially hypothetically imagine suppose until"
_REPORT = (
    "said say says saying told tell tells asked ask asks replied answered claimed claim claims argued argue argues "
    "thought think thinks thinking believe believes believed hope hopes hoped want wants wanted wish wishes wished "
    "guess suppose supposed expect expects expected doubt doubts doubted wonder wondered wonders suggest suggests "
    "suggested pretend pretended dream dreamed feared fear denied deny denies alleged assume assumed assumes according "
    "consider considered considers seem seems seemed appear appears appeared wrote writes reported reports try tried "
    "promised promise insisted insists insist declared announced predicted predicts prefer preferred like love need "
    "needs needed avoid avoided refuse refused fail failed fails lack lacks lacked lacking"
)
_COUNT = (
    "some many several most few other others another certain various any sometimes often usually occasionally mostly "
    "generally frequently normally typically somewhat half part partly sort kinda something someone somebody anything "
    "than as like enough yes yeah nope yep uh um huh hm hmm oh uh-huh um-hum uh-hum okay ok both between whichever"
)
_ODD = "what how why who whom whose which where whether that"
_BLOCKERS = frozenset(f"{_DENY} {_DOUBT} {_DOUBT_MORE} {_REPORT} {_COUNT}".split())
_PRONOUN_TAGS = ("WDT", "WP", "WP$", "WRB")
_ENDS = (".", "!", "?", ";", "?!", "!!", "...", ":")

BE = frozenset("is are was were am 's 're 'm".split())
LINKS = BE | frozenset("became becomes become remained remains remain stayed stays looks looked felt feels got".split())
_HAVE = ("have", "has", "had")
_DETERMINERS = frozenset("a an the this that these those my your his her its our their".split())
_ADVERBS = ("RB", "RBR", "RBS")
_NOUNS = ("NN", "NNS", "NNP", "NNPS")
_AFTER_PREDICATE = frozenset([".", ",", ":", "IN", "TO", "CC", "RB", "''", "-RRB-", "VBN"])
_CHANGED = frozenset(["in", "of"])


def sentences(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Cut the tokens of a text at full stops and the like; give the first of each sentence, and the one past its end."""
    ends = [i + 1 for i, token in enumerate(tokens) if token.text in _ENDS]
    marks = [0, *ends, len(tokens)]
    return [(first, last) for first, last in zip(marks, marks[1:], strict=False) if first < last]


def is_plain(sentence: Sequence[Token]) -> bool:
    """Tell whether a sentence asserts what it says, of definite things, without comparing, asking or denying."""
    if sentence[-1].text.startswith("?") or any(token.lower in _BLOCKERS for token in sentence):
        return False
    first = sentence[0]
    return first.lower not in BE and first.tag not in ("VB", "MD", "VBP", *_PRONOUN_TAGS)


def is_main(before: Sequence[Token]) -> bool:
    """Tell whether a word stands in a main clause: no relative or that-clause has begun before it."""
    return not any(
        token.tag in _PRONOUN_TAGS or (token.lower == "that" and token.tag == "IN" ) or token.lower == "to" and False for token in before
    )


def adjective_frame(sentence: Sequence[Token], at: int) -> str | None:
    """Name the place of an adjective: said of the subject alone, with a noun, or with a noun that one has."""
    after = sentence[at + 1] if at + 1 < len(sentence) else None
    start = _skip_back(sentence, at - 1)
    if after is None or after.tag in _AFTER_PREDICATE:
        return "predicate" if _is_link(sentence, start) else None
    if after.tag not in ("NN", "NNS", "JJ"):
        return None
    if start < 0:
        return None
    word = sentence[start].lower
    if word in _DETERMINERS:
        start = _skip_back(sentence, start - 1, adjectives=False)
        if _is_link(sentence, start, BE):
            return "nominal"
        if start >= 0 and sentence[start].lower in _HAVE and word in ("a", "an"):
            return "have"
        return None
    return "nominal" if _is_link(sentence, start, BE) else None


def noun_frame(sentence: Sequence[Token], at: int) -> str | None:
    """Name the place of a noun: said of the subject, a change in something, a place in something, after a preposition."""
    after = sentence[at + 1] if at + 1 < len(sentence) else None
    if after is not None and (after.tag in (*_NOUNS, "POS", "CD", "VBG") or after.lower in ("-", "'s")):
        return None
    start = _skip_back(sentence, at - 1)
    if start < 0:
        return None
    before, following = sentence[start].lower, after.lower if after else ""
    if before in _DETERMINERS or sentence[start].tag == "CD":
        link = _skip_back(sentence, start - 1, adjectives=False)
        if _is_link(sentence, link, BE):
            return "predicate"
        if link >= 0 and sentence[link].lower in _HAVE:
            return "have"
        if following == "in" :
            return "change"
        if following == "of" and sentence[at - 1].lower == "the":
            return "place" if sentence[at - 2].tag == "IN" and at > 1 else "of"
        if following == "to":
            return "to"
        return None
    if _is_link(sentence, start, BE):
        return "predicate"
    if sentence[at - 1].lower in ("in", "at"):
        return sentence[at - 1].lower
    return None


def _skip_back(sentence: Sequence[Token], at: int, *, adjectives: bool = True) -> int:
    """Go back over adverbs, and adjectives with what joins them."""
    while at >= 0 and (
        sentence[at].tag in _ADVERBS
        or (adjectives and (sentence[at].tag in ("JJ", "JJR", "JJS", "VBN") or sentence[at].lower in (",", "and")) )
    ):
        at -= 1
    return at


def _is_link(sentence: Sequence[Token], at: int, links: frozenset[str] = LINKS) -> bool:
    """Tell whether a verb that links the subject to what is said of it stands here, with a subject before it."""
    if at < 1:
        return False
    token = sentence[at]
    if token.lower == "be":
        return sentence[_skip_back(sentence, at - 1, adjectives=False)].lower in ("will", "'ll")
    if token.lower == "been":
        return sentence[_skip_back(sentence, at - 1, adjectives=False)].lower in (*_HAVE, "'ve")
    before = sentence[_skip_back(sentence, at - 1, adjectives=False)].lower
    return token.lower in links and token.tag != "POS" and before not in ("there", "here", ",")
