"""Baselines that learn nothing: one constant label, random labels, and the heuristics of HANS as models."""

from __future__ import annotations

from collections.abc import Sequence  # noqa: TC003 - the type of an option
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, ClassVar, Literal

import polars as pl

from rightreasons.core import heuristics
from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.labels import ENTAILMENT, NON_ENTAILMENT, TWO_LABELS, resolve_label
from rightreasons.core.options import option
from rightreasons.core.parts import Model

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

DIGEST_BITS = 64
# Each rule: the predicate, and the column that it reads besides the hypothesis.
RULES: dict[str, tuple[Callable[[pl.Series, pl.Series], pl.Series], str]] = {
    "lexical-overlap": (heuristics.has_lexical_overlap, "premise"),
    "subsequence": (heuristics.is_subsequence, "premise"),
    "constituent": (heuristics.is_constituent, "premise_parse"),
}


@dataclass(frozen=True)
class Constant(Model):
    """A model that predicts the same label for every pair."""

    name = "constant"
    label: str = option(ENTAILMENT, help="The label, or a synonym of it.")

    def __post_init__(self) -> None:
        """Resolve the word for the label."""
        object.__setattr__(self, "label", resolve_label(self.label))

    def predict(self, pairs: pl.DataFrame) -> pl.DataFrame:
        """Predict the label for every pair."""
        return pairs.select("id", label=pl.lit(self.label))


@dataclass(frozen=True)
class Random(Model):
    """A model that draws each label at random, all with the same probability.

    A prediction depends on the seed and the id of the pair only: neither on the order of the pairs nor on the others.
    """

    name = "random"
    seed: int = option(0, help="Random seed.")
    labels: Sequence[str] = option(TWO_LABELS, help="Labels to draw from.")  # type: ignore[assignment]

    def __post_init__(self) -> None:
        """Resolve the words for the labels: at least one, none twice."""
        words = [self.labels] if isinstance(self.labels, str) else self.labels
        resolved = tuple(resolve_label(word) for word in words)
        if not resolved or len(set(resolved)) != len(resolved):
            raise InputError(f"The option labels is {words!r}. List at least one label, and none twice.")
        object.__setattr__(self, "labels", resolved)

    def predict(self, pairs: pl.DataFrame) -> pl.DataFrame:
        """Draw a label for every pair."""
        key = str(self.seed).encode()
        digests = (blake2b(pair.encode(), key=key, digest_size=DIGEST_BITS // 8) for pair in pairs["id"])
        # Scaling the whole digest keeps the labels equally likely; a remainder would need a power of two.
        picks = [int.from_bytes(digest.digest()) * len(self.labels) >> DIGEST_BITS for digest in digests]
        names = pl.Series(self.labels, dtype=pl.String)
        return pairs.select("id", label=names.gather(pl.Series(picks, dtype=pl.UInt32)))


@dataclass(frozen=True)
class Rule(Model):
    """A model that follows one heuristic and nothing else."""

    about: ClassVar[Mapping[str, str]] = {
        "lexical-overlap": "Predicts entailment if every word of the hypothesis occurs in the premise",
        "subsequence": "Predicts entailment if the hypothesis is a contiguous part of the premise",
        "constituent": "Predicts entailment if the hypothesis is a complete subtree of the premise's parse",
    }
    heuristic: Literal["lexical-overlap", "subsequence", "constituent"] = option(help="Heuristic to follow.")

    def __post_init__(self) -> None:
        """Refuse an unknown heuristic."""
        if self.heuristic not in RULES:
            raise UnknownNameError("rule", self.heuristic, RULES)

    @cached_property
    def name(self) -> str:
        """The name, such as rules:subsequence."""
        return f"rules:{self.heuristic}"

    @cached_property
    def needs(self) -> tuple[str, ...]:
        """The parse of the premise, for the heuristic that reads it."""
        column = RULES[self.heuristic][1]
        return () if column == "premise" else (column,)

    def predict(self, pairs: pl.DataFrame) -> pl.DataFrame:
        """Predict entailment if the heuristic applies, else non-entailment."""
        applies, column = RULES[self.heuristic]
        if column not in pairs.columns or pairs[column].null_count():
            raise InputError(
                f"The model {self.name} needs the column {column} for every pair, but some pairs have none. "
                "Generate the set with parses, or remove this model."
            )
        covered = applies(pairs[column], pairs["hypothesis"])
        label = pl.when(covered).then(pl.lit(ENTAILMENT)).otherwise(pl.lit(NON_ENTAILMENT))
        return pairs.select("id", label=label)
