"""Draw some of the pairs by a seed, each label in proportion, or as many of each."""

from __future__ import annotations

import numpy as np
import polars as pl

from rightreasons.core.digests import join_columns
from rightreasons.core.errors import InputError
from rightreasons.core.keyed_random import draws
from rightreasons.core.pairs import TEXTS
from rightreasons.training.edits.edit import Edited, need


def subsample(
    pairs: pl.DataFrame,
    *,
    size: int,
    seed: int = 0,
    by: tuple[str, ...] = ("label",),
    even: bool = False,
) -> Edited:
    """Draw so many pairs, or keep all where there are fewer; a choice belongs to a pair, not to its place.

    Args:
        pairs: the training pairs.
        size: how many to draw.
        seed: another seed, another sample.
        by: the columns whose values keep their shares, with commas between.
        even: draw as many of each value instead, no more than the rarest has.
    """
    if size < 1:
        raise InputError(f"The option size is {size}. Give at least 1.")
    if size >= pairs.height and not even:
        return Edited(pairs, {"seed": seed})
    for name in by:
        need(pairs, name, "subsample", "Leave it out of the option by.")
    stratum = pl.concat_str(pl.col(by).cast(pl.String).fill_null(""), separator=", ").alias("stratum")
    texts = pairs.select(join_columns([*TEXTS, "label"])).to_series()
    order = pairs.select(stratum).with_columns(drawn=pl.Series(draws(texts, "subsample", seed)))
    ranked = order.with_row_index("row").sort("drawn", "row")
    counts = dict(order["stratum"].value_counts().iter_rows())
    shares = _even(counts, size) if even else _shares(counts, size)
    turn = pl.int_range(pl.len()).over("stratum")
    chosen = ranked.filter(turn < pl.col("stratum").replace_strict(shares, return_dtype=pl.Int64))
    return Edited(pairs[np.sort(chosen["row"].to_numpy())], {"seed": seed, "drawn": shares})


def _even(counts: dict[str, int], size: int) -> dict[str, int]:
    """Give each the same number of places: its part of the size, but no more than the rarest can fill."""
    return dict.fromkeys(sorted(counts), min(size // len(counts), *counts.values()))


def _shares(counts: dict[str, int], size: int) -> dict[str, int]:
    """Share places out by the numbers of pairs; what is left goes to the largest remainders."""
    total = sum(counts.values())
    shares = {label: size * counts[label] // total for label in sorted(counts)}
    left = size - sum(shares.values())
    by_rest = sorted(shares, key=lambda label: (-(size * counts[label] % total), label))
    return {label: share + (label in by_rest[:left]) for label, share in shares.items()}
