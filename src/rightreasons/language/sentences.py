"""Sentences of a text, with their offsets: abbreviations, initials, decimals and quotes don't end one."""

from __future__ import annotations

import re

# A mark that may end a sentence, alone or several, with the quotes and brackets that close after it.
_CLOSING = "\"'\u2019\u201d\u00bb)\\]"
_OPENING = " \t\r\n\"'`\u2018\u201c\u00ab(["
_END = re.compile(
    rf"(?<![.!?\u2026])([.!?\u2026]+)(?:\s?[{_CLOSING}](?=[\s{_CLOSING}]|$))*(?=\s|$)|\n[^\S\n]*\n"
)
_BEFORE_WORD = re.compile(r"\A.*[\s(\[\"'\u2018\u201c]", re.DOTALL)
_WORD = 40  # characters looked at before a full stop: no abbreviation is longer
# These stand before a name or a number, so what follows them goes on with the sentence, capital or not.
_TITLES = (
    "mr mrs ms mx dr prof rev fr sr jr st mt ft gen col maj capt cmdr lt sgt cpl gov sen rep hon pres amb supt det "
    "messrs mmes vs v no nos fig figs eq eqs ch sec vol vols pp p art dept approx ca cf al e.g i.e eg ie viz"
)
# These may end a sentence: they do where a capital follows.
_SHORT = (
    "etc inc ltd co corp bros a.m p.m am pm u.s u.k u.n u.s.a d.c ph.d m.d b.a m.a b.sc m.sc b.c a.d "
    "jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun "
    "ave blvd rd ln hwy apt min max hr hrs sq cu in yd yds oz lb lbs kg km cm mm rs"
)
# Words that are not names, so no initial precedes them.
_STARTS = (
    "After All An And As At Before Both But By Each Every For From He Her His How However If In It Its Later Next Now "
    "On Once One She So Some That The Their Then There These They This Those Throughout To We What When Where While "
    "Who With"
)
_STARTERS = frozenset(_STARTS.split())
_NEVER_LAST, _MAYBE_LAST = frozenset(_TITLES.split()), frozenset(_SHORT.split())


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Split a text into sentences, as (start, end); together they cover everything but white space."""
    spans = []
    start = 0
    for mark in _END.finditer(text):
        if mark.group(1) is None or _ends_sentence(text, mark):
            spans.append((start, mark.end()))
            start = mark.end()
    spans.append((start, len(text)))
    return [span for span in (_trim_span(text, *span) for span in spans) if span[0] < span[1]]


def _ends_sentence(text: str, mark: re.Match[str]) -> bool:
    """Return whether a mark ends a sentence: what follows must look like a beginning."""
    following = text[mark.end() : mark.end() + _WORD].lstrip(_OPENING).split(maxsplit=1)
    if following and following[0][0].islower():
        return False
    if mark.group(1) != "." or not following:
        return True
    word = _BEFORE_WORD.sub("", text[max(0, mark.start() - _WORD) : mark.start()])
    return not _is_abbreviation(word, following[0])


def _is_abbreviation(word: str, next_word: str) -> bool:
    """Return whether a full stop belongs to the word before it."""
    lower, following = word.lower(), next_word[:1]
    if lower in _NEVER_LAST:
        # "He said no." ends; "No. 5" does not.
        return lower not in ("no", "p", "v", "art", "sec") or following.isdigit()
    if lower in _MAYBE_LAST:
        return following.isdigit() and lower not in ("a.m", "p.m", "am", "pm", "in", "min", "sat", "sun")
    # An initial, as in "J. Smith"; "I" and digits end sentences, and so does "point A" before "The".
    if len(word) != 1 or not word.isupper() or word == "I" or not following.isalpha():
        return False
    return len(next_word) > 1 and next_word not in _STARTERS


def _trim_span(text: str, start: int, end: int) -> tuple[int, int]:
    """Strip whitespace from both ends."""
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    return (start + left, start + len(piece.rstrip())) if piece.strip() else (start, start)
