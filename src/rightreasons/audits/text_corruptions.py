"""Corruptions of pairs: words shuffled, word classes deleted, a text removed or exchanged for that of another pair.

A corruption is a function of pairs and a seed; it changes the texts alone. Random choices depend on the seed and the
text, not on the order of the pairs.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons.core.keyed_random import draw_numbers
from rightreasons.core.pairs import TEXTS
from rightreasons.language.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Corrupt = Callable[[pl.DataFrame, int], pl.DataFrame]

EMPTY_TEXT = "."  # models refuse texts without any character
# Penn tags; a modal is a function word, and not is an adverb.
WORD_CLASSES = {
    "nouns": ("NN", "NNS", "NNP", "NNPS"),
    "verbs": ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ"),
    "adjectives": ("JJ", "JJR", "JJS"),
    "adverbs": ("RB", "RBR", "RBS"),
    "function-words": (
        *("CC", "DT", "EX", "IN", "MD", "PDT", "POS", "PRP", "PRP$"),
        *("RP", "TO", "WDT", "WP", "WP$", "WRB"),
    ),
}
# A word, with the punctuation before and after it.
_WORD = re.compile(r"(\W*)(.*?)(\W*)", re.DOTALL)


def _shuffle_words(pairs: pl.DataFrame, seed: int) -> pl.DataFrame:
    return pairs.with_columns(
        pl.Series(name, [shuffle_text(text, seed) for text in pairs[name]], dtype=pl.String) for name in TEXTS
    )


def shuffle_text(text: str, seed: int) -> str:
    """Put the words of a text in another order, at random; punctuation stays where it is."""
    parts = [match.groups() for match in map(_WORD.fullmatch, text.split()) if match]
    words = [word for _, word, _ in parts if word]
    if len(set(words)) < 2:  # noqa: PLR2004 - one word has a single order
        return text
    order = np.argsort(draw_numbers(map(str, range(len(words))), "shuffle", seed, text), kind="stable")
    shuffled = [words[place] for place in order]
    if shuffled == words:
        shuffled = [*words[1:], *words[:1]]
    drawn = iter(shuffled)
    return " ".join(before + (next(drawn) if word else "") + after for before, word, after in parts)


def _delete_words(pairs: pl.DataFrame, seed: int, *, tags: tuple[str, ...]) -> pl.DataFrame:
    del seed
    return pairs.with_columns(delete_tagged_words(pairs[name], tags) for name in TEXTS)


def delete_tagged_words(texts: pl.Series, tags: tuple[str, ...]) -> pl.Series:
    """Delete the words that a tagger gives one of these tags; other texts stay as they are."""
    is_deleted = pl.col("tag").is_in(tags) & pl.col("token").str.contains(r"\w")
    table = tokens(texts).with_columns(
        # What has no space inside, such as do and n't, or a word and the stop after it.
        chunk=(pl.col("start") > pl.col("end").shift(1, fill_value=0).over("row")).cum_sum().over("row"),
        deleted=is_deleted,
    )
    chunks = table.group_by("row", "chunk", maintain_order=True).agg(
        pl.col("deleted").any().alias("cut"), text=pl.col("token").filter(~pl.col("deleted")).str.join("")
    )
    # Punctuation that has lost its word stays with the word before.
    is_attached = pl.col("cut") & ~pl.col("text").str.contains(r"\w")
    pieces = chunks.with_columns(
        text=pl.when(is_attached).then("text").otherwise(pl.lit(" ") + pl.col("text"))
    )
    joined = pieces.group_by("row", maintain_order=True).agg(
        pl.col("cut").any(), text=pl.col("text").str.join("").str.strip_chars()
    )
    new = joined.filter("cut").select(
        "row", new=pl.when(pl.col("text").str.contains(r"\w")).then("text").otherwise(pl.lit(EMPTY_TEXT))
    )
    old = texts.to_frame("old").with_row_index("row").join(new, on="row", how="left", maintain_order="left")
    return old.select(pl.coalesce("new", "old").alias(texts.name)).to_series()


def _remove_text(pairs: pl.DataFrame, seed: int, *, name: str) -> pl.DataFrame:
    del seed
    return pairs.with_columns(pl.lit(EMPTY_TEXT).alias(name))


def _exchange_text(pairs: pl.DataFrame, seed: int, *, name: str) -> pl.DataFrame:
    """Exchange each different text for the next one in a random order."""
    texts = pairs[name].unique().sort()
    drawn = texts.gather(np.argsort(draw_numbers(texts, "exchange", name, seed), kind="stable"))
    following = pl.concat([drawn[1:], drawn[:1]])
    return pairs.with_columns(pl.col(name).replace_strict(drawn, following, return_dtype=pl.String))


CORRUPTIONS: Mapping[str, Corrupt] = {
    "words-shuffled": _shuffle_words,
    **{f"{name}-deleted": partial(_delete_words, tags=tags) for name, tags in WORD_CLASSES.items()},
    **{
        f"{name}-{way}": partial(function, name=name)
        for name in TEXTS
        for way, function in (("removed", _remove_text), ("exchanged", _exchange_text))
    },
}
