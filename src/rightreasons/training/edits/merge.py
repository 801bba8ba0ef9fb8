"""Make two labels of three: neutral and contradiction become non-entailment."""

from __future__ import annotations

import polars as pl  # noqa: TC002 - the options are read from the annotations

from rightreasons.core import labels
from rightreasons.training.edits.edit import Edited


def merge(pairs: pl.DataFrame) -> Edited:
    """Merge the labels of all pairs, so that the model learns two."""
    merged = labels.merge(pairs["label"])
    return Edited(pairs.with_columns(merged), {"merged": int((merged != pairs["label"]).sum())})
