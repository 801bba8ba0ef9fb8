"""Where an antonym makes a contradiction: in a sentence that asserts something of a definite thing.

`is_plain` refuses sentences that suppose, doubt, deny, ask, compare or report, `is_main` words in clauses that only say
which thing is meant, and `is_counted` finds words said of a number of things. What is refused here may well make a
contradiction, but not surely.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Token(NamedTuple):
    """A token with its place in the text, its Penn tag and its lower-case form."""

    start: int
    end: int
    text: str
    tag: str
    lower: str


_DENIAL = """
    not n't never no none nobody nothing neither nor nowhere without hardly scarcely barely rarely seldom cannot
    unlikely deny denies denied denying refuse refuses refused fail fails failed lack lacks lacked lacking avoid avoided
    prevent prevents prevented stop stopped instead refusing failing doubting
"""
_DOUBT = """
    can could may might must should shall would ought 'd ca if unless whether or either perhaps maybe possibly probably
    supposedly allegedly apparently seemingly potentially imagine suppose supposed until till else otherwise almost
    nearly practically virtually
"""
_REPORT = """
    said say says saying told tell tells telling asked ask asks replied answered claimed claim claims claiming
    argued argue argues thought think thinks thinking believe believes believed believing belief hope hopes hoped
    hoping want wants wanted wish wishes wished wishing guess guessed guesses expect expects expected doubt doubts
    doubted wonder wondered wonders suggest suggests suggested pretend pretends pretended dream dreamed dreams
    feared fear fears alleged assume assumed assumes according consider considers considered seem seems seemed
    appear appears appeared wrote writes written reported reports report try tries tried trying promised promise
    promises insisted insists insist declared declares announced announces predicted predicts prediction prefer
    prefers preferred like likes liked love loves loved need needs needed describe describes described call calls
    called view views viewed regard regarded find finds found feel opinion idea argument theory felt feels mean
    means meant conclude concluded concludes whispered shouted cried muttered exclaimed explained explains observed
    noted notes estimated estimates estimate added adds rumor rumored hear heard hears treated treat treats purport
    purports known make makes made keep keeps kept
"""
_COUNT = """
    some many several most few other others another certain various any sometimes often usually occasionally mostly
    generally frequently normally typically somewhat half part partly partially sort kinda kind something someone
    somebody anything anyone only than as enough both between percent % sure especially particularly compared
    comparison unlike before once ever everything sorely
"""
_CHAT = "yes yeah nope yep uh um huh hm hmm oh uh-huh um-hum uh-hum okay ok well gosh gee wow right please let lets"
_WORDS = frozenset(f"{_DENIAL} {_DOUBT} {_REPORT} {_COUNT} {_CHAT}".split())
_STOPS = (".", "!", "?", "?!", "!!", "...")
_QUESTION_TAGS = ("WDT", "WP", "WP$", "WRB")
_VERB_FIRST = ("VB", "MD", "VBP", "VBZ", "VBD", *_QUESTION_TAGS)
_BEFORE_VERB = ("CC", "RB", "UH", ",")
_COPULAS = """
    is are was were am 's 're 'm be been became becomes become remained remains remain stayed stays looks looked felt
    feels grew
"""
COPULAS = frozenset(_COPULAS.split())


def sentences(tokens: Sequence[Token]) -> list[Sequence[Token]]:
    """Cut the tokens of a text after full stops and the like."""
    ends = [i + 1 for i, token in enumerate(tokens) if token.text in _STOPS]
    marks = [0, *ends, len(tokens)]
    return [tokens[first:last] for first, last in pairwise(marks) if first < last]


def is_plain(sentence: Sequence[Token]) -> bool:
    """Tell whether a sentence asserts what it says, of definite things, and neither asks nor commands."""
    if sentence[-1].text.startswith("?"):
        return False
    words = [token.lower for token in sentence]
    if ("one", "of") in pairwise(words):
        return False
    if any(token.lower in _WORDS and not _links(sentence, i) for i, token in enumerate(sentence)):
        return False
    opening = next((token for token in sentence if token.tag not in _BEFORE_VERB), sentence[0])
    return opening.tag not in _VERB_FIRST


def _links(sentence: Sequence[Token], at: int) -> bool:
    """Tell whether a verb of opinion only links here: "felt good", not "felt that"."""
    after = sentence[at + 1].tag if at + 1 < len(sentence) else ""
    return sentence[at].lower in COPULAS and after in ("JJ", "JJR", "RB", "RBR")


def is_counted(sentence: Sequence[Token], at: int) -> bool:
    """Tell whether a number of things is spoken of before a word: ten may be so, and ten others not."""
    for before, token, after in zip([None, *sentence], sentence[:at], sentence[1:], strict=False):
        definite = before is not None and before.tag in ("DT", "PRP$", "POS")
        if token.tag == "CD" and after.tag in ("NNS", "JJ") and not definite:
            return True
    return False


def is_main(sentence: Sequence[Token], at: int) -> bool:
    """Tell whether a word stands in a main clause: no relative, indirect or that-clause has begun before it."""
    return not any(
        token.tag in _QUESTION_TAGS or (token.lower == "that" and token.tag != "DT")
        for token in sentence[:at]
    )
