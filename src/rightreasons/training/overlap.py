"""Test pairs inside the training data: found by their letters and digits, counted, and refused."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.errors import InputError, counted
from rightreasons.core.pairs import TEXTS
from rightreasons.language.shingles import letters

if TYPE_CHECKING:
    from collections.abc import Mapping

HANS = "the released HANS evaluation set"


def shared_pairs(train: pl.DataFrame, tests: Mapping[str, pl.DataFrame]) -> dict[str, int]:
    """Count the pairs of each test set that are training pairs too, but for case, punctuation and white space."""
    known = _keys(train).unique()
    return {name: _keys(test).join(known, on=TEXTS, how="semi").height for name, test in tests.items()}


def apart(pairs: pl.DataFrame, train: pl.DataFrame) -> pl.DataFrame:
    """Keep the pairs that are no training pairs, as `shared_pairs` tells them."""
    keys = _keys(pairs).with_row_index("row")
    return pairs[keys.join(_keys(train).unique(), on=TEXTS, how="anti")["row"].sort()]


@lru_cache(maxsize=1)
def hans_pairs() -> pl.DataFrame:
    """Make the pairs of the released HANS evaluation set, which everybody tests on."""
    from rightreasons.sets.hans.hans import HansReleased

    plan = HansReleased().plan(size=None, limit=None, seed=0, split="eval")
    return plan.rows(0, len(plan)).select(TEXTS)


def refuse_shared(shared: Mapping[str, int]) -> None:
    """Refuse to train on test pairs: the test would praise what was learnt by heart."""
    found = [f"{counted(count, 'pair')} of {name}" for name, count in shared.items() if count]
    if found:
        verb = "is a training pair" if [*filter(None, shared.values())] == [1] else "are training pairs"
        raise InputError(
            f"{' and '.join(found)} {verb} too. Leave them out of one of the two, or use --allow-overlap."
        )


def _keys(pairs: pl.DataFrame) -> pl.DataFrame:
    """Number both texts of each pair by their letters and digits; 64 bits stand for a text."""
    return pairs.select(letters(pl.col(name)).hash().alias(name) for name in TEXTS)
