"""Where "more than" can go: numbers that a sentence asserts as free quantities, before a plural, a unit or nothing."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from rightreasons.language.number_context_words import GLUED, SPANS, UNITS_SINGULAR
from rightreasons.sets.numerical_sentences import asserting, quantities_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
    "although some several many most any few only just even least"
)
_CLAUSES = frozenset(_OPENING.split())
_CROWD = ("a", "crowd", "of")
_CROWDS = [["a", noun, "of"] for noun in ("crowd", "group", "total", "team")]
_OF_TIME = frozenset(["in", "after", "before", "by", "during", "at"])
_CLAUSE = 10  # tokens before a number in which a clause of its own may have begun
_COMPARING = frozenset(["more", "less", "fewer"])
_NEAR = 5  # tokens after a number in which these words would compare it
_ENDS = frozenset(["of", ".", ",", "and"])
_PARTS = frozenset(["of"])
_SAME_PLURAL = GLUED | {"fish", "deer", "sheep", "dozen"}
_STOPS = frozenset([".", ",", ":", "CC", "IN", "TO", "VBD", "VBZ", "VBP", "RB"])


class Tokens(NamedTuple):
    """The tokens of many texts as lists, and where each text's begin and end."""

    starts: list[int]
    words: list[str]
    tags: list[str | None]
    bounds: list[int]


def token_lists(tokens: pl.DataFrame, texts: int, rows: NDArray[np.int64]) -> Tokens:
    """Take a table of tokens of texts apart, as far as they are those of the given rows."""
    wanted = np.zeros(texts, dtype=np.bool_)
    wanted[rows] = True
    kept = tokens.select("row", "start", "token", "tag").filter(pl.Series(wanted[tokens["row"].to_numpy()]))
    bounds = np.append(np.searchsorted(kept["row"].to_numpy(), rows), kept.height).tolist()
    words = kept["token"].str.to_lowercase().to_list()
    return Tokens(kept["start"].to_list(), words, kept["tag"].to_list(), bounds)


def places(texts: pl.Series, tokens: pl.DataFrame) -> dict[int, list[Number]]:
    """Find the sentences with numbers that a comparison can go before, and list these."""
    asserted = texts.to_frame("text").select(asserting(pl.col("text")).arg_true()).to_series()
    lists = token_lists(tokens, len(texts), asserted.to_numpy().astype(np.int64))
    judged = (free_quantities(text, lists, place) for place, text in enumerate(texts[asserted].to_list()))
    return {row: found for row, found in zip(asserted.to_list(), judged, strict=True) if found}


def free_quantities(text: str, tokens: Tokens, place: int) -> list[Number]:
    """List the numbers of one sentence that a comparison can go before."""
    first, last = tokens.bounds[place], tokens.bounds[place + 1]
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
    return _is_open_before(tokens, first, here) and _is_open_after(
        number, tokens, here, after, last, is_first=here == first
    )


def _is_open_before(tokens: Tokens, first: int, here: int) -> bool:
    """Tell whether a number stands in the main clause, after its verb or at its very start, and nothing modifies it."""
    if here == first:
        return True
    words, tags = tokens.words, tokens.tags
    if tags[here - 1] in _BEFORE and words[here - 1] not in _FREE_BEFORE:
        return False
    if not _FINITE.intersection(tags[first:here]):
        # "A crowd of 40 people"
        return here - first == len(_CROWD) and words[first:here] in _CROWDS
    clause = words[max(first, here - _CLAUSE) : here]
    return _CLAUSES.isdisjoint(clause)


def _is_open_after(
    number: Number, tokens: Tokens, here: int, after: int, last: int, *, is_first: bool
) -> bool:
    """Tell whether what follows a number fits a comparison: a plural, a unit, or the end of its phrase."""
    words, tags = tokens.words, tokens.tags
    if not _COMPARING.isdisjoint(words[after : min(after + _NEAR, last)]):
        return False
    following = tags[after] if after < last else "."
    if number.style.kind in ("currency", "percent"):
        return following not in _NOUNS
    if following in _STOPS:
        return (words[after] if after < last else ".") in (_ENDS if not is_first else _PARTS)
    plural = _plural(tokens, after, min(after + _PHRASE, last))
    # "In 5 days" says when something was, and not how long it took.
    return plural is not None and not (plural in SPANS and (is_first or words[here - 1] in _OF_TIME))


def _plural(tokens: Tokens, start: int, stop: int) -> str | None:
    """Find the plural or unit that a number counts, if only what describes it comes before."""
    for place in range(start, stop):
        word, tag = tokens.words[place], tokens.tags[place]
        if tag == "NNS" or word in _SAME_PLURAL:
            return word
        if tag not in _WITHIN_PHRASE or word in UNITS_SINGULAR:
            return None
    return None
