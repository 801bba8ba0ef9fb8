"""The places of a word in which it says something that its opposite denies.

Adjectives: `predicate` (the room is small), `nominal` (it is a small room), `have` (it has a small room). Nouns:
`predicate` (it was a great success), or `bare` without an adjective (it was a success), `have` (it has an advantage),
`change` (saw a rise in), `of` (the majority of), and by their preposition `at-the` (at the top of), `on-the` and so on,
and `at` or `in` (was at war).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rightreasons.language.inflection import is_plural
from rightreasons.sets.stress.antonymy.contexts import COPULAS

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from rightreasons.sets.stress.antonymy.contexts import Token

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


def adjective_frame(sentence: Sequence[Token], at: int) -> str | None:
    """Name the place of an adjective, if it is one of those listed above."""
    start = _before_adjectives(sentence, at - 1)
    if at and _is_bound(sentence, at):
        return None
    if at + 1 == len(sentence) or sentence[at + 1].tag in _AFTER_PREDICATE:
        return "predicate" if _is_link(sentence, start, COPULAS) else None
    if sentence[at + 1].tag not in (*_NOUNS, "JJ") or start < 1:
        return None
    if sentence[at].tag == "JJS" and sentence[at - 1].lower != "the":
        return None
    return _of_phrase(sentence, start, ("a", "an"))


def _is_bound(sentence: Sequence[Token], at: int) -> bool:
    """Tell whether the adverb before an adjective goes with that adjective only: well aware, too small to."""
    adverb, after = sentence[at - 1], sentence[at + 1].lower if at + 1 < len(sentence) else ""
    compared = adverb.tag in _COMPARING or adverb.lower.endswith("-most")
    return compared or adverb.lower in _BINDING or (adverb.lower == "too" and after == "to")


def noun_frame(sentence: Sequence[Token], at: int) -> str | None:
    """Name the place of a noun, if it is one of those listed above."""
    after = sentence[at + 1] if at + 1 < len(sentence) else None
    start = _before_adjectives(sentence, at - 1)
    if start < 0 or (after is not None and after.tag in _AFTER_NOUN):
        return None
    frame = _of_phrase(sentence, start, ("the",))
    if frame == "nominal":
        said = is_plural(sentence[at].tag) or _is_determiner(sentence[start])
        described = sentence[at - 1].tag in _ADJECTIVES
        return ("predicate" if described else "bare") if said else None
    return frame or _between(sentence, start, at, after.lower if after else "")


def _between(sentence: Sequence[Token], start: int, at: int, following: str) -> str | None:
    """Name the place of a noun by the words before and after it; what is not said of the subject is none."""
    before = sentence[at - 1].lower
    asserted = _has_verb(sentence[:start])
    if before in ("a", "the") and following == "of":
        return _with_preposition(sentence, at)
    if following == "in" and _is_determiner(sentence[start]):
        return "change" if asserted and sentence[start - 1].lower != "on" else None
    return before if before in ("in", "at") and at > 1 and sentence[at - 2].tag in _FINITE else None


def _with_preposition(sentence: Sequence[Token], at: int) -> str | None:
    """Name the place of a noun between an article and `of`; parts of a person are none, nor is what is aimed at.

    Nor are places that set the scene: other things may be so at the other end.
    """
    aimed_at = at > 1 and sentence[at - 2].tag == "VB"
    if aimed_at or (at + 2 < len(sentence) and sentence[at + 2].tag == "PRP$"):
        return None
    if at < 2 or sentence[at - 2].tag not in ("IN", "TO"):  # noqa: PLR2004 - preposition and article
        return "of"
    if sentence[at - 1].lower == "a":
        return None
    sets_scene = any(token.tag == "EX" for token in sentence) or not _has_verb(sentence[:at])
    return None if sets_scene else f"{sentence[at - 2].lower}-the"


def _has_verb(tokens: Sequence[Token]) -> bool:
    return any(token.tag in _FINITE for token in tokens)


def _of_phrase(sentence: Sequence[Token], start: int, had: Collection[str]) -> str | None:
    """Name the place of a noun phrase by what stands before it; `had` are the determiners that have may take."""
    if _is_link(sentence, start, _BE):
        return "nominal"
    if not _is_determiner(sentence[start]):
        return None
    verb = _before_adverbs(sentence, start - 1)
    if _is_link(sentence, verb, _BE):
        return "nominal"
    has = verb > 0 and sentence[verb].lower in _HAVE and sentence[start].lower in had
    return "have" if has and sentence[_before_adverbs(sentence, verb - 1)].tag != "TO" else None


def _is_determiner(token: Token) -> bool:
    return token.lower in _DETERMINERS


def _before_adverbs(sentence: Sequence[Token], at: int) -> int:
    while at >= 0 and sentence[at].tag in _ADVERBS:
        at -= 1
    return at


def _before_adjectives(sentence: Sequence[Token], at: int) -> int:
    """Go back over adverbs, and over adjectives with what joins them."""
    while at >= 0 and (sentence[at].tag in (*_ADVERBS, *_ADJECTIVES) or sentence[at].lower in (",", "and")):
        at -= 1
    return at


def _is_link(sentence: Sequence[Token], at: int, links: Collection[str]) -> bool:
    """Tell whether a verb that links a subject to what is said of it stands here, finite by itself or by a helper."""
    if at < 1 or sentence[at].lower not in links:
        return False
    before = _before_adverbs(sentence, at - 1)
    if before < 0:
        return False
    if sentence[at].tag in _FINITE:
        return _ends_subject(sentence, before)
    helps = sentence[before].lower in _HELPERS.get(sentence[at].tag, ())
    return helps and before > 0 and _ends_subject(sentence, before - 1)


def _ends_subject(sentence: Sequence[Token], at: int) -> bool:
    """Tell whether a subject may end here: a word that is none, or a place before its verb (on it was a), is none.

    Nor is "one" by itself: of two, one may be so and one not.
    """
    token = sentence[at]
    if token.lower in _NO_SUBJECT or token.tag.startswith("W"):
        return False
    if token.lower == "one" and (at == 0 or sentence[at - 1].tag in _BEFORE_ONE):
        return False
    return _PLACE.fullmatch("".join(f"{token.tag} " for token in sentence[: at + 1])) is None
