"""Exchange premise and hypothesis; labels stay as they are, and so are no longer true of all pairs."""

from __future__ import annotations

import polars as pl  # noqa: TC002 - the options are read from the annotations

from rightreasons.core.pairs import PARSES, TEXTS
from rightreasons.training.edits.edit import Edited

_OTHER = {"premise": "hypothesis", "hypothesis": "premise"}


def swap(pairs: pl.DataFrame) -> Edited:
    """Exchange the two texts of every pair, and their parses where there are any."""
    names = {name: _other(name) for name in (*TEXTS, *PARSES) if name in pairs.columns}
    swapped = pairs.rename(names)
    order = [name if name in swapped.columns else _other(name) for name in pairs.columns]
    return Edited(swapped.select(order), {"swapped": pairs.height})


def _other(name: str) -> str:
    side, line, rest = name.partition("_")
    return f"{_OTHER[side]}{line}{rest}"
