"""Find malformed trees in a whole column at once, without reading the trees one by one."""

from __future__ import annotations

import numpy as np
import polars as pl

from rightreasons.core.trees import MOST_DEPTH

OPEN, CLOSE, NEWLINE = b"()\n"
EMPTY = r"\(\s*\)"
SLICE = 16_384  # trees looked at together: their brackets are held several times over
CHILDLESS = r"\([^\s()]+\s*\)"


def first_malformed(trees: pl.Series, *, binary: bool = False) -> int | None:
    """Give the row of the first malformed tree, or None; null is no tree, a binary one may be a bare word."""
    found = malformed(trees, binary=binary).arg_true()
    return int(found[0]) if len(found) else None


def malformed(trees: pl.Series, *, binary: bool = False) -> pl.Series:
    """Tell of each tree whether it is malformed; null is no tree, a binary one may be a bare word."""
    texts = trees.fill_null("").str.strip_chars()
    strange = texts.str.contains(EMPTY) | texts.str.contains("\n", literal=True)
    if not binary:
        whole = texts.str.starts_with("(") & texts.str.ends_with(")")
        strange |= ((texts != "") & ~whole) | texts.str.contains(CHILDLESS)
    lines = texts.str.replace_all("\n", " ", literal=True)
    parts = [
        _unbalanced(lines[start : start + SLICE], binary=binary) for start in range(0, len(lines), SLICE)
    ]
    return strange | pl.concat(parts) if parts else strange


def _unbalanced(texts: pl.Series, *, binary: bool) -> pl.Series:
    """Tell which close what they did not open, leave something open, have two roots, or too many levels."""
    letters = np.frombuffer((texts.str.join("\n").item() + "\n").encode(), dtype=np.uint8)
    marks = letters[(letters == OPEN) | (letters == CLOSE) | (letters == NEWLINE)]
    ends = marks == NEWLINE
    rows = np.cumsum(ends) - ends
    depth = np.cumsum((marks == OPEN).astype(np.int64) - (marks == CLOSE))
    depth -= np.concatenate(([0], depth[ends][:-1]))[rows]  # each tree starts at the ground again
    second_root = (marks[1:] == OPEN) & (depth[:-1] == 0) & ~ends[:-1]
    wrong = (ends & (depth != 0)) | (depth < 0)
    wrong[1:] |= second_root
    if not binary:  # in a binary parse each word may be a level of its own
        wrong |= depth > MOST_DEPTH
    found = np.zeros(len(texts), dtype=np.bool_)
    found[rows[wrong]] = True
    return pl.Series(found)
