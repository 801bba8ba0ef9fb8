"""Edits of training pairs: plain functions from pairs to pairs, by name, composable in order.

augment          adds HANS-like pairs, never those of evaluation sets
withhold         leaves out pairs of named subcases, mostly of those that augment added
merge            makes two labels of three
distract         attaches a tautology to every pair
drop-rule        leaves out the pairs of SICK that a rule made
hypothesis-only  takes the premises away
swap             exchanges premise and hypothesis
subsample        draws some of the pairs, labels in proportion

An edit is a function `edit(pairs, *, option=..., ...) -> Edited` in a file of its own, and a line in `table.EDITS`.
"""

from __future__ import annotations

from rightreasons.training.edits.edit import Edited
from rightreasons.training.edits.table import EDITS, apply, edited

__all__ = ["EDITS", "Edited", "apply", "edited"]
