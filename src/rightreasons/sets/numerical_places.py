"""Where "more than" can go: numbers that a sentence asserts as free quantities, before a plural, a unit or nothing."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from rightreasons.language.number_context_words import GLUED, SPANS, UNITS_SINGULAR
from rightreasons.sets.numerical_sentences import asserting, quantities_of

if TYPE_CHECKING:
    from rightreasons.language.numbers import Number

_FINITE = frozenset(["VBD", "VBZ", "VBP"])
# After an amount of money or a percentage, these would make it an adjective: "$20 shoes".
_NOUNS = frozenset(["NN", "NNS", "NNP", "NNPS", "JJ", "JJR", "JJS", "CD", "VBG", "VBN", "FW"])
_WITHIN_PHRASE = frozenset(["JJ", "NN", "VBN", "VBG", "NNP"])
_PHRASE = 3  # words between a number and its plural, at most
# Before a number, these make it definite, modify it, or give it a name.
_TAGS_BEFORE = "DT PDT PRP$ POS WDT WP$ JJR JJS RB RBR RBS CD NNP NNPS JJ $ # SYM LS"
_BEFORE = frozenset(_TAGS_BEFORE.split())
_FREE_BEFORE = frozenset(["worth", "now", "also", "already", "currently"])
# Words that begin a clause, or a phrase of some things among others: what such a one says, the sentence need not.
_OPENING = (
    "that which who whom whose where when whenever while once until till before after since as than because so though "
    "although some several many most any few"
)
_CLAUSES = frozenset(_OPENING.split())
_OF_TIME = frozenset(["in", "after", "before", "by", "during", "at"])
_CLAUSE = 10  # tokens before a number in which a clause of its own may have begun
_STOPS = frozenset([".", ",", ":", "CC", "IN", "TO", "VBD", "VBZ", "VBP", "RB"])


class Tokens(NamedTuple):
    """The tokens of many texts as lists, and where each text's begin and end."""

    starts: list[int]
    words: list[str]
    tags: list[str | None]
    bounds: list[int]


def token_lists(tokens: pl.DataFrame, texts: int) -> Tokens:
    """Take a table of tokens apart."""
    bounds = np.searchsorted(tokens["row"].to_numpy(), np.arange(texts + 1)).tolist()
    words = tokens["token"].str.to_lowercase().to_list()
    return Tokens(tokens["start"].to_list(), words, tokens["tag"].to_list(), bounds)


def places(texts: pl.Series, tokens: pl.DataFrame) -> list[list[Number]]:
    """List for each sentence the numbers that a comparison can go before."""
    lists = token_lists(tokens, len(texts))
    asserted = texts.to_frame("text").select(asserting(pl.col("text"))).to_series().to_list()
    return [
        free_quantities(text, lists, row) if hopeful else []
        for row, (text, hopeful) in enumerate(zip(texts.to_list(), asserted, strict=True))
    ]


def free_quantities(text: str, tokens: Tokens, row: int) -> list[Number]:
    """List the numbers of one sentence that a comparison can go before."""
    first, last = tokens.bounds[row], tokens.bounds[row + 1]
    found = quantities_of(text)
    if (
        not found
        or first == last
        or tokens.tags[first] == "VB"
        or not _FINITE.intersection(tokens.tags[first:last])
    ):
        return []
    return [number for number in found if _is_free(number, tokens, first, last)]


def _is_free(number: Number, tokens: Tokens, first: int, last: int) -> bool:
    """Judge a number by the tokens around it."""
    here = bisect_left(tokens.starts, number.start, first, last)
    after = bisect_left(tokens.starts, number.end, here, last)
    if here == after or tokens.starts[here] != number.start:
        return False
    return _is_open_before(tokens, first, here) and _is_open_after(number, tokens, here, after, last)


def _is_open_before(tokens: Tokens, first: int, here: int) -> bool:
    """Tell whether a number stands in the main clause, after its verb or at its very start, and nothing modifies it."""
    if here == first:
        return True
    words, tags = tokens.words, tokens.tags
    if tags[here - 1] in _BEFORE and words[here - 1] not in _FREE_BEFORE:
        return False
    if not _FINITE.intersection(tags[first:here]):
        # "A crowd of 40 people"
        return here - first == _PHRASE and words[first] == "a" and words[here - 1] == "of"
    clause = words[max(first, here - _CLAUSE) : here]
    return _CLAUSES.isdisjoint(clause)


def _is_open_after(number: Number, tokens: Tokens, here: int, after: int, last: int) -> bool:
    """Tell whether what follows a number fits a comparison: a plural, a unit, or the end of its phrase."""
    words, tags = tokens.words, tokens.tags
    following = tags[after] if after < last else "."
    if number.style.kind in ("currency", "percent"):
        return following not in _NOUNS
    if "CD" not in tags[here:after]:
        return False
    if following in _STOPS:
        return words[after] in ("of", ".", ",", "and") if after < last else True
    for place in range(after, min(after + _PHRASE, last)):
        if tags[place] == "NNS" or words[place] in GLUED:
            return not (words[place] in SPANS and words[here - 1] in _OF_TIME)
        if tags[place] not in _WITHIN_PHRASE or words[place] in UNITS_SINGULAR:
            return False
    return False
