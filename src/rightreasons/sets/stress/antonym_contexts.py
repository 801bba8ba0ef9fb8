"""Where an antonym makes a contradiction: in a sentence that asserts something of a definite thing.

`is_plain_assertion` refuses sentences that suppose, ask, answer or report, `is_in_plain_clause` words whose clause
denies, counts or compares, `is_in_main_clause` words in clauses that only say which thing is meant; `is_after_count`
finds words said of a number of things. What is refused here may well make a contradiction, but not surely.

Frames are the positions in which a word says something that its opposite denies. Adjectives: `predicate` (the room is
small), `nominal` (it is a small room), `have` (it has a small room). Nouns: `predicate` (it was a great success), or
`bare` without an adjective (it was a success), `have` (it has an advantage), `change` (saw a rise in), `of` (the
majority of), and by their preposition `at-the` (at the top of), `on-the` and so on, and `at` or `in` (was at war).
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from rightreasons.language.inflection import is_plural

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

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
_BE = frozenset(("is", "are", "was", "were", "am", "'s", "'re", "'m", "be", "been"))
_HAVE = ("have", "has", "had")
_HELPERS = {"VB": ("will", "'ll"), "VBN": (*_HAVE, "'ve", "'s")}
_NO_SUBJECT = ("there", "here", ",", "and", "but", "who", "which", "that's", "all")
_OWNERS = ("my", "your", "his", "her", "its", "our", "their")
_DETERMINERS = frozenset(("a", "an", "the", "this", "that", "these", "those", *_OWNERS))
_ADVERBS = ("RB", "RBR", "RBS")
_ADJECTIVES = ("JJ", "JJR", "JJS")
_NOUNS = ("NN", "NNS")
_COMPARING = ("RBR", "RBS")
_BEFORE_ONE = (",", ":", "CC", "``")
_BINDING = frozenset(
    (
        "well",
        "wide",
        "readily",
        "keenly",
        "intimately",
        "perfectly",
        "fully",
        "sorely",
        "painfully",
        "acutely",
        "badly",
    )
)
_FINITE = ("VBD", "VBZ", "VBP")
_PLACE = re.compile(r"(?:RB )?(?:(?:IN|TO) (?:DT |PRP\$ )?(?:(?:JJ[RS]?|CD|NN\w*|POS|PRP) )+)+")
_AFTER_PREDICATE = frozenset([".", ",", ":", "IN", "TO", "CC", "RB", "''", "-RRB-"])
_AFTER_NOUN = frozenset(["NN", "NNS", "NNP", "NNPS", "POS", "CD", "VBG", "JJ", "HYPH", "RP"])


class Token(NamedTuple):
    """A token with its place in the text, its Penn tag and its lower-case form."""

    start: int
    end: int
    text: str
    tag: str
    lower: str


def split_token_sentences(tokens: Sequence[Token]) -> list[Sequence[Token]]:
    """Cut the tokens of a text after full stops and the like, but not where a quotation ends and its frame goes on."""
    ends = [
        i + 1
        for i, token in enumerate(tokens)
        if token.text in _STOPS and not _sentence_continues_at(tokens, i + 1)
    ]
    marks = [0, *ends, len(tokens)]
    return [tokens[first:last] for first, last in pairwise(marks) if first < last]


def _sentence_continues_at(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a comma follows a stop, or a lower-case letter after closing quotes: "Go!", he said."""
    first = at
    while at < len(tokens) and tokens[at].text in _CLOSING:
        at += 1
    after = tokens[at].text if at < len(tokens) else ""
    return after == "," or (at > first and after[:1].islower())


def is_plain_assertion(sentence: Sequence[Token]) -> bool:
    """Return whether a sentence is a plain assertion: not a question, command, answer, supposition or report."""
    if sentence[0].lower in _ANSWERS or any(token.text.startswith("?") for token in sentence):
        return False
    if any(_is_doubt_or_report(sentence, at) for at in range(len(sentence))):
        return False
    opening = next((token for token in sentence if token.tag not in _BEFORE_VERB), sentence[0])
    return opening.tag not in _VERB_FIRST


def is_in_plain_clause(sentence: Sequence[Token], at: int) -> bool:
    """Return whether nothing is denied, counted or compared in the clause of a word; a comparative may have than."""
    first, last = at, at + 1
    while first and sentence[first - 1].lower not in _CLAUSE_ENDS:
        first -= 1
    while last < len(sentence) and sentence[last].lower not in _CLAUSE_ENDS:
        last += 1
    words = [token.lower for token in sentence[first:last]]
    allowed = "than" if sentence[at].tag == "JJR" else ""
    refused = any(word in _IN_CLAUSE and word != allowed for word in words)
    return not refused and ("one", "of") not in pairwise(words)


def _is_doubt_or_report(sentence: Sequence[Token], at: int) -> bool:
    token = sentence[at]
    reports = (
        token.lower in _REPORTING and token.tag.startswith("V") and not _is_linking_opinion_verb(sentence, at)
    )
    return token.lower in _UNSURE or reports


def _is_linking_opinion_verb(sentence: Sequence[Token], at: int) -> bool:
    """Return whether a verb of opinion only links here: "felt good", not "felt that"."""
    after = sentence[at + 1].tag if at + 1 < len(sentence) else ""
    return sentence[at].lower in COPULAS and after in ("JJ", "JJR", "RB", "RBR")


def is_after_count(sentence: Sequence[Token], at: int) -> bool:
    """Return whether a number of things is spoken of before a word: ten may be so, and ten others not."""
    for before, token, after in zip([None, *sentence], sentence[:at], sentence[1:], strict=False):
        definite = before is not None and before.tag in ("DT", "PRP$", "POS")
        if token.tag == "CD" and after.tag in ("NNS", "JJ") and not definite:
            return True
    return False


def is_in_main_clause(sentence: Sequence[Token], at: int) -> bool:
    """Return whether a word stands in a main clause: no relative, indirect or that-clause has begun before it."""
    return not any(
        token.tag in _QUESTION_TAGS or (token.lower == "that" and token.tag != "DT")
        for token in sentence[:at]
    )


def find_adjective_frame(sentence: Sequence[Token], at: int) -> str | None:
    """Return the frame of an adjective, or None."""
    start = _skip_adjectives(sentence, at - 1)
    if at and _has_binding_adverb(sentence, at):
        return None
    if at + 1 == len(sentence) or sentence[at + 1].tag in _AFTER_PREDICATE:
        return "predicate" if _is_linking_verb(sentence, start, COPULAS) else None
    if sentence[at + 1].tag not in (*_NOUNS, "JJ") or start < 1:
        return None
    if sentence[at].tag == "JJS" and sentence[at - 1].lower != "the":
        return None
    return _find_frame_by_verb(sentence, start, ("a", "an"))


def _has_binding_adverb(sentence: Sequence[Token], at: int) -> bool:
    """Return whether the adverb before an adjective goes with that adjective only: well aware, too small to."""
    adverb, after = sentence[at - 1], sentence[at + 1].lower if at + 1 < len(sentence) else ""
    compared = adverb.tag in _COMPARING or adverb.lower.endswith("-most")
    return compared or adverb.lower in _BINDING or (adverb.lower == "too" and after == "to")


def find_noun_frame(sentence: Sequence[Token], at: int) -> str | None:
    """Return the frame of a noun, or None."""
    after = sentence[at + 1] if at + 1 < len(sentence) else None
    start = _skip_adjectives(sentence, at - 1)
    if start < 0 or (after is not None and after.tag in _AFTER_NOUN):
        return None
    frame = _find_frame_by_verb(sentence, start, ("the",))
    if frame == "nominal":
        asserted = is_plural(sentence[at].tag) or _is_determiner(sentence[start])
        described = sentence[at - 1].tag in _ADJECTIVES
        return ("predicate" if described else "bare") if asserted else None
    return frame or _find_frame_by_neighbours(sentence, start, at, after.lower if after else "")


def _find_frame_by_neighbours(sentence: Sequence[Token], start: int, at: int, following: str) -> str | None:
    """Return the frame of a noun by the words before and after it; None if it is not said of the subject."""
    before = sentence[at - 1].lower
    asserted = _has_finite_verb(sentence[:start])
    if before in ("a", "the") and following == "of":
        return _find_frame_before_of(sentence, at)
    if following == "in" and _is_determiner(sentence[start]):
        return "change" if asserted and sentence[start - 1].lower != "on" else None
    return before if before in ("in", "at") and at > 1 and sentence[at - 2].tag in _FINITE else None


def _find_frame_before_of(sentence: Sequence[Token], at: int) -> str | None:
    """Return the frame of a noun between an article and `of`; None for parts of a person and for goals.

    Nor are places that set the scene: other things may be so at the other end.
    """
    aimed_at = at > 1 and sentence[at - 2].tag == "VB"
    if aimed_at or (at + 2 < len(sentence) and sentence[at + 2].tag == "PRP$"):
        return None
    if at < 2 or sentence[at - 2].tag not in ("IN", "TO"):  # noqa: PLR2004 - preposition and article
        return "of"
    if sentence[at - 1].lower == "a":
        return None
    sets_scene = any(token.tag == "EX" for token in sentence) or not _has_finite_verb(sentence[:at])
    return None if sets_scene else f"{sentence[at - 2].lower}-the"


def _has_finite_verb(tokens: Sequence[Token]) -> bool:
    return any(token.tag in _FINITE for token in tokens)


def _find_frame_by_verb(sentence: Sequence[Token], start: int, had: Collection[str]) -> str | None:
    """Return the frame of a noun phrase by the words before it; `had` are the determiners allowed after have."""
    if _is_linking_verb(sentence, start, _BE):
        return "nominal"
    if not _is_determiner(sentence[start]):
        return None
    verb = _skip_adverbs(sentence, start - 1)
    if _is_linking_verb(sentence, verb, _BE):
        return "nominal"
    has = verb > 0 and sentence[verb].lower in _HAVE and sentence[start].lower in had
    return "have" if has and sentence[_skip_adverbs(sentence, verb - 1)].tag != "TO" else None


def _is_determiner(token: Token) -> bool:
    return token.lower in _DETERMINERS


def _skip_adverbs(sentence: Sequence[Token], at: int) -> int:
    while at >= 0 and sentence[at].tag in _ADVERBS:
        at -= 1
    return at


def _skip_adjectives(sentence: Sequence[Token], at: int) -> int:
    """Skip adverbs and joined adjectives backwards."""
    while at >= 0 and (sentence[at].tag in (*_ADVERBS, *_ADJECTIVES) or sentence[at].lower in (",", "and")):
        at -= 1
    return at


def _is_linking_verb(sentence: Sequence[Token], at: int, links: Collection[str]) -> bool:
    """Return whether a linking verb stands here, finite itself or by an auxiliary."""
    if at < 1 or sentence[at].lower not in links:
        return False
    before = _skip_adverbs(sentence, at - 1)
    if before < 0:
        return False
    if sentence[at].tag in _FINITE:
        return _can_end_subject(sentence, before)
    helps = sentence[before].lower in _HELPERS.get(sentence[at].tag, ())
    return helps and before > 0 and _can_end_subject(sentence, before - 1)


def _can_end_subject(sentence: Sequence[Token], at: int) -> bool:
    """Return whether a subject may end here: a word that is none, or a place before its verb (on it was a), is none.

    Nor is "one" by itself: of two, one may be so and one not.
    """
    token = sentence[at]
    if token.lower in _NO_SUBJECT or token.tag.startswith("W"):
        return False
    if token.lower == "one" and (at == 0 or sentence[at - 1].tag in _BEFORE_ONE):
        return False
    return _PLACE.fullmatch("".join(f"{token.tag} " for token in sentence[: at + 1])) is None
