"""Antonymy as it should be: whole words in safe places, in their own sense, with number, degree and article right."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from rightreasons.core.keyed_random import below, draws, further
from rightreasons.language.inflection import article, graded, is_plural, pluralise, with_case_of
from rightreasons.language.senses import context_words
from rightreasons.sets.stress.antonymy.contexts import (
    Token,
    is_counted,
    is_main,
    is_plain,
    is_plain_clause,
    sentences,
)
from rightreasons.sets.stress.antonymy.frames import adjective_frame, noun_frame
from rightreasons.sets.stress.antonymy.lexicon import TAGS, Antonym, Which, chosen_sense, word

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rightreasons.language.wordnet import WordNet

EDITS = {
    "row": pl.UInt32,
    "edit_at": pl.Int64,
    "edit_from": pl.String,
    "edit_to": pl.String,
    "word": pl.String,
    "antonym": pl.String,
    "synset": pl.String,
    "antonym_type": pl.String,
    "position": pl.Int64,
    "subcase": pl.String,
}
_SUBCASES = {"n": "noun", "a": "adjective"}
_CONCRETE = frozenset(
    f"noun.{kind}" for kind in ("animal", "artifact", "body", "food", "location", "object", "person", "plant")
)
_IN_COMPOUND = ("NN", "NNS", "NNP", "JJ", "VBG")
_TIES = frozenset("-/_&\u2010\u2011")
_SHARE = "minority"  # one has the majority of them, but a minority
_QUOTES = frozenset("'\"`\u2018\u201c")


class ReplaceableWord(NamedTuple):
    """A word of a text that may be replaced: where it stands, its sense, and what may stand there instead."""

    row: int
    position: int
    synset: str
    token: Token
    before: Token | None
    after: str
    entries: list[Antonym]


def edits(
    texts: pl.Series,
    tokens: pl.DataFrame,
    *,
    key: tuple[str | int, ...],
    which: Which,
    every: bool,
    wordnet: WordNet,
) -> pl.DataFrame:
    """List the edits of texts, given their tokens: one for each word that has one, or for one word of each text.

    Choices depend on the key, the text and the place of the word in it.
    """
    found = list(_all_found(texts, tokens, which, wordnet))
    drawn = draws((f"{texts[one.row]}\x1f{one.position}" for one in found), *key)
    counts = np.array([len(one.entries) for one in found], dtype=np.int64)
    which_entry = below(further(drawn, 0), counts)
    made = [
        _edit(texts[one.row], one, one.entries[i], wordnet) for one, i in zip(found, which_entry, strict=True)
    ]
    table = pl.DataFrame(made, schema=EDITS, orient="row").with_columns(pl.Series("drawn", drawn))
    if not every:
        table = table.filter(pl.col("drawn") == pl.col("drawn").min().over("row")).unique("row", keep="first")
    return table.sort("row", "position").drop("drawn")


def _all_found(
    texts: pl.Series, tokens: pl.DataFrame, which: Which, wordnet: WordNet
) -> Iterator[ReplaceableWord]:
    """Go through the texts that have a word with an antonym; most have none, and are left alone."""
    named = tokens.with_columns(pl.col("token").str.to_lowercase().alias("lower"))
    kinds = named.select("lower", "tag").filter(pl.col("tag").is_in(list(TAGS))).unique()
    live = [kind for kind in kinds.iter_rows() if word(*kind, which, wordnet)]
    wanted = pl.DataFrame(live, schema={"lower": pl.String, "tag": pl.String}, orient="row")
    rows = named.join(wanted, on=["lower", "tag"], how="semi")["row"].unique()
    columns = ("start", "end", "token", "tag", "lower")
    taken = named.filter(pl.col("row").is_in(rows.implode())).with_columns(pl.col("tag").fill_null(""))
    for row, *lists in taken.group_by("row", maintain_order=True).agg(*columns).iter_rows():
        yield from _of_text(
            row, texts[row], [Token(*one) for one in zip(*lists, strict=True)], which, wordnet
        )


def _of_text(
    row: int, text: str, tokens: list[Token], which: Which, wordnet: WordNet
) -> Iterator[ReplaceableWord]:
    position = 0
    for sentence in sentences(tokens):
        plain: bool | None = None
        for at, token in enumerate(sentence):
            known = word(token.lower, token.tag, which, wordnet) if token.tag in TAGS else None
            if known is None:
                continue
            plain = is_plain(sentence) if plain is None else plain
            fitting = _fitting(known.entries, sentence, at, wordnet) if plain else []
            if not fitting or not _is_safe(text, sentence, at, wordnet):
                continue
            around = context_words((other.text for other in tokens), token.lower)
            synset, reaching = chosen_sense(known, around, wordnet)
            entries = [
                one for one in fitting if one in reaching and not _is_there(one, tokens, token, wordnet)
            ]
            if entries:
                before = sentence[at - 1] if at else None
                yield ReplaceableWord(
                    row, position + at, synset.key, token, before, _after(sentence, at), entries
                )
        position += len(sentence)


def _is_safe(text: str, sentence: Sequence[Token], at: int, wordnet: WordNet) -> bool:
    """Tell whether what the sentence says with a word is asserted of one definite thing."""
    asserted = is_plain_clause(sentence, at) and is_main(sentence, at) and not is_counted(sentence, at)
    return asserted and _stands_alone(text, sentence, at, wordnet)


def _fitting(
    entries: Sequence[Antonym], sentence: Sequence[Token], at: int, wordnet: WordNet
) -> list[Antonym]:
    """Keep the entries that are good where the word stands; one may have a small door, and a large one."""
    find = noun_frame if TAGS[sentence[at].tag] == "n" else adjective_frame
    frame = find(sentence, at)
    after = _after(sentence, at)
    if frame is None or (frame == "have" and _is_concrete(sentence[at + 1 :], wordnet)):
        return []
    return [one for one in entries if one.fits(frame, after)]


def _after(sentence: Sequence[Token], at: int) -> str:
    return sentence[at + 1].lower if at + 1 < len(sentence) else ""


def _is_concrete(after: Sequence[Token], wordnet: WordNet) -> bool:
    """Tell whether a thing that one may have two of follows, by itself or in a compound: a door, a swimming pool."""
    named = takewhile(lambda token: token.tag in _IN_COMPOUND, after)
    senses = (wordnet.synsets(token.lower, "n") for token in named)
    return any(found and found[0].lexfile in _CONCRETE for found in senses)


def _stands_alone(text: str, sentence: Sequence[Token], at: int, wordnet: WordNet) -> bool:
    """Refuse words tied to a neighbour, by a hyphen or as a set phrase of WordNet, and words in quotes of their own."""
    token = sentence[at]
    left, right = text[token.start - 1 : token.start], text[token.end : token.end + 1]
    if left in _TIES or left in _QUOTES or right in _TIES:
        return False
    near = (sentence[at - 1].lower if at else "", _after(sentence, at))
    phrases = (f"{near[0]}_{token.lower}", f"{near[0]}-{token.lower}", f"{token.lower}_{near[1]}")
    return not any(wordnet.has(phrase, pos) for phrase in phrases for pos in ("n", "a"))


def _is_there(entry: Antonym, tokens: Sequence[Token], token: Token, wordnet: WordNet) -> bool:
    """Tell whether the text has the antonym already, as in old and new, the word twice, or what agrees with it."""
    form = _form(entry, token, wordnet)
    words = [other.lower for other in tokens]
    return (
        form in words
        or entry.antonym in words
        or words.count(token.lower) > 1
        or not entry.not_with.isdisjoint(words)
    )


def _form(entry: Antonym, token: Token, wordnet: WordNet) -> str:
    """Give the antonym the number or the degree that the word has."""
    if is_plural(token.tag):
        return pluralise(entry.antonym, wordnet)
    return entry.antonym if entry.lemma == token.lower else graded(entry.antonym, token.tag)


def _edit(text: str, found: ReplaceableWord, entry: Antonym, wordnet: WordNet) -> tuple[object, ...]:
    """Write the edit: the word, and the article before it where the new word wants the other one."""
    token, start = found.token, found.token.start
    form = _form(entry, token, wordnet)
    new = with_case_of(token.text, form)
    before = found.before
    if before is not None and _wants_article(before.lower, form, found.after):
        start = before.start
        shown = with_case_of(
            token.text if len(token.text) > 1 and token.text.isupper() else before.text, article(form)
        )
        new = f"{shown}{text[before.end : token.start]}{new}"
    tags = (token.lower, form, found.synset, entry.kind, found.position, _SUBCASES[TAGS[token.tag]])
    return (found.row, start, text[start : token.end], new, *tags)


def _wants_article(before: str, form: str, after: str) -> bool:
    """Tell whether a word wants a or an, and another article stands before it."""
    indefinite = before in ("a", "an") or (before == "the" and form == _SHARE and after == "of")
    return indefinite and before != article(form)
