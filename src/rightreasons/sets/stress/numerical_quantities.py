"""Sentences that assert a free quantity, and the numbers in them that "more than" can precede."""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from rightreasons.language.number_contexts import GLUED, SPANS, UNITS_SINGULAR, find_other_use
from rightreasons.language.numbers import find_numbers
from rightreasons.language.sentences import split_sentences
from rightreasons.sets.stress.numerical_amounts import has_smaller_and_larger

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from rightreasons.language.numbers import Number

SCHEMA = {"id": pl.String, "text": pl.String, "genre": pl.String}
# Words that make a sentence ask, command, suppose, plan, report or deny.
_UNASSERTED = (
    "if unless whether suppose supposing supposed assume assuming assumed let lets given imagine consider find "
    "calculate determine compute evaluate solve how what why would will shall should could can cannot may might must "
    "ought gonna wish wishes wished hope hopes hoped hoping want wants wanted wanting plan plans planned planning "
    "intend intends intended expect expects expected aim aims aimed try tries tried trying decide decides decided "
    "promise promises promised think thinks thought believe believes believed guess guesses guessed estimate estimates "
    "estimated predict predicts predicted say says said saying claim claims claimed tell tells told ask asks asked "
    "dream dreams dreamed goal require requires required allow allows allowed not no never none nobody nothing neither "
    "nor nowhere without hardly barely scarcely rarely seldom except unlikely likely probably possibly maybe perhaps "
    "approximately respectively otherwise instead please either ratio when whenever enough same equal equals "
    "equivalent figure figures figured"
)
_PHRASES = r"\b(?:going|needs?|needed|ha[sd]|have|able|is|are|was|were) to\b|n['\u2019]t\b|['\u2019]ll\b"
_MARKS = r"[?=:;()\[\]{}<>\x22\u201c\u201d|\n\r\t]|``|''"
UNASSERTED = rf"(?i)\b(?:{'|'.join(_UNASSERTED.split())})\b|{_PHRASES}|{_MARKS}"
_SUM = 2  # numbers that may add up to a third
BEGINNING = r"^[\p{Lu}0-9\p{Sc}]"
NUMERIC = (
    r"(?i)[0-9]|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]+teen"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred|thousand|million|billion)\b"
)

_FINITE = frozenset(["VBD", "VBZ", "VBP"])
# Between one of these and a noun stands no verb, whatever the tagger says: "for educational lay programs".
_BEFORE_NOUN = frozenset(["JJ", "JJR", "JJS", "IN", "PRP$"])
_NOUN_TAGS = frozenset(["NN", "NNS", "NNP", "NNPS"])
_ARTICLES = frozenset(["a", "an", "another"])
_INDEFINITE = _ARTICLES | {"one", "someone", "somebody"}
_BARE = frozenset(["NN", "NNS"])
_PRICE_VERBS = frozenset(["cost", "costs", "is", "are", "was", "were"])
_PRONOUNS = frozenset(["PRP", "PRP$"])
_DEFINITE = frozenset(["the", "this", "that", "these", "those"])
_NAMES = frozenset(["NNP", "NNPS"])
_WITHIN_NOUN = frozenset(["DT", "JJ", "CD", *_NOUN_TAGS])
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
_CLAUSE = 10  # tokens before a number in which a subordinate clause may have begun
_COMPARING = frozenset(["more", "less", "fewer"])
_NEAR = 5  # tokens after a number in which these words would compare it
_ENDS = frozenset(["of", ".", ",", "and"])
_PARTS = frozenset(["of"])
_LISTING = frozenset([",", "-", "--", "\u2013", "\u2014"])
_WHEN = frozenset(["last", "next"])
_SAME_PLURAL = GLUED | {"fish", "deer", "sheep", "dozen"}
_STOPS = frozenset([".", ",", ":", "CC", "IN", "TO", "VBD", "VBZ", "VBP", "RB"])


def split_into_sentences(texts: pl.DataFrame, *, problems_only: bool = False) -> pl.DataFrame:
    """Split texts into their sentences: id, text, genre; the id of a text of several sentences gets their number.

    With `problems_only` texts that are no word problems, which have an answer, are taken for sentences as they are.
    """
    ids, parts, genres = [], [], []
    answer = pl.col("answer") if problems_only else pl.lit("")
    for own, text, genre, known in texts.select("id", "text", "genre", answer.alias("answer")).iter_rows():
        spans = split_sentences(text) if known is not None else [(0, len(text))]
        for number, (start, end) in enumerate(spans, start=1):
            ids.append(_make_sentence_id(own, number, len(spans)))
            parts.append(text[start:end])
            genres.append(genre)
    table = pl.DataFrame({"id": ids, "text": parts, "genre": genres}, schema=SCHEMA)
    # Of sentences that occur again, the one with the first id stays, whatever their order.
    first = table.with_row_index("row").sort("id").unique("text", keep="first", maintain_order=True)
    return first.sort("row").drop("row")


def _make_sentence_id(own: str, number: int, of: int) -> str:
    """Return the id of a sentence; a single one has the id of its text, unless that looks like a numbered id."""
    _, mark, last = own.rpartition("#")
    return own if of == 1 and not (mark and last.isdigit()) else f"{own}#{number}"


def may_assert_quantity(text: pl.Expr) -> pl.Expr:
    """Return whether the words of a sentence allow it to assert a quantity."""
    return text.str.contains(BEGINNING) & text.str.contains(NUMERIC) & ~text.str.contains(UNASSERTED)


# Called twice for every sentence: before it is tagged, and after.
@lru_cache(maxsize=1 << 15)
def list_free_quantities(text: str) -> tuple[Number, ...]:
    """List the numbers of a sentence that are free quantities by the words around them and can grow or shrink."""
    candidates = find_numbers(text)
    total = sum(one.millionths for one in candidates) if len(candidates) > _SUM else None
    return tuple(
        number
        for which, number in enumerate(candidates)
        if any(has_smaller_and_larger(number))
        and find_other_use(text, candidates, which) is None
        # Where the other numbers add up to one, it would still follow from them.
        and (total is None or 2 * number.millionths != total)
    )


def filter_sentences_with_quantities(table: pl.DataFrame) -> pl.DataFrame:
    """Keep the sentences that their words don't rule out: only these are worth tagging."""
    asserted = table.filter(may_assert_quantity(pl.col("text")))
    return asserted.filter([bool(list_free_quantities(text)) for text in asserted["text"]])


def find_finite_verb(tags: Sequence[str | None]) -> int | None:
    """Find the first finite verb of a sentence by the tags of its tokens."""
    verbs = (
        place for place, tag in enumerate(tags) if tag in _FINITE and not _is_within_noun_phrase(tags, place)
    )
    return next(verbs, None)


def _is_within_noun_phrase(tags: Sequence[str | None], place: int) -> bool:
    """Return whether a token stands where only an adjective or a noun can."""
    return 0 < place < len(tags) - 1 and tags[place - 1] in _BEFORE_NOUN and tags[place + 1] in _NOUN_TAGS


def has_indefinite_subject(words: Sequence[str], tags: Sequence[str | None], verb: int) -> bool:
    """Return whether a subject may be another each time: "A snake is 16 inches long"; words are in lower case."""
    if words[0] == "there":
        # "There is a total of 40 trees" is about all of them.
        return not _ARTICLES.isdisjoint(words[verb + 1 : verb + 2]) and words[verb + 2 : verb + 3] != [
            "total"
        ]
    if words[0] not in _INDEFINITE:
        return False
    return list(words[:2]) == ["one", "of"] or not _has_definite_anchor(words, tags, verb)


def is_generic_price(words: Sequence[str], tags: Sequence[str | None], verb: int) -> bool:
    """Return whether a sentence names the price of things in general: "Pencils cost $3"; words are in lower case."""
    return tags[0] in _BARE and words[verb] in _PRICE_VERBS and not _has_definite_anchor(words, tags, verb)


def _has_definite_anchor(words: Sequence[str], tags: Sequence[str | None], verb: int) -> bool:
    """Return whether a name, a pronoun or something definite before the verb says which one is meant."""
    return any(
        tags[place] in _PRONOUNS
        or words[place] in _DEFINITE
        # "A shop in Oslo", and no "an NGO".
        or (tags[place] in _NAMES and tags[place - 1] not in _WITHIN_NOUN)
        for place in range(1, verb)
    )


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


def convert_tokens_to_lists(tokens: pl.DataFrame, texts: int, rows: NDArray[np.int64]) -> TokenLists:
    """Return the tokens of the given rows as lists."""
    wanted = np.zeros(texts, dtype=np.bool_)
    wanted[rows] = True
    selected = tokens.select("row", "start", "token", "tag").filter(
        pl.Series(wanted[tokens["row"].to_numpy()])
    )
    bounds = np.append(np.searchsorted(selected["row"].to_numpy(), rows), selected.height).tolist()
    words = selected["token"].str.to_lowercase().to_list()
    return TokenLists(selected["start"].to_list(), words, selected["tag"].to_list(), bounds)


def find_comparable_numbers(texts: pl.Series, tokens: pl.DataFrame) -> dict[int, list[Number]]:
    """Find the numbers that a comparison can precede, by row of the sentence."""
    asserted = texts.to_frame("text").select(may_assert_quantity(pl.col("text")).arg_true()).to_series()
    lists = convert_tokens_to_lists(tokens, len(texts), asserted.to_numpy().astype(np.int64))
    judged = (
        find_comparable_numbers_in_sentence(text, lists, place)
        for place, text in enumerate(texts[asserted].to_list())
    )
    return {row: numbers for row, numbers in zip(asserted.to_list(), judged, strict=True) if numbers}


def find_comparable_numbers_in_sentence(text: str, tokens: TokenLists, place: int) -> list[Number]:
    """List the numbers of one sentence that a comparison can precede."""
    part = slice(tokens.bounds[place], tokens.bounds[place + 1])
    tags = tokens.tags[part]
    verb = find_finite_verb(tags)
    if verb is None or tags[0] == "VB":
        return []
    sentence = TokenizedSentence(tokens.starts[part], tokens.words[part], tags, verb)
    free = [
        number
        for number in _drop_numbers_of_indefinites(list_free_quantities(text), sentence)
        if _is_free_quantity(number, sentence)
    ]
    return [number for number in free if all(has_smaller_and_larger(number))] or _drop_numbers_before_lists(
        free, sentence
    )


def _drop_numbers_of_indefinites(numbers: Sequence[Number], sentence: TokenizedSentence) -> Sequence[Number]:
    """Drop numbers said of an indefinite subject."""
    starts, words, tags, verb = sentence
    if has_indefinite_subject(words, tags, verb):
        return [number for number in numbers if number.start < starts[verb]]
    if is_generic_price(words, tags, verb):
        return [number for number in numbers if number.style.kind != "currency"]
    return numbers


def _drop_numbers_before_lists(numbers: list[Number], sentence: TokenizedSentence) -> list[Number]:
    """Drop numbers at the start, and those that a list may follow: "two pets, a hare and a turtle"."""
    marks = (start for start, word in zip(sentence.starts, sentence.words, strict=True) if word in _LISTING)
    last = max(marks, default=0)
    return [number for number in numbers if number.start > last]


def _is_free_quantity(number: Number, sentence: TokenizedSentence) -> bool:
    """Return whether the tokens around a number leave it free."""
    here = bisect_left(sentence.starts, number.start)
    after = bisect_left(sentence.starts, number.end, here)
    if here == after or sentence.starts[here] != number.start:
        return False
    return _fits_comparison_before(sentence, here) and _fits_comparison_after(number, sentence, here, after)


def _fits_comparison_before(sentence: TokenizedSentence, here: int) -> bool:
    """Return whether a number is unmodified in the main clause, after its verb or at the very start."""
    if here == 0:
        return True
    _, words, tags, verb = sentence
    if tags[here - 1] in _BEFORE and words[here - 1] not in _FREE_BEFORE:
        return False
    if here <= verb:
        # "A crowd of 40 people"
        return here == len(_CROWD) and words[:here] in _CROWDS
    return _CLAUSES.isdisjoint(words[max(0, here - _CLAUSE) : here])


def _fits_comparison_after(number: Number, sentence: TokenizedSentence, here: int, after: int) -> bool:
    """Return whether what follows a number fits a comparison: a plural, a unit, or the end of its phrase."""
    _, words, tags, _ = sentence
    if not _COMPARING.isdisjoint(words[after : after + _NEAR]):
        return False
    word, tag = (words[after], tags[after]) if after < len(words) else (".", ".")
    if number.style.kind in ("currency", "percent"):
        return tag not in _NOUNS or word in _WHEN
    if tag in _STOPS:
        # "5 dollars a hundred"
        return tags[here] != "DT" and word in (_ENDS if here else _PARTS)
    plural = _find_counted_plural(words[after : after + _PHRASE], tags[after : after + _PHRASE])
    # "In 5 days" says when something was, and not how long it took.
    return plural is not None and not (plural in SPANS and (here == 0 or words[here - 1] in _OF_TIME))


def _find_counted_plural(words: list[str], tags: list[str | None]) -> str | None:
    """Find the plural or unit that a number counts, if only what describes it comes before."""
    for word, tag in zip(words, tags, strict=True):
        if tag == "NNS" or word in _SAME_PLURAL:
            return word
        if tag not in _WITHIN_PHRASE or word in UNITS_SINGULAR:
            return None
    return None
