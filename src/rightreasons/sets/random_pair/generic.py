"""Hypotheses that may follow from whatever premise they meet, or say too little to be about another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rightreasons.sets.random_pair.words import WORD, content_words, stem

if TYPE_CHECKING:
    from collections.abc import Iterable

# Words that nearly any scene has: a hypothesis of nothing else may follow from any premise.
GENERIC = frozenset(
    """
    person people human humans man men woman women guy guys lady ladies gentleman male female somebody someone anyone
    anybody everyone everybody nobody individual individuals adult adults child children kid kids boy boys girl girls
    group groups folks thing things something anything everything nothing place places somewhere outside outdoors
    outdoor inside indoors indoor present exist exists alive breathing clothes clothing clothed dressed wearing wear
    together alone two three four five several stand stands standing sit sits sitting look looks looking doing near day
    time times way ways know knows knew known think thinks thought see sees saw seen true right good different kind
    sort possible else ain
    """.split()  # noqa: SIM905 - words read best as text
)
# Words that many a scene has: what people do, how they are, what they have, where they may be, what may happen. A
# hypothesis with one or two of them, and else generic words only, is left out too.
COMMON = frozenset(
    """
    walk talk speak smile breathe move play work watch hold hang wait rest relax eat drink
    laugh run running spoke ran ate drank gather meet enjoy stop stay live act pose perform
    feel felt like love hope wish need try tried use help keep kept happen start begin began continue change
    show tell told ask answer agree respond remember understand understood believe seem
    young old older tall short big small large little busy happy sad tired excited calm quiet awake
    finger hand face head hair foot feet leg arm eye mouth nose ear skin body bodies heart blood bone shirt pants shoe
    hat
    view scene area spot room building ground floor street sky air sun weather light world earth life
    friend family families couple crowd pair public name age color object item activity activities event fun
    sure certain course able real easy hard difficult bad better best great nice fine important new wrong idea part
    """.split()  # noqa: SIM905 - words read best as text
)
_CONTRACTED = r"['\u2019](?:s|re|ve|ll|d|m|t)\b"
_MOST_COMMON = 2
_FEWEST_WORDS = 3
# Where words aren't written apart, as in Chinese, one run of letters may be a sentence.
_OTHER_LETTERS = r"[\p{L}&&\P{Latin}]"


def is_generic(texts: pl.Series) -> pl.Series:
    """Tell which texts are fragments, or have generic words only, or few besides that any scene may have."""
    words = content_words(texts.str.replace_all(_CONTRACTED, ""))
    generic = pl.col("whole").is_in(list(GENERIC))
    common = pl.col("word").is_in(_stems(COMMON).implode()) & ~generic
    special = (~generic & ~common).any() | (common.sum() > _MOST_COMMON)
    rows = words.group_by("row").agg(special.alias("special")).filter("special")["row"]
    numbers = pl.int_range(len(texts), dtype=pl.UInt32, eager=True)
    return (~numbers.is_in(rows.implode()) | is_fragment(texts)).rename("generic")


def is_fragment(texts: pl.Series) -> pl.Series:
    """Tell which texts have one or two words."""
    few = texts.str.count_matches(WORD) < _FEWEST_WORDS
    return few & ~texts.str.contains(_OTHER_LETTERS)


def _stems(words: Iterable[str]) -> pl.Series:
    """Give the stems of words and of their forms: of eye also that of eyes, of smile also that of smiling."""
    forms = [form for word in words for form in (word, f"{word}s", f"{word.removesuffix('e')}ing")]
    return pl.Series("word", forms).to_frame().select(stem(pl.col("word")).unique()).to_series()
