"""Where "more than" can go: numbers that a sentence asserts as free quantities, before a plural, a unit or nothing."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from rightreasons.language.number_context_words import GLUED, SPANS, UNITS_SINGULAR
from rightreasons.sets.stress.numerical.magnitudes import room
from rightreasons.sets.stress.numerical.sentences import asserting, quantities_of
from rightreasons.sets.stress.numerical.subjects import finite_verb, is_generic_price, is_indefinite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from rightreasons.language.numbers import Number

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
    "although some several many most any another few only just even least"
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
_LISTING = frozenset([",", "-", "--", "\u2013", "\u2014"])
_WHEN = frozenset(["last", "next"])
_SAME_PLURAL = GLUED | {"fish", "deer", "sheep", "dozen"}
_STOPS = frozenset([".", ",", ":", "CC", "IN", "TO", "VBD", "VBZ", "VBP", "RB"])


class TokenLists(NamedTuple):
    """The tokens of many texts as lists, and where each text's begin and end."""

    starts: list[int]
    words: list[str]
    tags: list[str | None]
    bounds: list[int]


class TokenizedSentence(NamedTuple):
    """The tokens of one text, and which of them is its verb."""

    starts: list[int]
    words: list[str]
    tags: list[str | None]
    verb: int


def token_lists(tokens: pl.DataFrame, texts: int, rows: NDArray[np.int64]) -> TokenLists:
    """Take a table of tokens of texts apart, as far as they are those of the given rows."""
    wanted = np.zeros(texts, dtype=np.bool_)
    wanted[rows] = True
    kept = tokens.select("row", "start", "token", "tag").filter(pl.Series(wanted[tokens["row"].to_numpy()]))
    bounds = np.append(np.searchsorted(kept["row"].to_numpy(), rows), kept.height).tolist()
    words = kept["token"].str.to_lowercase().to_list()
    return TokenLists(kept["start"].to_list(), words, kept["tag"].to_list(), bounds)


def places(texts: pl.Series, tokens: pl.DataFrame) -> dict[int, list[Number]]:
    """Find the sentences with numbers that a comparison can go before, and list these."""
    asserted = texts.to_frame("text").select(asserting(pl.col("text")).arg_true()).to_series()
    lists = token_lists(tokens, len(texts), asserted.to_numpy().astype(np.int64))
    judged = (free_quantities(text, lists, place) for place, text in enumerate(texts[asserted].to_list()))
    return {row: found for row, found in zip(asserted.to_list(), judged, strict=True) if found}


def free_quantities(text: str, tokens: TokenLists, place: int) -> list[Number]:
    """List the numbers of one sentence that a comparison can go before."""
    part = slice(tokens.bounds[place], tokens.bounds[place + 1])
    tags = tokens.tags[part]
    verb = finite_verb(tags)
    if verb is None or tags[0] == "VB":
        return []
    sentence = TokenizedSentence(tokens.starts[part], tokens.words[part], tags, verb)
    free = [number for number in _of_one_subject(quantities_of(text), sentence) if _is_free(number, sentence)]
    return [number for number in free if all(room(number))] or _unlisted(free, sentence)


def _of_one_subject(found: Sequence[Number], sentence: TokenizedSentence) -> Sequence[Number]:
    """Leave out what a sentence says of a subject that may be another each time."""
    starts, words, tags, verb = sentence
    if is_indefinite(words, tags, verb):
        return [number for number in found if number.start < starts[verb]]
    if is_generic_price(words, tags, verb):
        return [number for number in found if number.style.kind != "currency"]
    return found


def _unlisted(found: list[Number], sentence: TokenizedSentence) -> list[Number]:
    """Leave out numbers at the start, and those that a list may follow: "two pets, a hare and a turtle"."""
    marks = (start for start, word in zip(sentence.starts, sentence.words, strict=True) if word in _LISTING)
    last = max(marks, default=0)
    return [number for number in found if number.start > last]


def _is_free(number: Number, sentence: TokenizedSentence) -> bool:
    """Judge a number by the tokens around it."""
    here = bisect_left(sentence.starts, number.start)
    after = bisect_left(sentence.starts, number.end, here)
    if here == after or sentence.starts[here] != number.start:
        return False
    return _is_open_before(sentence, here) and _is_open_after(number, sentence, here, after)


def _is_open_before(sentence: TokenizedSentence, here: int) -> bool:
    """Tell whether a number stands in the main clause, after its verb or at its very start, and nothing modifies it."""
    if here == 0:
        return True
    _, words, tags, verb = sentence
    if tags[here - 1] in _BEFORE and words[here - 1] not in _FREE_BEFORE:
        return False
    if here <= verb:
        # "A crowd of 40 people"
        return here == len(_CROWD) and words[:here] in _CROWDS
    return _CLAUSES.isdisjoint(words[max(0, here - _CLAUSE) : here])


def _is_open_after(number: Number, sentence: TokenizedSentence, here: int, after: int) -> bool:
    """Tell whether what follows a number fits a comparison: a plural, a unit, or the end of its phrase."""
    _, words, tags, _ = sentence
    if not _COMPARING.isdisjoint(words[after : after + _NEAR]):
        return False
    word, tag = (words[after], tags[after]) if after < len(words) else (".", ".")
    if number.style.kind in ("currency", "percent"):
        return tag not in _NOUNS or word in _WHEN
    if tag in _STOPS:
        # "5 dollars a hundred"
        return tags[here] != "DT" and word in (_ENDS if here else _PARTS)
    plural = _plural(words[after : after + _PHRASE], tags[after : after + _PHRASE])
    # "In 5 days" says when something was, and not how long it took.
    return plural is not None and not (plural in SPANS and (here == 0 or words[here - 1] in _OF_TIME))


def _plural(words: list[str], tags: list[str | None]) -> str | None:
    """Find the plural or unit that a number counts, if only what describes it comes before."""
    for word, tag in zip(words, tags, strict=True):
        if tag == "NNS" or word in _SAME_PLURAL:
            return word
        if tag not in _WITHIN_PHRASE or word in UNITS_SINGULAR:
            return None
    return None
