"""Antonymy as it was released: every antonym of every lemma of the sense, put in for the first like substring."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.language.senses import Tie, best, candidates
from rightreasons.sets.stress.antonymy.edits import EDITS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rightreasons.language.wordnet import Synset, WordNet

_SKIPPED = """
    here goodness yes no decision growing priority cheers volume right left goods addition income indecision there
    parent being parents lord lady put capital lowercase unions
"""
SKIPPED = frozenset(_SKIPPED.split())
_KINDS = ("n", "s")  # nouns and satellite adjectives
_DROPPED = "civilian"


def released_edits(texts: pl.Series, tokens: pl.DataFrame, *, tie: Tie, wordnet: WordNet) -> pl.DataFrame:
    """List what the released code would write into the texts; tokens are those of the same texts."""
    lower = tokens.select("row", pl.col("token").str.to_lowercase())
    live = [word for word in lower["token"].unique().to_list() if _may_change(word, wordnet)]
    touched = lower.filter(pl.col("token").is_in(live))["row"].unique()
    contexts = (
        lower.filter(pl.col("row").is_in(touched.implode())).group_by("row", maintain_order=True).agg("token")
    )
    found = [
        (row, *edit)
        for row, words in contexts.iter_rows()
        for edit in _of_text(texts[row], words, frozenset(live), tie, wordnet)
    ]
    return pl.DataFrame(found, schema=EDITS, orient="row")


def _of_text(
    text: str, words: Sequence[str], live: frozenset[str], tie: Tie, wordnet: WordNet
) -> Iterator[tuple[int, str, str, str, str, str, None, int, str]]:
    context = set(words)
    for position, word in enumerate(words):
        if word not in live:
            continue
        synset = best(context, candidates(word, None, tie, wordnet))
        at = text.find(word)
        for antonym in _antonyms(synset) if at >= 0 else ():
            yield at, word, antonym, word, antonym, synset.key, None, position, _subcase(synset)


@lru_cache(maxsize=1 << 16)
def _may_change(word: str, wordnet: WordNet) -> bool:
    """Tell whether any sense of a word could give an antonym: most words have none, and need no Lesk."""
    return word not in SKIPPED and any(_antonyms(one) for pos in _KINDS for one in wordnet.synsets(word, pos))


def _antonyms(synset: Synset) -> tuple[str, ...]:
    """List the antonyms of all lemmas of a noun or satellite sense: heads were left out."""
    if synset.pos not in _KINDS or not synset.antonyms:
        return ()
    names = dict.fromkeys(antonym for _, antonym, _ in synset.antonyms)
    return tuple(name for name in names if "_" not in name and name != _DROPPED)


def _subcase(synset: Synset) -> str:
    return "noun" if synset.pos == "n" else "adjective"
