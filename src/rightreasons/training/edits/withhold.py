"""Leave out the pairs of named subcases, such as those that a model is to be tested on."""

from __future__ import annotations

import polars as pl

from rightreasons.core.errors import UnknownNameError
from rightreasons.training.edits.edit import Edited, need


def withhold(pairs: pl.DataFrame, *, subcases: tuple[str, ...]) -> Edited:
    """Leave out the pairs whose tag `subcase` is one of these; pairs without a subcase stay.

    Args:
        pairs: the training pairs.
        subcases: names such as ln_passive, with commas between.
    """
    need(pairs, "subcase", "withhold", "Write it after augment.")
    there = set(pairs["subcase"].drop_nulls().unique())
    for name in subcases:
        if name not in there:
            raise UnknownNameError("subcase among the pairs", name, there)
    kept = pairs.filter(~pl.col("subcase").is_in(list(subcases)).fill_null(value=False))
    return Edited(kept, {"withheld": pairs.height - kept.height, "subcases": list(subcases)})
