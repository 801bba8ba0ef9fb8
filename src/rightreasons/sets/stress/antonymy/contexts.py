"""Where an antonym makes a contradiction: in a sentence that asserts something of a definite thing.

`is_plain` refuses sentences that suppose, ask, answer or report, `is_plain_clause` words whose clause denies, counts or
compares, `is_main` words in clauses that only say which thing is meant; `is_counted` finds words said of a number of
things. What is refused here may well make a contradiction, but not surely.
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


# These make the whole sentence unsure, wherever they stand.
_DOUBT = """
    can could may might must should shall would ought 'd ca if unless whether perhaps maybe possibly probably
    supposedly allegedly apparently seemingly potentially imagine suppose supposed according opinion idea argument
    theory belief prediction rumor
"""
_REPORT = """
    said say says saying told tell tells telling asked ask asks replied answered claimed claim claims claiming
    argued argue argues thought think thinks thinking believe believes believed believing hope hopes hoped hoping
    want wants wanted wish wishes wished wishing guess guessed guesses expect expects expected doubt doubts doubted
    wonder wondered wonders suggest suggests suggested pretend pretends pretended dream dreamed dreams feared fear
    fears alleged assume assumed assumes according consider considers considered seem seems seemed appear appears
    appeared wrote writes written reported reports report try tries tried trying promised promise promises insisted
    insists insist declared declares announced announces predicted predicts prefer prefers preferred like likes
    liked love loves loved need needs needed describe describes described call calls called view views viewed regard
    regarded find finds found feel felt feels mean means meant conclude concluded concludes whispered shouted cried
    muttered exclaimed explained explains observed noted notes estimated estimates estimate added adds rumored hear
    heard hears treated treat treats purport purports make makes made keep keeps kept complained complains knew
    warned warns agreed agrees decided decides mumbled remarked stated states yelled screamed
"""
# These concern their own clause alone.
_DENIAL = """
    not n't never no none nobody nothing neither nor nowhere without hardly scarcely barely rarely seldom cannot
    deny denies denied denying refuse refuses refused refusing fail fails failed failing lack lacks lacked lacking
    avoid avoided prevent prevents prevented stop stopped instead unlike doubting or either else otherwise almost
    nearly practically virtually
"""
_COUNT = """
    some many several most few other others another certain various any sometimes often usually occasionally mostly
    generally frequently normally typically somewhat half part partly partially sort kinda kind something someone
    somebody anything anyone only than as enough both between percent % sure especially particularly compared
    comparison before once ever everything sorely whole until till like myriad
"""
_ANSWERS = ("yes", "no", "yeah", "nope", "yep", "right", "okay", "ok", "sure", "please", "let", "well")
_HESITATION = ("uh", "um", "huh", "hm", "hmm", "uh-huh", "um-hum", "uh-hum", "yeah", "yes", "okay")
_UNSURE = frozenset((*_DOUBT.split(), *_HESITATION))
_REPORTING = frozenset(_REPORT.split())
_IN_CLAUSE = frozenset(f"{_DENIAL} {_COUNT}".split())
_CLAUSE_ENDS = frozenset((",", ";", ":", "--", "-", "(", ")", "but", "while", "yet", "so"))
_STOPS = (".", "!", "?", "?!", "!!", "...")
_CLOSING = ("'", "''", '"', "\u2019", "\u201d", ")")
_QUESTION_TAGS = ("WDT", "WP", "WP$", "WRB")
_VERB_FIRST = ("VB", "MD", "VBP", "VBZ", "VBD", *_QUESTION_TAGS)
_BEFORE_VERB = ("CC", "RB", "UH", ",")
_COPULAS = """
    is are was were am 's 're 'm be been became becomes become remained remains remain stayed stays looks looked felt
    feels grew
"""
COPULAS = frozenset(_COPULAS.split())


def sentences(tokens: Sequence[Token]) -> list[Sequence[Token]]:
    """Cut the tokens of a text after full stops and the like, but not where a quotation ends and its frame goes on."""
    ends = [i + 1 for i, token in enumerate(tokens) if token.text in _STOPS and not _goes_on(tokens, i + 1)]
    marks = [0, *ends, len(tokens)]
    return [tokens[first:last] for first, last in pairwise(marks) if first < last]


def _goes_on(tokens: Sequence[Token], at: int) -> bool:
    """Tell whether a comma follows a stop, or a small letter after closing quotes: "Go!", he said."""
    first = at
    while at < len(tokens) and tokens[at].text in _CLOSING:
        at += 1
    after = tokens[at].text if at < len(tokens) else ""
    return after == "," or (at > first and after[:1].islower())


def is_plain(sentence: Sequence[Token]) -> bool:
    """Tell whether a sentence asserts what it says, and neither asks, commands, answers, supposes nor reports."""
    if sentence[0].lower in _ANSWERS or any(token.text.startswith("?") for token in sentence):
        return False
    if any(_is_unsure(sentence, at) for at in range(len(sentence))):
        return False
    opening = next((token for token in sentence if token.tag not in _BEFORE_VERB), sentence[0])
    return opening.tag not in _VERB_FIRST


def is_plain_clause(sentence: Sequence[Token], at: int) -> bool:
    """Tell whether nothing is denied, counted or compared in the clause of a word; more than something may be said."""
    first, last = at, at + 1
    while first and sentence[first - 1].lower not in _CLAUSE_ENDS:
        first -= 1
    while last < len(sentence) and sentence[last].lower not in _CLAUSE_ENDS:
        last += 1
    words = [token.lower for token in sentence[first:last]]
    allowed = "than" if sentence[at].tag == "JJR" else ""
    refused = any(word in _IN_CLAUSE and word != allowed for word in words)
    return not refused and ("one", "of") not in pairwise(words)


def _is_unsure(sentence: Sequence[Token], at: int) -> bool:
    token = sentence[at]
    reports = token.lower in _REPORTING and token.tag.startswith("V") and not _links(sentence, at)
    return token.lower in _UNSURE or reports


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
