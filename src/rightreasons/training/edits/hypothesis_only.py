"""Take the premises away, so that a model learns what the hypotheses alone give away."""

from __future__ import annotations

import polars as pl

from rightreasons.training.edits.edit import Edited

# A text must have a word for a model to read, and this one says nothing.
EMPTY = "."
_PLACES = {
    "premise": EMPTY,
    "premise_parse": f"(ROOT (. {EMPTY}))",
    "premise_binary_parse": EMPTY,
}


def hypothesis_only(pairs: pl.DataFrame) -> Edited:
    """Put a full stop in the place of every premise."""
    there = {name: text for name, text in _PLACES.items() if name in pairs.columns}
    emptied = pairs.with_columns(pl.lit(text).alias(name) for name, text in there.items())
    return Edited(emptied, {"premise": EMPTY})
