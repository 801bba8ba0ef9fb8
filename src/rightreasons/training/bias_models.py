"""Bias models: what can be guessed of the labels from the hypothesis alone, or from how the two texts overlap.

Each pair is answered by a model that was trained on other premises (cross-fitting in five parts), so that the bias
model can't know a pair by heart. Parts depend on the premise alone, not on the order of the pairs.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from rightreasons.core import heuristics
from rightreasons.core.errors import InputError
from rightreasons.training.logistic import fit_logistic

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

Bias = Literal["hypothesis-only", "overlap"]
PARTS = 5
_LEAST = 3  # a word must be in so many hypotheses to count


def bias_answers(
    pairs: pl.DataFrame, gold: NDArray[np.int64], labels: int, bias: Bias
) -> NDArray[np.float64]:
    """Answer training pairs by a bias model that has not seen their premises: (pairs, labels), log-probabilities."""
    features = FEATURES[bias](pairs)
    parts = _parts(pairs["premise"])
    if len(np.unique(parts)) == 1:  # such as after the edit hypothesis-only
        raise InputError(
            "All training pairs have one premise, so a bias model can't learn from other premises than it answers. "
            "Leave the option debias out, or the edit hypothesis-only."
        )
    found = np.full((len(gold), labels), -np.log(labels))
    for part in range(PARTS):
        mine, others = np.flatnonzero(parts == part), np.flatnonzero(parts != part)
        if len(mine) and len(others):
            fitted = fit_logistic(features[others], gold[others], labels)
            found[mine] = fitted.log_probabilities(features[mine])
    return found


def words_of_hypotheses(pairs: pl.DataFrame) -> Any:
    """Tell which frequent words each hypothesis has: a sparse table of zeros and ones."""
    from scipy.sparse import csr_matrix

    plain = pairs.select(heuristics.plain_words(pl.col("hypothesis")).str.split(" ").alias("word"))
    each = plain.with_row_index("row").explode("word").unique()
    often = each.filter(pl.len().over("word") >= _LEAST).sort("word", "row")
    column = often["word"].rle_id().to_numpy()
    shape = pairs.height, int(column[-1]) + 1 if len(column) else 0
    return csr_matrix((np.ones(often.height), (often["row"].to_numpy(), column)), shape=shape)


def overlap(pairs: pl.DataFrame) -> NDArray[np.float64]:
    """Tell how the words of the two texts overlap: two heuristics, shares of common words, lengths."""
    premise, hypothesis = pairs["premise"], pairs["hypothesis"]
    words = pairs.select(
        heuristics.plain_words(pl.col(name)).str.split(" ").list.unique()
        for name in ("premise", "hypothesis")
    )
    common = pl.col("hypothesis").list.set_intersection("premise").list.len()
    theirs, own = pl.col("premise").list.len(), pl.col("hypothesis").list.len()
    counted = words.select(
        shared=common / own,
        covered=common / theirs,
        strange=(own - common).cast(pl.Float64).log1p(),
        longer=(own / theirs).log(),
        most_shared=(common / own) ** 2,
    )
    heuristic = {
        "lexical_overlap": heuristics.lexical_overlap(premise, hypothesis),
        "subsequence": heuristics.subsequence(premise, hypothesis),
    }
    return (
        counted.with_columns(pl.Series(name, one) for name, one in heuristic.items())
        .cast(pl.Float64)
        .to_numpy()
    )


FEATURES: dict[str, Callable[[pl.DataFrame], Any]] = {
    "hypothesis-only": words_of_hypotheses,
    "overlap": overlap,
}


def _parts(premises: pl.Series) -> NDArray[np.int64]:
    """Deal the premises into parts by their texts."""
    return np.array([zlib.crc32(text.encode()) % PARTS for text in premises], dtype=np.int64)
