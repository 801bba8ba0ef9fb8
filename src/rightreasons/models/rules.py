"""The heuristics themselves as models: entailment where the heuristic applies, else non-entailment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import polars as pl

from rightreasons.core import heuristics
from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.labels import ENTAILMENT, NON_ENTAILMENT
from rightreasons.core.parts import Model

if TYPE_CHECKING:
    from collections.abc import Callable

# Each rule: the predicate, and the column it reads beside the hypothesis.
RULES: dict[str, tuple[Callable[[pl.Series, pl.Series], pl.Series], str]] = {
    "lexical-overlap": (heuristics.lexical_overlap, "premise"),
    "subsequence": (heuristics.subsequence, "premise"),
    "constituent": (heuristics.constituent, "premise_parse"),
}
ABOUT = {
    "lexical-overlap": "Says entailment where every word of the hypothesis occurs in the premise",
    "subsequence": "Says entailment where the hypothesis is an unbroken piece of the premise",
    "constituent": "Says entailment where the hypothesis is a whole clause of the premise's parse",
}


class Rule(Model):
    """A model that follows one heuristic and nothing else."""

    name = "rules"
    about = ABOUT
    needs: tuple[str, ...] = ()

    def __init__(self, heuristic: Literal["lexical-overlap", "subsequence", "constituent"]) -> None:
        """Choose the heuristic."""
        if heuristic not in RULES:
            raise UnknownNameError("rule", heuristic, RULES)
        self.name = f"rules:{heuristic}"
        self.applies, self.column = RULES[heuristic]
        self.needs = () if self.column == "premise" else (self.column,)

    def predict(self, pairs: pl.DataFrame) -> pl.DataFrame:
        """Answer entailment where the heuristic applies."""
        if self.column not in pairs.columns or pairs[self.column].null_count():
            raise InputError(
                f"The model {self.name} needs {self.column} for every pair, and some have none. "
                "Generate the set with parses, or leave this model out."
            )
        covered = self.applies(pairs[self.column], pairs["hypothesis"])
        label = pl.when(covered).then(pl.lit(ENTAILMENT)).otherwise(pl.lit(NON_ENTAILMENT))
        return pairs.select("id", label=label)
