"""Texts as sets of shingles, all runs of three characters of their normalised words, to find near duplicates."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Numbers = npt.NDArray[np.int64]
    Codes = npt.NDArray[np.uint64]

LENGTH = 3
MOST_ROWS = 1 << 15  # at a time: a row's number and a shingle share 64 bits
_BITS = 16  # of a character; rarer ones share a code, which the exact comparison sorts out


@dataclass(frozen=True)
class Shingled:
    """The shingles of some texts: `row` and `code` side by side, each pair once, sorted by row; `n` by row."""

    row: Numbers
    code: Codes
    n: Numbers


class ShingledColumn:
    """A column of texts, at most MOST_ROWS of them, that is taken apart once however often it is compared."""

    def __init__(self, texts: list[str]) -> None:
        """Set texts as `normalise_spaces` returns them."""
        self.texts = texts

    @cached_property
    def shingles(self) -> Shingled:
        """Split the texts into shingles."""
        return build_shingles(self.texts)


def normalise_spaces(texts: pl.Expr) -> pl.Expr:
    """Reduce texts to lower-case words of letters and digits, with a space before, between and after."""
    words = texts.str.normalize("NFKC").str.to_lowercase().str.replace_all(r"[^\p{L}\p{N}\p{M}]+", " ")
    return pl.concat_str(pl.lit(" "), words.str.strip_chars(), pl.lit(" "))


def normalise_letters(texts: pl.Expr) -> pl.Expr:
    """Reduce texts to letters and digits, so that case, punctuation, white space and tokenisation don't count.

    A text without any is left as it is.
    """
    bare = normalise_spaces(texts).str.replace_all(" ", "", literal=True)
    return pl.when(bare != "").then(bare).otherwise(texts.str.strip_chars())


def build_shingles(texts: Sequence[str]) -> Shingled:
    """Split texts, at most MOST_ROWS of them, into shingles."""
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    joined = np.frombuffer("".join(texts).encode("utf-32-le"), dtype=np.uint32)
    letter = joined.astype(np.uint64) & np.uint64((1 << _BITS) - 1)
    owner = np.repeat(np.arange(len(texts), dtype=np.uint64), lengths)
    if len(letter) < LENGTH:
        return _drop_repeated_codes(np.empty(0, np.uint64), len(texts))
    code = (letter[:-2] << np.uint64(2 * _BITS)) | (letter[1:-1] << np.uint64(_BITS)) | letter[2:]
    inside = owner[:-2] == owner[2:]
    return _drop_repeated_codes(((owner[:-2] << np.uint64(3 * _BITS)) | code)[inside], len(texts))


def _drop_repeated_codes(both: Codes, rows: int) -> Shingled:
    """Part rows and codes, of which each pair is wanted once."""
    both = np.sort(both)
    first = np.ones(len(both), dtype=bool)
    first[1:] = both[1:] != both[:-1]
    both = both[first]
    row = (both >> np.uint64(3 * _BITS)).astype(np.int64)
    return Shingled(
        row, both & np.uint64((1 << 3 * _BITS) - 1), np.bincount(row, minlength=rows).astype(np.int64)
    )


def list_shingles(text: str) -> set[str]:
    """List the shingles of one text."""
    return {text[at : at + LENGTH] for at in range(len(text) - LENGTH + 1)}


def compute_jaccard(one: set[Any], other: set[Any]) -> Fraction:
    """Return the share of the shingles of both texts that the two have in common."""
    union = len(one | other)
    return Fraction(len(one & other), union) if union else Fraction(0)
