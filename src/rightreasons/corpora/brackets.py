"""Find malformed trees in a whole column at once, without reading the trees one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import polars as pl

OPEN, CLOSE, NEWLINE = b"()\n"
EMPTY = r"\(\s*\)"
CHILDLESS = r"\([^\s()]+\s*\)"


def first_malformed(trees: pl.Series, *, binary: bool = False) -> int | None:
    """Give the row of the first malformed tree, or None; null is no tree, a binary one may be a bare word."""
    texts = trees.fill_null("").str.strip_chars()
    strange = texts.str.contains(EMPTY) | texts.str.contains("\n", literal=True)
    if not binary:
        whole = texts.str.starts_with("(") & texts.str.ends_with(")")
        strange |= ((texts != "") & ~whole) | texts.str.contains(CHILDLESS)
    found = [*strange.arg_true()[:1], *_first_unbalanced(texts)]
    return min(found, default=None)


def _first_unbalanced(texts: pl.Series) -> list[int]:
    """Find the first row that closes what it did not open, leaves something open, or has two roots."""
    letters = np.frombuffer((texts.str.join("\n").item() + "\n").encode(), dtype=np.uint8)
    marks = letters[np.isin(letters, (OPEN, CLOSE, NEWLINE))]
    depth = np.cumsum((marks == OPEN).astype(np.int64) - (marks == CLOSE))
    ends = marks == NEWLINE
    second_root = (marks[1:] == OPEN) & (depth[:-1] == 0) & ~ends[:-1]
    wrong = (ends & (depth != 0)) | (depth < 0)
    wrong[1:] |= second_root
    first = np.flatnonzero(wrong)[:1]
    return [int(np.count_nonzero(ends[:mark])) for mark in first.tolist()]
