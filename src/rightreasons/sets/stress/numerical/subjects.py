"""The first verb of a sentence, and subjects of which nothing says which one they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_FINITE = frozenset(["VBD", "VBZ", "VBP"])
# Between one of these and a noun stands no verb, whatever the tagger says: "for educational lay programs".
_BEFORE_NOUN = frozenset(["JJ", "JJR", "JJS", "IN", "PRP$"])
_NOUNS = frozenset(["NN", "NNS", "NNP", "NNPS"])
_ARTICLES = frozenset(["a", "an", "another"])
_INDEFINITE = _ARTICLES | {"one", "someone", "somebody"}
_BARE = frozenset(["NN", "NNS"])
_PRICE_VERBS = frozenset(["cost", "costs", "is", "are", "was", "were"])
_PRONOUNS = frozenset(["PRP", "PRP$"])
_DEFINITE = frozenset(["the", "this", "that", "these", "those"])
_NAMES = frozenset(["NNP", "NNPS"])
_WITHIN_NOUN = frozenset(["DT", "JJ", "CD", *_NOUNS])


def finite_verb(tags: Sequence[str | None]) -> int | None:
    """Find the first finite verb of a sentence by the tags of its tokens."""
    verbs = (place for place, tag in enumerate(tags) if tag in _FINITE and not _is_within_phrase(tags, place))
    return next(verbs, None)


def _is_within_phrase(tags: Sequence[str | None], place: int) -> bool:
    """Tell whether a token stands where only an adjective or a noun can."""
    return 0 < place < len(tags) - 1 and tags[place - 1] in _BEFORE_NOUN and tags[place + 1] in _NOUNS


def is_indefinite(words: Sequence[str], tags: Sequence[str | None], verb: int) -> bool:
    """Tell whether a subject may be another each time: "A snake is 16 inches long"; words are in lower case."""
    if words[0] == "there":
        # "There is a total of 40 trees" is about all of them.
        return not _ARTICLES.isdisjoint(words[verb + 1 : verb + 2]) and words[verb + 2 : verb + 3] != [
            "total"
        ]
    if words[0] not in _INDEFINITE:
        return False
    return list(words[:2]) == ["one", "of"] or not _is_anchored(words, tags, verb)


def is_generic_price(words: Sequence[str], tags: Sequence[str | None], verb: int) -> bool:
    """Tell whether a sentence names the price of things in general: "Pencils cost $3"; words are in lower case."""
    return tags[0] in _BARE and words[verb] in _PRICE_VERBS and not _is_anchored(words, tags, verb)


def _is_anchored(words: Sequence[str], tags: Sequence[str | None], verb: int) -> bool:
    """Tell whether a name, a pronoun or something definite before the verb says which one is meant."""
    return any(
        tags[place] in _PRONOUNS
        or words[place] in _DEFINITE
        # "A shop in Oslo", and no "an NGO".
        or (tags[place] in _NAMES and tags[place - 1] not in _WITHIN_NOUN)
        for place in range(1, verb)
    )
