"""Is a model right on all pairs that belong together, such as an entailed hypothesis and its twin that is not?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from rightreasons.scoring.proportion import Proportion, proportion_of_counts, sum_by_cluster


@dataclass(frozen=True)
class Consistency:
    """How many groups are all right, all wrong or mixed, and what unrelated answers of that accuracy would give."""

    groups: int
    pairs: int
    right: Proportion  # of the groups
    mixed: Proportion
    wrong: Proportion
    expected_right: float
    expected_wrong: float


def measure_consistency(
    answers: pl.DataFrame, groups: pl.Series, *, twins: bool = False
) -> Consistency | None:
    """Judge the groups of two and more pairs as wholes; None where there are none. Pairs without a group are left out.

    With `twins`, only groups whose pairs have different true labels count: no constant answer is right on such a one.
    Unrelated means that a pair is right as often as pairs of its true label are, whatever the others of its group.
    """
    golds = sorted(answers["gold"].unique())
    sums, times = sum_by_cluster(_flag_by_gold(answers, golds), groups.hash().set(groups.is_null(), None))
    pairs, right = sums[:, : len(golds)], sums[:, len(golds) :]
    kept = (pairs.sum(axis=1) > 1) & ((pairs > 0).sum(axis=1) > (1 if twins else 0))
    if not kept.any():
        return None
    pairs, right, times = pairs[kept], right[kept], times[kept]
    often = (times @ right) / np.maximum(times @ pairs, 1)
    n = int(times.sum())
    all_right, all_wrong = (right == pairs).all(axis=1), (right == 0).all(axis=1)
    return Consistency(
        groups=n,
        pairs=int((times @ pairs).sum()),
        right=proportion_of_counts(int(times[all_right].sum()), n),
        mixed=proportion_of_counts(int(times[~all_right & ~all_wrong].sum()), n),
        wrong=proportion_of_counts(int(times[all_wrong].sum()), n),
        expected_right=float(times @ np.prod(often**pairs, axis=1) / n),
        expected_wrong=float(times @ np.prod((1 - often) ** pairs, axis=1) / n),
    )


def _flag_by_gold(answers: pl.DataFrame, golds: list[str]) -> pl.DataFrame:
    """Say of each pair which true label it has, and of which it is a right answer."""
    here = {gold: pl.col("gold") == gold for gold in golds}
    counted = [is_so.cast(pl.Int32).alias(f"n {gold}") for gold, is_so in here.items()]
    right = [(is_so & pl.col("right")).cast(pl.Int32).alias(f"right {gold}") for gold, is_so in here.items()]
    return answers.select(*counted, *right)
