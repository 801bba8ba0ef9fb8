"""Choose a word of each text and a misspelling of it, by draws that belong to the text alone."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import polars as pl

from rightreasons.draws import below, further
from rightreasons.language.forms import is_word
from rightreasons.sets.misspellings import OPERATIONS, Operation, misspellings, one_misspelling

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Variant = Literal["swap", "keyboard", "content", "function"]
VARIANTS: tuple[Variant, ...] = ("swap", "keyboard", "content", "function")
CONTENT = ("NN", "NNS", "NNP", "NNPS", "JJ", "JJR", "JJS")
FUNCTION = ("IN", "TO", "CC", "DT", "PRP", "PRP$", "WP", "WP$")
_TAGS = {"content": CONTENT, "function": FUNCTION}
# Longer ones are no words; a misspelling for each of their letters would fill the memory.
_LONGEST = 40
_LOW = (1 << 32) - 1


class Slip(NamedTuple):
    """One misspelling: how it came about, which letter is the first that differs, and the new word."""

    operation: Operation
    position: int
    misspelling: str


def operations_of(variant: Variant) -> tuple[Operation, ...]:
    """List what may happen to a word: content and function words get either."""
    return (variant,) if variant in ("swap", "keyboard") else OPERATIONS


def candidates(tokens: pl.DataFrame, variant: Variant) -> pl.DataFrame:
    """Keep the tokens that may be misspelt: whole words of at least two letters, of the tags of the variant.

    Words in capitals are left alone: an acronym with another letter is another acronym. So are parts of a word,
    such as the two of "can't".
    """
    length = pl.col("end") - pl.col("start")
    fit = length.is_between(2, _LONGEST)
    if variant in _TAGS:
        fit &= pl.col("tag").is_in(_TAGS[variant])
    numbered = tokens.with_columns(pl.int_range(pl.len()).alias("place")).filter(fit)
    letters = pl.col("token").str.contains(r"^\p{L}+$") & pl.col("token").str.contains(r"[^\p{Lu}]")
    words = numbered.filter(letters)
    return words.filter(~_glued(tokens, words["place"].to_numpy())).drop("place")


def _glued(tokens: pl.DataFrame, places: NDArray[np.int64]) -> pl.Series:
    """Tell which tokens go on without a space in a token of letters or digits, after or before them."""
    rows, starts, ends = (tokens[name].to_numpy() for name in ("row", "start", "end"))
    joined = (rows[:-1] == rows[1:]) & (ends[:-1] == starts[1:])
    at = np.flatnonzero(joined)
    left, right = tokens["token"].gather(at), tokens["token"].gather(at + 1)
    inside = left.str.contains(r"[\p{L}\p{M}\p{N}_]$") & right.str.contains(r"^[\p{L}\p{M}\p{N}_]")
    glued = np.zeros(tokens.height, dtype=bool)
    cut = at[inside.to_numpy()]
    glued[cut] = True
    glued[cut + 1] = True
    return pl.Series(glued[places])


def chosen(words: pl.DataFrame, drawn: NDArray[np.uint64], variant: Variant, *, avoid: bool) -> pl.DataFrame:
    """Choose one of the candidates of each text, and a misspelling of it; texts without any are left out.

    `drawn` has a number for each text. Of the candidates that have a misspelling, the one with the highest draw is
    taken; most have one, so the highest is tried first.
    """
    rows = words["row"].to_numpy()
    weights = further(drawn[rows], words["number"].to_numpy())
    best = _best(rows, weights)
    slips = _slips(words["token"].gather(best), weights[best], variant, avoid=avoid)
    first = _table(words[best], slips)
    failed = rows[best[[slip is None for slip in slips]]]
    if not len(failed):
        return first
    rest = np.flatnonzero(np.isin(rows, failed))
    slips = _slips(words["token"].gather(rest), weights[rest], variant, avoid=avoid)
    able = rest[[slip is not None for slip in slips]]
    best = able[_best(rows[able], weights[able])]
    found = dict(zip(rest.tolist(), slips, strict=True))
    second = _table(words[best], [found[place] for place in best.tolist()])
    return pl.concat([first, second]).sort("row")


def _best(rows: NDArray[np.uint32], weights: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Find the place of the highest weight of each row; rows come in order, and of equal weights the first counts."""
    starts = np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]][: len(rows)])
    if not len(starts):
        return starts
    lengths = np.diff(np.r_[starts, len(rows)])
    top = np.flatnonzero(weights == np.repeat(np.maximum.reduceat(weights, starts), lengths))
    return top[np.r_[True, rows[top][1:] != rows[top][:-1]]]


def _slips(
    words: pl.Series, weights: NDArray[np.uint64], variant: Variant, *, avoid: bool
) -> list[Slip | None]:
    """Draw a misspelling of each word, or None where it has none."""
    operations = operations_of(variant)
    coins = below(further(weights, 0), len(operations)).tolist()
    picks = further(weights, 1).tolist()
    orders = [operations[coin:] + operations[:coin] for coin in range(len(operations))]
    return [
        _slip(word, orders[coin], pick, avoid=avoid)
        for word, coin, pick in zip(words.to_list(), coins, picks, strict=True)
    ]


def _slip(word: str, operations: Sequence[Operation], pick: int, *, avoid: bool) -> Slip | None:
    """Pick one of the misspellings by an operation, or by the next one where the first has none.

    The first half of the draw may hit one that is none, the second half picks from those that are left: so all have
    equal chances, and few words need all their misspellings.
    """
    for operation in operations:
        quick = one_misspelling(word, operation, pick >> 32)
        if quick and not (avoid and is_word(quick[1])):
            return Slip(operation, *quick)
        left = _usable(word, operation, avoid)
        if left:
            return Slip(operation, *left[(pick & _LOW) * len(left) >> 32])
    return None


@lru_cache(maxsize=65_536)
def _usable(word: str, operation: Operation, avoid: bool) -> tuple[tuple[int, str], ...]:
    found = misspellings(word, operation)
    return tuple(one for one in found if not is_word(one[1])) if avoid else found


def _table(words: pl.DataFrame, slips: Sequence[Slip | None]) -> pl.DataFrame:
    """Put the choices into columns; without a misspelling, a row is left out."""
    made = [slip or (None, None, None) for slip in slips]
    operation, position, misspelling = zip(*made, strict=True) if made else ((), (), ())
    return words.select(
        "row",
        pl.Series("operation", operation, dtype=pl.String),
        pl.col("token").alias("word"),
        pl.Series("misspelling", misspelling, dtype=pl.String),
        pl.Series("position", position, dtype=pl.Int64),
        pl.col("tag").alias("word_tag"),
        pl.col("start").alias("edit_at"),
        pl.col("token").alias("edit_from"),
        pl.Series("edit_to", misspelling, dtype=pl.String),
    ).filter(pl.col("misspelling").is_not_null())
