"""Content words of sentences as integer codes, their overlap, and hypotheses too generic for a random pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

# Words of a closed class, and verbs that say next to nothing: sharing them relates no two sentences.
FUNCTION = frozenset(
    """
    a an the this that these those some any no every each all both either neither another other others such same
    i me my mine myself we us our ours ourselves you your yours yourself he him his himself she her hers herself it its
    itself they them their theirs themselves one ones who whom whose which what where when why how there here
    and or but nor so yet if then than because since while although though unless until as whether
    of in on at by for from to into onto with without within about above below under over between among through during
    before after against toward towards near off out up down around along across behind beside besides upon per via
    am is are was were be been being have has had having do does did doing done can could will would shall should may
    might must ought get gets got getting go goes going gone went come comes came coming make makes made making take
    takes took taking let lets put puts say says said want wants wanted
    not never n't t s re ve ll d m don doesn didn isn aren wasn weren won wouldn couldn shouldn hasn haven hadn can't
    very too also just only even still again already quite rather really much many more most few little less least lot
    lots enough well now ever always often sometimes once yes yeah uh um oh okay ok
    """.split()  # noqa: SIM905 - words read best as text
)
WORD = r"[\p{L}\p{N}]+(?:['\u2019][\p{L}]+)?"
_ENDING = r"(?:['\u2019]s|ings?|ed|es|s)$"
_STEM = 3  # letters that an ending must leave
_PREMISES = 512  # whose words are spread out at a time
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


@dataclass(frozen=True)
class WordCodes:
    """The different content words of each sentence, as numbers below `size`, one sentence after the other."""

    codes: NDArray[np.int64]
    starts: NDArray[np.int64]
    size: int

    @property
    def counts(self) -> NDArray[np.int64]:
        """Count the words of each sentence."""
        return np.diff(self.starts)


def list_content_words(texts: pl.Series) -> pl.DataFrame:
    """List the different content words of each text: columns row, whole, word (without its ending)."""
    table = texts.rename("whole").to_frame().with_row_index("row")
    words = table.with_columns(pl.col("whole").str.to_lowercase().str.extract_all(WORD))
    words = words.explode("whole", empty_as_null=False).filter(~pl.col("whole").is_in(list(FUNCTION)))
    return words.with_columns(strip_ending(pl.col("whole")).alias("word")).unique(
        ["row", "word"], maintain_order=True
    )


def strip_ending(word: pl.Expr) -> pl.Expr:
    """Strip the ending of a word if a long enough stem remains."""
    cut = word.str.replace(_ENDING, "")
    return pl.when(cut.str.len_chars() < _STEM).then(word).otherwise(cut)


def encode_content_words(*texts: pl.Series) -> tuple[WordCodes, ...]:
    """Number the content words of several columns of texts by one count."""
    lists = [list_content_words(column) for column in texts]
    known = pl.concat([words.select("word") for words in lists]).unique(maintain_order=True)
    known = known.with_row_index("code")
    encoded = []
    for column, words in zip(texts, lists, strict=True):
        table = words.join(known, on="word", how="left", maintain_order="left")
        counts = np.bincount(table["row"].to_numpy(), minlength=len(column))
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        encoded.append(WordCodes(table["code"].to_numpy().astype(np.int64), starts, known.height))
    return tuple(encoded)


class Overlap:
    """How much of the shorter of two sentences stands in the other, counted in content words."""

    def __init__(self, left: WordCodes, right: WordCodes) -> None:
        """Set the encoded words of both sides, which must share one vocabulary."""
        self.left = left
        self.right = right

    def compute_shares(self, rows: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the share of content words (0 to 1) of each pair of rows; the left rows must be sorted."""
        shared = np.empty(len(rows), dtype=np.int64)
        start = 0
        while start < len(rows):
            stop = int(np.searchsorted(rows, rows[start] + _PREMISES))
            shared[start:stop] = self._count_shared_words(rows[start:stop], others[start:stop])
            start = stop
        fewest = np.minimum(self.left.counts[rows], self.right.counts[others])
        return shared / np.maximum(fewest, 1)

    def _count_shared_words(self, rows: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count the words shared, for rows that are near each other."""
        low, high = int(rows[0]), int(rows[-1]) + 1
        inside = slice(self.left.starts[low], self.left.starts[high])
        has = np.zeros((high - low, self.left.size), dtype=np.bool_)
        has[np.repeat(np.arange(high - low), self.left.counts[low:high]), self.left.codes[inside]] = True
        counts = self.right.counts[others]
        ends = np.cumsum(counts)
        each = np.arange(int(ends[-1])) + np.repeat(self.right.starts[others] - (ends - counts), counts)
        hits = has[np.repeat(rows - low, counts), self.right.codes[each]]
        sums = np.concatenate([[0], np.cumsum(hits)])
        shared: NDArray[np.int64] = sums[ends] - sums[ends - counts]
        return shared


def mark_generic_texts(texts: pl.Series) -> pl.Series:
    """Return which texts are fragments, or have generic words only, or few besides that any scene may have."""
    words = list_content_words(texts.str.replace_all(_CONTRACTED, ""))
    generic = pl.col("whole").is_in(list(GENERIC))
    common = pl.col("word").is_in(_list_stems(COMMON).implode()) & ~generic
    special = (~generic & ~common).any() | (common.sum() > _MOST_COMMON)
    rows = words.group_by("row").agg(special.alias("special")).filter("special")["row"]
    numbers = pl.int_range(len(texts), dtype=pl.UInt32, eager=True)
    return (~numbers.is_in(rows.implode()) | mark_fragments(texts)).rename("generic")


def mark_fragments(texts: pl.Series) -> pl.Series:
    """Return which texts have one or two words."""
    few = texts.str.count_matches(WORD) < _FEWEST_WORDS
    return few & ~texts.str.contains(_OTHER_LETTERS)


def _list_stems(words: Iterable[str]) -> pl.Series:
    """List the stems of words and of their forms: for eye also that of eyes, for smile also that of smiling."""
    forms = [form for word in words for form in (word, f"{word}s", f"{word.removesuffix('e')}ing")]
    return pl.Series("word", forms).to_frame().select(strip_ending(pl.col("word")).unique()).to_series()
