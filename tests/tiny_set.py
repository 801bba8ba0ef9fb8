"""A set of a handful of pairs, for tests of what surrounds the sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import polars as pl

from rightreasons.core.errors import InputError, TooFewPairsError
from rightreasons.core.pairs import Card

if TYPE_CHECKING:
    from collections.abc import Mapping

    from polars import DataType

SUBCASES = (
    # Frame, hypothesis, label, heuristic, subcase; {a} and {b} are two different nouns.
    ("The {a} saw the {b} .", "The {b} saw the {a} .", "non-entailment", "lexical_overlap", "ln_swap"),
    ("The {a} and the {b} slept .", "The {a} slept .", "entailment", "lexical_overlap", "le_conjunction"),
    ("The {a} by the {b} ran .", "The {b} ran .", "non-entailment", "subsequence", "sn_PP_on_subject"),
    ("The {a} and the {b} ran .", "The {b} ran .", "entailment", "subsequence", "se_conjunction"),
)
NOUNS = ("judge", "actor", "doctor", "lawyer", "artist", "author", "tourist", "banker", "senator", "manager")
SPACE = len(NOUNS) * (len(NOUNS) - 1)


@dataclass(frozen=True)
class TinyPlan:
    """The pairs of the tiny set: subcase by subcase."""

    card: Card
    per_subcase: int
    first: int
    parses: bool

    def __len__(self) -> int:
        return self.per_subcase * len(SUBCASES)

    @property
    def schema(self) -> Mapping[str, DataType]:
        return dict(self.rows(0, 1).schema)

    def rows(self, start: int, stop: int) -> pl.DataFrame:
        return pl.DataFrame([self._pair(number) for number in range(start, stop)])

    def _pair(self, number: int) -> dict[str, object]:
        subcase, step = divmod(number, self.per_subcase)
        premise, hypothesis, label, heuristic, name = SUBCASES[subcase]
        rank = (self.first + step) % SPACE
        one, other = divmod(rank, len(NOUNS) - 1)
        nouns = {"a": NOUNS[one], "b": NOUNS[other + (other >= one)]}
        words = {"premise": premise.format(**nouns), "hypothesis": hypothesis.format(**nouns)}
        made = {"id": f"ex{number}", **words, "label": label}
        made |= {"set": "tiny", "heuristic": heuristic, "subcase": name, "template": name, "rank": rank}
        flat = " ".join(f"(X {word})" for word in str(made["premise"]).split())
        return made | ({"premise_parse": f"(ROOT (S {flat}))"} if self.parses else {})


class Tiny:
    """Pairs about people who meet."""

    name = "tiny"
    version = 1
    labels = ("entailment", "non-entailment")

    def __init__(self, *, parses: Literal["none", "labelled", "binary"] = "none", remark: str = "") -> None:
        self.parses = parses
        self.remark = remark

    def plan(self, *, size: int | None, limit: int | None, seed: int, split: str) -> TinyPlan:
        if split not in ("eval", "train"):
            raise InputError(f"There is no split {split!r}. Use eval or train.")
        count = size or (limit // len(SUBCASES) if limit else 20)
        if count > SPACE:
            raise TooFewPairsError(f"{count} pairs were asked for, but there are {SPACE}. Ask for fewer.")
        options = {"parses": self.parses, "seed": seed, "size": count, "split": split}
        remarks = (self.remark,) if self.remark else ()
        card = Card("tiny", self.version, options, self.labels, remarks=remarks)
        return TinyPlan(card, count, seed % SPACE, self.parses != "none")
