"""Bias models: logistic regressions on the words of the hypothesis alone, or on the overlap of the two texts.

Each pair is predicted by a model that was trained on other premises (cross-fitting in five folds), so that the bias
model can't memorise it. Folds depend on the premise alone, not on the order of the pairs.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rightreasons.core import heuristics
from rightreasons.core.errors import InputError
from rightreasons.nets.recipe import BIAS_FOLDS
from rightreasons.scoring.logistic_regression import fit_logistic_regression

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from rightreasons.nets.recipe import Bias

_MIN_COUNT = 3  # hypotheses that a word must occur in


def predict_with_bias_model(
    pairs: pl.DataFrame, gold: NDArray[np.int64], labels: int, bias: Bias
) -> NDArray[np.float64]:
    """Predict training pairs with a bias model that has not seen their premises: log-probabilities (pairs, labels)."""
    features = FEATURES[bias](pairs)
    folds = _assign_folds(pairs["premise"])
    if len(np.unique(folds)) == 1:  # such as after the edit hypothesis-only
        raise InputError(
            "All training pairs have the same premise, so a bias model can't be trained on other premises. "
            "Remove the option debias or the edit hypothesis-only."
        )
    predicted = np.full((len(gold), labels), -np.log(labels))
    for fold in range(BIAS_FOLDS):
        mine, others = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        if len(mine) and len(others):
            fitted = fit_logistic_regression(features[others], gold[others], labels)
            predicted[mine] = fitted.predict_log_probabilities(features[mine])
    return predicted


def encode_hypothesis_words(pairs: pl.DataFrame) -> Any:
    """Mark the frequent words of each hypothesis: a sparse table of zeros and ones."""
    from scipy.sparse import csr_matrix

    plain = pairs.select(heuristics.normalise_words(pl.col("hypothesis")).str.split(" ").alias("word"))
    each = plain.with_row_index("row").explode("word").unique()
    often = each.filter(pl.len().over("word") >= _MIN_COUNT).sort("word", "row")
    column = often["word"].rle_id().to_numpy()
    shape = pairs.height, int(column[-1]) + 1 if len(column) else 0
    return csr_matrix((np.ones(often.height), (often["row"].to_numpy(), column)), shape=shape)


def compute_overlap_features(pairs: pl.DataFrame) -> NDArray[np.float64]:
    """Measure how the words of the two texts overlap: two heuristics, fractions of common words, lengths."""
    premise, hypothesis = pairs["premise"], pairs["hypothesis"]
    words = pairs.select(
        heuristics.normalise_words(pl.col(name)).str.split(" ").list.unique()
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
        "lexical_overlap": heuristics.has_lexical_overlap(premise, hypothesis),
        "subsequence": heuristics.is_subsequence(premise, hypothesis),
    }
    return (
        counted.with_columns(pl.Series(name, values) for name, values in heuristic.items())
        .cast(pl.Float64)
        .to_numpy()
    )


FEATURES: dict[str, Callable[[pl.DataFrame], Any]] = {
    "hypothesis-only": encode_hypothesis_words,
    "overlap": compute_overlap_features,
}


def _assign_folds(premises: pl.Series) -> NDArray[np.int64]:
    """Assign the premises to folds by their texts."""
    return np.array([zlib.crc32(text.encode()) % BIAS_FOLDS for text in premises], dtype=np.int64)
