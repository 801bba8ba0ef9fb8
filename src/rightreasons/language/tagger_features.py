"""Features of a word for the tagger: its spelling, and its class as a neighbour of other words.

All here depends on one word alone, and on whether it starts a sentence with a capital, so it is worked out once for
every word. What depends on two words or on tags is a pair of kinds, or a kind and a tag.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

START, END = "<s>", "</s>"  # padding before the first and after the last word
MARK = "\n"  # written before a word that starts a sentence with a capital; no token has a line break
_BEFORE_CAPITALS = (
    ". ? ! ?! !? ?? !! ... \u2026 : ; -- - \u2013 \u2014 ( [ * \" `` '' ` ' "
    "\u201c \u201d \u2018 \u2019 \u00ab"
)
_OPENERS = frozenset(_BEFORE_CAPITALS.split())
_DIGIT = re.compile(r"\d")
_LONGEST = 24  # letters of a word that its sketch shows


class Views(NamedTuple):
    """The features of a word, as the one to tag and as a neighbour on either side."""

    own: list[str]
    left: list[str]
    left2: list[str]
    right: list[str]
    right2: list[str]


def mark_leading_words(words: Sequence[str]) -> list[str]:
    """Mark the words whose capital may be due to their place alone."""
    marked = []
    before = "."
    for word in words:
        marked.append(MARK + word if before in _OPENERS and word[0].isupper() else word)
        before = word
    return marked


def normalise_word(word: str) -> str:
    """Normalise a word, marked or not: lower case, straight quotes, all digits alike."""
    return _DIGIT.sub("0", word.removeprefix(MARK).lower().replace("\u2019", "'"))


def classify_word(word: str, known: Container[str]) -> str:
    """Return the class of a word: itself if it is known, else its shape and ending."""
    small = normalise_word(word)
    if small in known:
        return small
    return f"{'^' * word.startswith(MARK)}{_build_word_shape(word.removeprefix(MARK))[:4]}~{small[-2:]}"


def build_word_views(word: str, own_kind: str) -> Views:
    """List the features of a word."""
    small, sketch = normalise_word(word), _build_word_shape(word.removeprefix(MARK))
    near = (small, "~" + small[-3:], "^" + sketch)
    return Views(
        _list_own_features(word, small, sketch, own_kind),
        ["l=" + part for part in near],
        ["ll=" + part for part in near[:2]],
        ["r=" + part for part in near],
        ["rr=" + part for part in near[:2]],
    )


def _list_own_features(word: str, small: str, sketch: str, own_kind: str) -> list[str]:
    first = word.startswith(MARK)
    sketch = "^" * first + sketch
    features = ["w=" + small, "h=" + sketch, "k=" + own_kind, f"h{sketch[:3]}={small[-3:]}"]
    features += ["s=" + small[-size:] for size in range(1, min(6, len(small)))]
    features += ["p=" + small[:size] for size in range(1, min(5, len(small)))]
    if not first:
        features.append("W=" + word)
    if "-" in small:
        head, _, tail = small.rpartition("-")
        features += ["a=" + tail, "b=" + head, "a3=" + tail[-3:]]
    return features


def _build_word_shape(word: str) -> str:
    """Return the shape of a word: its runs of upper case, lower case, digits and signs."""
    return "".join(sign for sign, _ in groupby(map(_classify_letter, word[:_LONGEST])))


def _classify_letter(letter: str) -> str:
    if letter.isdigit():
        return "0"
    if letter.isupper():
        return "X"
    return "x" if letter.isalpha() else letter
