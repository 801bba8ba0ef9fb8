"""Cut a text into tokens as the Penn Treebank does, each with its place in the text.

One pass of one regular expression finds words, numbers and marks; then words are cut before a clitic (do|n't,
dog|'s), and abbreviations and initials take their stop (Mr., J.). Every token is a slice of the text without
spaces, and every character that is not a space is in exactly one token.
"""

from __future__ import annotations

import re

# Marks are tokens of their own; everything except marks and space may be part of a word, in any script.
_MARKS = (
    "!-/:-@\\[-`{-~"  # ASCII
    "\u00a1-\u00a9\u00ab\u00ac\u00ae-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7"
    "\u055d-\u055f\u0589\u05be\u05c0\u05c3\u05f3\u05f4\u060c\u061b\u061f\u066a-\u066d\u06d4\u0964\u0965"
    "\u2010-\u2027\u2030-\u205e\u20a0-\u20cf\u2190-\u2bff\u3001-\u3003\u3008-\u3011\u3014-\u301f\u30fb"
    "\ufe30-\ufe4f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\U0001f000-\U0001faff"
)
_LETTER = f"[^\\s{_MARKS}]"
_SKIN = "[\ufe0f\u20e3\U0001f3fb-\U0001f3ff]"  # what follows a sign and belongs to it
_PIECE = re.compile(
    rf"""
      (?:https?://|www\.)[^\s<>"()]*[^\s<>"().,;:!?'\u2019]
    | \d+(?::\d\d)?(?=[AaPp]\.?[Mm](?!{_LETTER}))                                     # 4:45|pm
    | (?:(?<!{_LETTER})[+-])?(?:(?<!{_LETTER})\.)?\d+(?:[.,:/]\d+)*(?:[-/&]?{_LETTER}+)*  # -4,000.75  18th-century
    | (?<!{_LETTER})['\u2019](?:[Tt]is|[Tt]was|[Ee]m|[Cc]ause|[Tt]il|\d\ds?)(?!{_LETTER})  # 'em  '90s
    | ['\u2019](?:[SsDdMm]|[Rr][Ee]|[Vv][Ee]|[Ll][Ll])(?!{_LETTER})                     # 1990|'s
    | (?<!{_LETTER})(?:Ph\.D\.?|(?:[^\W\d_]\.){{2,}}(?:[^\W\d_](?!{_LETTER}))?)(?:[-/]{_LETTER}+)*   # U.S.  e.g.
    | {_LETTER}+(?:(?:[-/_@+*'\u2019\u2010\u2011]|&(?:amp;)?){_LETTER}+)*             # follow-up  and/or  o'clock
    | \.{{3,}} | [-\u2010-\u2015]{{2,}} | [?!]+ | '' | `` | &(?:amp;)? | \*+ | _+ | =+ | ~+
    | [\U0001f1e6-\U0001f1ff]{{2}}                                                    # a flag
    | \S{_SKIN}*(?:\u200d[\u2190-\u2bff\U0001f000-\U0001faff]{_SKIN}*)*
    """,
    re.VERBOSE,
)
_CLITIC = re.compile("(?:n['\u2019]t|['\u2019](?:s|re|ve|ll|d|m))$", re.IGNORECASE)
_APOSTROPHE = re.compile("['\u2019]")
_PREFIX = 2  # letters before an apostrophe that belong to the word after it: o'clock, d'Oro, Ca'
_FUSED = {"cannot": 3, "gonna": 3, "gotta": 3, "wanna": 3, "lemme": 3, "gimme": 3}
_DOMAIN = re.compile(r"(?:\.(?:com|org|net|gov|edu|uk|de|fr|html?)(?!\w))+")
_END = re.compile(r"[\s'\"\u2019\u201d)\]]*\Z")

_INITIALS = frozenset("ABCDEFGHJKLMNOPQRSTUVWXYZcpv")  # "I" and "a" are words
_ALWAYS_SHORT = (
    "mr mrs ms messrs mme dr prof rev sr jr st mt ft capt lt sgt cpl adm cmdr sen gov supt insp atty esq inc corp ltd "
    "bros assn dept univ ave blvd vs etc cf figs vol vols nos pp eds approx jan feb apr aug sept sep oct nov dec tues "
    "thur thurs ala ariz calif colo conn fla kan minn mont okla tenn wis wyo"
)
# These are words as well: the stop is theirs where the sentence clearly goes on.
_BEFORE_NAMES = "gen col maj rep hon pres fr det"
_AT_TIMES_SHORT = (
    "no al co tel ext fig ed est ca mar jun jul mon tue wed thu fri ark ill ind mass mich miss mo neb nev ore pa penn "
    "tex va wash md ky vt rd"
)
_SHORT = frozenset(_ALWAYS_SHORT.split())
_TITLES = frozenset(_BEFORE_NAMES.split())
_SHORT_OR_WORD = frozenset(_AT_TIMES_SHORT.split()) | _TITLES


def tokenize(text: str) -> list[tuple[int, int]]:
    """List where the tokens of a text start and end, from left to right."""
    spans: list[tuple[int, int]] = []
    done = 0
    for match in _PIECE.finditer(text):
        start, end = match.span()
        if start < done:  # the stop of an abbreviation, or the rest of an address
            continue
        if text[end : end + 1] == "." and text[end - 1] != ".":
            end = _find_end_with_stop(text, start, end)
        for cut in _list_part_lengths(text[start:end]):
            spans.append((start, start + cut))
            start += cut
        spans.append((start, end))
        done = end
    return spans


def _find_end_with_stop(text: str, start: int, end: int) -> int:
    """Return the end of a word before a full stop, including the stop if it belongs to the word."""
    word = text[start:end]
    if address := _DOMAIN.match(text, end):
        return address.end()
    small = word.lower()
    if small in _SHORT or (word in _INITIALS and not _END.match(text, end + 1)):
        return end + 1
    return end + (small in _SHORT_OR_WORD and _sentence_continues(text, end + 1, word))


def _sentence_continues(text: str, at: int, word: str) -> bool:
    """Return whether a sentence goes on after a stop: with a number, a comma, a small letter, a name after a title."""
    after = text[at : at + 2].lstrip()[:1]
    if after.isupper():
        return word.lower() in _TITLES
    return after.isdigit() or (word[:1].isupper() and (after == "," or after.islower()))


def _list_part_lengths(word: str) -> list[int]:
    """List the lengths of the parts that a word is cut into, without the last."""
    if "'" in word or "\u2019" in word:
        return _list_apostrophe_part_lengths(word)
    cut = _FUSED.get(word.lower())
    return [cut] if cut else []


def _list_apostrophe_part_lengths(word: str) -> list[int]:
    """Cut before a clitic, and around an apostrophe that is a quote between two words."""
    if word[0] in "'\u2019":  # a clitic by itself, or a quote of two signs
        return []
    cuts: list[int] = []
    clitic = _CLITIC.search(word)
    end = clitic.start() if clitic else len(word)
    done = 0
    for match in _APOSTROPHE.finditer(word, 1, end):
        if match.start() - done > _PREFIX and match.end() < end:
            cuts += [match.start() - done, 1]
            done = match.end()
    return cuts + ([end - done] if clitic and end else [])
